// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.benchmarks

import java.nio.file.Files

import org.scalatest.funsuite.AnyFunSuite

/** A tiny run of the benchmark. */
class StoreBenchmarkSuite extends AnyFunSuite {

  test("a table is opened, scanned and taken from, on a slow store as on the local disk") {
    val work = Files.createTempDirectory("store")
    val out = work.resolve("results.txt")
    try {
      StoreBenchmark.main(
        Array("--work", work.resolve("work").toString, "--out", out.toString, "--rows", "2000") ++
          Array("--fragments", "2", "--small", "3", "--iterations", "1")
      )
      val results = Files.readString(out)
      for (task <- Seq("open the table", "all columns", "take 1000 rows", "3 fragments of 100"))
        assert(results.linesIterator.exists(_.startsWith(task)), results)
      def requests(task: String) = results.linesIterator
        .find(_.matches(s"$task +[0-9].*")).get.stripPrefix(task).trim.split(" +")(4).toInt
      val take = "take 1000 rows by _rowid, all columns"
      assert(requests(s"$take, again") < requests(take), results)
    } finally Runs.clear(work)
  }
}
