// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan

import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.apache.spark.sql.types.MetadataBuilder
import org.apache.spark.sql.{DataFrame, SparkSession}
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.spark.types.ColumnOptionKeys
import io.github.pysparklance.testkit.{ExactRows, SharedSpark, TemporaryFolder, TestRun}

/** Scans of embeddings, which return rows instead of batches. */
class EmbeddingRowsSuite extends AnyFunSuite with TemporaryFolder with AdaptiveSparkPlanHelper {
  private lazy val spark = SharedSpark.session

  private val dimension = 70

  private def path(format: String): String = folder.resolve(format).toString

  /** Whole vectors that are null, nulls among their values, two kinds of floats. */
  private def save(): Unit = {
    val fixed =
      new MetadataBuilder().putLong(ColumnOptionKeys.FixedSizeListSize, dimension.toLong).build()
    val values = s"sequence(1, $dimension)"
    val rows = spark
      .range(0, 500, 1, 1)
      .selectExpr(
        "id",
        "id % 3 AS k",
        s"IF(id % 7 = 0, NULL, transform($values, x -> IF(x = id % 90, NULL, float(id * x) / 8))) AS vector",
        s"transform($values, x -> double(id) / x) AS doubles",
        "named_struct('a', id) AS nested"
      )
      .withMetadata("vector", fixed)
      .withMetadata("doubles", fixed)
    rows.write.format("lance").option("maxRowsPerFile", 200L).save(path("lance"))
    rows.write.parquet(path("parquet"))
  }

  private def load(spark: SparkSession, format: String): DataFrame =
    spark.read.format(format).option("batchSize", 64).load(path(format))

  private def isColumnar(frame: DataFrame): Boolean =
    collect(frame.queryExecution.executedPlan) { case b: BatchScanExec => b }.head.supportsColumnar

  test("rows equal the rows of Parquet, with and without generated code") {
    save()
    val queries = Seq(
      "SELECT id, k, vector, doubles FROM t",
      "SELECT id, vector[3], vector[id % 70] + doubles[4], size(vector) FROM t",
      "SELECT id, vector FROM t WHERE vector IS NULL OR id % 50 = 1 ORDER BY id DESC LIMIT 20",
      "SELECT k, max_by(vector, id), min(vector), max(doubles) FROM t GROUP BY k",
      "SELECT k, sort_array(collect_list(vector)), count(DISTINCT doubles) FROM t GROUP BY k",
      "SELECT a.id, b.id FROM t a JOIN t b ON a.vector = b.vector AND a.doubles = b.doubles",
      "SELECT id, xxhash64(vector), hash(doubles), to_json(struct(vector)) FROM t",
      "SELECT id, aggregate(vector, double(0), (s, x) -> s + coalesce(x, -1)) FROM t",
      "SELECT sum(x), count(x), count(*) FROM t LATERAL VIEW OUTER explode(vector) e AS x",
      "SELECT id, lag(vector) OVER (ORDER BY id) FROM t"
    )
    def answer(spark: SparkSession, format: String, query: String): Seq[String] = {
      load(spark, format).createOrReplaceTempView("t")
      ExactRows(spark.sql(query)).sorted
    }
    val sessions = Seq(SharedSpark.session, SharedSpark.interpreted)
    for ((query, i) <- queries.zipWithIndex; spark <- TestRun.share(i, 2, sessions))
      assert(answer(spark, "lance", query) == answer(spark, "parquet", query), query)
  }

  test("scans of embeddings return rows, other scans return batches") {
    save()
    val frame = load(spark, "lance")
    assert(!isColumnar(frame.select("id", "vector")) && !isColumnar(frame.select("doubles")))
    assert(isColumnar(frame.select("id", "k")) && isColumnar(frame.select("vector", "nested")))
    assert(frame.select("id", "vector").where("id = 5").count() == 1)
  }

  test("the option embeddingsAsRows turns rows off") {
    save()
    val batches = spark.read.format("lance").option("embeddingsAsRows", false).load(path("lance"))
    assert(isColumnar(batches.select("id", "vector")) && isColumnar(batches.select("doubles")))
    val columns = Seq("id", "vector[3]", "doubles")
    assert(ExactRows(batches.selectExpr(columns: _*)).sorted ==
      ExactRows(load(spark, "parquet").selectExpr(columns: _*)).sorted)
  }
}
