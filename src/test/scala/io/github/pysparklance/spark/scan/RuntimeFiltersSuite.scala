// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.apache.spark.sql.functions.{broadcast, col, sha2}
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.testkit.{SharedSpark, TemporaryFolder}

/** Keys of the small side of a join, which a scan receives while the query runs. */
class RuntimeFiltersSuite extends AnyFunSuite with TemporaryFolder with AdaptiveSparkPlanHelper {
  private lazy val spark = SharedSpark.interpreted

  private def path: String = folder.resolve("t").toString

  private def load(options: (String, String)*): DataFrame =
    spark.read.format("lance").options(options.toMap).load(path)

  private def scanned(df: DataFrame, metric: String): Long =
    collect(
      df.queryExecution.executedPlan
    ) { case b: BatchScanExec => b }.head.metrics(metric).value

  private def write(rows: Long, options: (String, String)*): Unit =
    spark
      .range(0, rows, 1, 1)
      .select(col("id"), sha2(col("id").cast("string"), 256).as("text"))
      .write
      .format("lance")
      .options(options.toMap)
      .save(path)

  /** Some keys. Few of them match a condition, so Spark computes them before it reads the other
    * side.
    */
  private def few(keys: String): DataFrame = {
    val saved = folder.resolve("keys").toString
    spark.range(20).selectExpr(keys, "id AS n").write.parquet(saved)
    broadcast(spark.read.parquet(saved).where("n < 5"))
  }

  test("keys of a join become a take, or a filter that is evaluated first") {
    write(50000)
    val table = load("minPartitionNum" -> "4", "splitSize" -> "1m")
    val keys = few("id * 1000 AS k")
    def joined(on: String): DataFrame =
      table.select(on, "text").join(keys, col(on) === col("k")).select(on, "text")
    val byValue = joined("id")
    assert(byValue.collect().map(_.getLong(0)).sorted.toSeq == Seq(0L, 1000L, 2000L, 3000L, 4000L))
    assert(scanned(byValue, "lanceRowsRead") == 5)
    assert(scanned(byValue, "lanceFilteredRows") == 49995)
    val byAddress = joined("_rowaddr")
    assert(byAddress.collect().length == 5)
    assert(scanned(byAddress, "lanceRowsRead") == 5)
    assert(scanned(byAddress, "lanceFilteredRows") == 0)
    val limited = table.limit(100).join(keys, col("id") === col("k")).select("text")
    assert(limited.collect().length == 1)
  }

  test("rows are taken by stable ids after they moved") {
    write(20000, "enableStableRowIds" -> "true", "maxRowsPerFile" -> "5000")
    val table = s"lake.`$path`"
    spark.sql(s"UPDATE $table SET text = 'moved' WHERE id IN (1000, 7000)")
    spark.sql(s"DELETE FROM $table WHERE id = 2000")
    // One row moved, one was deleted, one is null, and the last does not exist.
    val keys = few("CASE id WHEN 3 THEN NULL WHEN 4 THEN 1000000000 ELSE id * 1000 END AS k")
    def joined(kind: String, options: (String, String)*): DataFrame =
      load(options: _*).select("id", "text", "_rowid").join(keys, col("_rowid") === col("k"), kind)
    val found = joined("inner")
    assert(found.collect().map(_.getLong(0)).sorted.toSeq == Seq(0, 1000))
    assert(scanned(found, "lanceRowsRead") == 2 && scanned(found, "lanceFragmentsRead") == 2)
    val all = joined("inner", "pushDownFilters" -> "false")
    all.collect(): Unit
    assert(scanned(all, "lanceRowsRead") == 19999 && scanned(all, "lanceFragmentsRead") == 5)
    for (kind <- Seq("inner", "left_semi", "left_anti", "left", "right", "full")) {
      def answer(options: (String, String)*) =
        joined(kind, options: _*).collect().map(_.toString).sorted.toSeq
      assert(answer() == answer("pushDownFilters" -> "false"), kind)
    }
    keys.createOrReplaceTempView("few")
    val named = spark.sql(s"SELECT id FROM $table WHERE _rowid IN (SELECT k FROM few) AND id > 0")
    assert(named.collect().map(_.getLong(0)).toSeq == Seq(1000))
    assert(scanned(named, "lanceRowsRead") <= 2)
  }
}
