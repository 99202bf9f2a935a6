// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.benchmarks

import java.nio.file.Files

import org.scalatest.funsuite.AnyFunSuite

/** A tiny run of the benchmark. */
class SyncBenchmarkSuite extends AnyFunSuite {

  test("appends with and without syncs are timed") {
    val work = Files.createTempDirectory("syncs")
    val out = work.resolve("results.txt")
    try {
      SyncBenchmark.main(
        Array("--work", work.resolve("work").toString, "--out", out.toString) ++
          Array("--mebibytes", "0,1", "--iterations", "1")
      )
      val results = Files.readString(out)
      for (task <- Seq("append 1 row ", "append 1 MiB "); system <- Seq("synced", "unsynced"))
        assert(results.linesIterator.exists(l => l.startsWith(task) && l.contains(s" $system ")))
    } finally Runs.clear(work)
  }
}
