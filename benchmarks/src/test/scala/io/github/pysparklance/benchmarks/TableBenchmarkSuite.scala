// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.benchmarks

import java.nio.file.Files

import org.scalatest.funsuite.AnyFunSuite

/** A tiny run of the benchmark, without pylance. */
class TableBenchmarkSuite extends AnyFunSuite {

  test("results have the times of opens and appends, and the sizes of manifests") {
    val work = Files.createTempDirectory("tables")
    val out = work.resolve("results.txt")
    try {
      TableBenchmark.main(
        Array("--work", work.resolve("work").toString, "--out", out.toString) ++
          Array("--fragments", "1,20", "--iterations", "1")
      )
      val results = Files.readString(out)
      for (line <- Seq("append a fragment to 1 ", "open 20 fragments ", "  manifest, 20 "))
        assert(results.linesIterator.exists(_.startsWith(line)), results)
    } finally Runs.clear(work)
  }
}
