// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.benchmarks

import java.nio.file.Files

import org.scalatest.funsuite.AnyFunSuite

/** A tiny run of the benchmark. */
class LookupBenchmarkSuite extends AnyFunSuite {

  test("this connector and pylance look up the same rows") {
    val python =
      sys.env.getOrElse("PYSPARK_LANCE_PYTHON", cancel("PYSPARK_LANCE_PYTHON is not set"))
    val work = Files.createTempDirectory("lookups")
    val out = work.resolve("results.txt")
    try {
      LookupBenchmark.main(
        Array("--work", work.resolve("work").toString, "--out", out.toString) ++
          Array("--python", python, "--rows", "5000", "--lookups", "3", "--iterations", "1")
      )
      val results = Files.readString(out)
      for (system <- Seq("lance ", "pylance "))
        assert(results.contains(s"look up a key of 5,000 rows                  $system"), results)
    } finally Runs.clear(work)
  }
}
