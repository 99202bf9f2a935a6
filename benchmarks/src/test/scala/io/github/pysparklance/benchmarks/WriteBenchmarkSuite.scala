// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.benchmarks

import java.nio.file.Files

import org.scalatest.funsuite.AnyFunSuite

/** A tiny run of the benchmark. */
class WriteBenchmarkSuite extends AnyFunSuite {

  test("both sources are written by both formats, and the results name them all") {
    val work = Files.createTempDirectory("writes")
    val spark = Runs.session("write benchmark", "2")
    def source(name: String, select: String): String = {
      val file = work.resolve(s"$name.parquet").toString
      spark.range(100).selectExpr("id", select).write.parquet(file)
      file
    }
    val lineitem = source("lineitem-source", "CAST(id AS STRING) AS l_comment")
    val embeddings =
      source("embeddings-source", "array(CAST(id AS FLOAT), CAST(1 AS FLOAT)) AS vector")
    val out = work.resolve("results.txt")
    try {
      WriteBenchmark.main(Array(
        "--lineitem",
        lineitem,
        "--embeddings",
        embeddings,
        "--work",
        work.toString,
        "--out",
        out.toString,
        "--iterations",
        "1"
      ))
      val results = Files.readString(out)
      for (name <- Seq("lineitem", "embeddings"); system <- Seq("parquet", "lance", "source only"))
        assert(
          results.linesIterator.exists(l => l.startsWith(s"write $name") && l.contains(system)),
          results
        )
    } finally {
      spark.stop()
      Runs.clear(work)
    }
  }
}
