// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan

import org.apache.spark.sql.execution.LocalTableScanExec
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.apache.spark.sql.{DataFrame, Row}
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.deletion.DeletionVector
import io.github.pysparklance.testkit.{RandomFilters, SharedSpark, TemporaryFolder, TestRun}

/** Counts and min/max aggregates that tasks compute. */
class AggregatesSuite extends AnyFunSuite with TemporaryFolder with AdaptiveSparkPlanHelper {
  private lazy val spark = SharedSpark.interpreted

  private def path: String = folder.resolve("t").toString

  private def load(options: (String, String)*): DataFrame =
    spark.read.format("lance").options(options.toMap).load(path)

  /** Rows of the second fragment are deleted. */
  private def save(rows: DataFrame, maxRowsPerFile: Int, deleted: Range): Unit = {
    rows.write.format("lance").option("maxRowsPerFile", maxRowsPerFile.toLong).save(path)
    val table = LanceTable.open(Storage.local, path)
    table.delete(Map(1L -> DeletionVector.of(deleted.toArray)), "some"): Unit
  }

  private def scan(df: DataFrame): BatchScanExec =
    collect(df.queryExecution.executedPlan) { case b: BatchScanExec => b }.head

  private def isAggregated(df: DataFrame): Boolean = scan(df).scan.isInstanceOf[LanceAggregateScan]

  test("counts and min/max aggregates of every type equal Spark's, with and without a filter") {
    val seed = TestRun.seed
    save(RandomFilters.table(spark, 3000, seed, clustered = true), 800, deleted = 0 until 800 by 3)
    val columns =
      Seq(
        "id",
        "b",
        "s",
        "i",
        "l",
        "f",
        "d",
        "m",
        "w",
        "t",
        "y",
        "o",
        "dt",
        "ts",
        "n",
        "st.a",
        "st.in.b"
      )
    val asked = "count(*)" +: (columns.flatMap(c => Seq(s"min($c)", s"max($c)", s"count($c)")) ++
      Seq("count(st)", "count(st.in)", "count(list)", "max(_rowaddr)", "min(_fragid)"))
    Seq("true", "i > 40 AND t <> 'abc'", "id < 0", "_fragid = 1").foreach {
      condition =>
        val ours = load().where(condition).selectExpr(asked: _*)
        val spark = load("pushDownAggregates" -> "false", "pushDownFilters" -> "false")
          .where(condition)
          .selectExpr(asked: _*)
        withClue(s"seed $seed, WHERE $condition: ") {
          assert(isAggregated(ours) && !isAggregated(spark))
          assert(plain(ours) == plain(spark))
        }
    }
  }

  /** Values with one zero, as any of them may be the least. */
  private def plain(df: DataFrame): Seq[Any] = df.head().toSeq.map {
    case d: Double => java.lang.Double.doubleToLongBits(d + 0.0)
    case f: Float => java.lang.Float.floatToIntBits(f + 0.0f)
    case b: Array[Byte] => b.toSeq
    case other => other
  }

  test("a count of all rows is a local row, and expressions on it fail only at execution") {
    save(spark.range(10).toDF(), 5, 0 until 2)
    load().createOrReplaceTempView("counted")
    def planned(query: String): (Boolean, Row) = {
      val df = spark.sql(query)
      (
        collect(df.queryExecution.executedPlan) { case l: LocalTableScanExec => l }.nonEmpty,
        df.head()
      )
    }
    assert(planned("SELECT count(*) FROM counted") == ((true, Row(8L))))
    assert(planned("SELECT count(*) AS a, count(*) AS b FROM counted") == ((true, Row(8L, 8L))))
    assert(planned("SELECT count(*) + 1 FROM counted")._2 == Row(9L))
    spark.conf.set("spark.sql.ansi.enabled", "true")
    try {
      val failing = "SELECT 1 / (count(*) - 8) FROM counted"
      assert(spark.sql(s"EXPLAIN $failing").head().getString(0).contains("Physical Plan"))
      assert(
        intercept[Exception](spark.sql(failing).collect()).getMessage.contains("DIVIDE_BY_ZERO")
      )
    } finally spark.conf.unset("spark.sql.ansi.enabled")
  }

  test("a filtered count reads only the columns of the condition, and counts nulls in one leaf") {
    spark
      .range(0, 100000, 1, 1)
      .selectExpr(
        "id",
        "sha2(string(id), 256) AS text",
        "IF(id % 3 = 0, NULL, named_struct('text', sha2(string(id), 256), 'n', tinyint(1))) AS s"
      )
      .write
      .format("lance")
      .save(path)
    val read = load("minPartitionNum" -> "1")
    def bytes(df: DataFrame): Long = {
      df.collect()
      scan(df).metrics("lanceBytesRead").value
    }
    val counted = read.where("id >= 99000").selectExpr("count(*)")
    assert(bytes(counted) < 600000 && counted.head() == Row(1000L))
    assert(scan(counted).metrics("lanceFilteredRows").value == 99000)
    val structs = read.selectExpr("count(s)")
    assert(bytes(structs) < 300000 && structs.head() == Row(66666L))
    assert(scan(structs).scan.readSchema().length == 1)
    assert(structs.queryExecution.executedPlan.toString.contains("computes count(s)"))
  }

  test("without rows, counts are 0, and minimum and maximum are null") {
    spark.range(0, 100, 1, 1).selectExpr("id", "string(id) AS t").write.format("lance").save(path)
    val none = load().where("_fragid = 7").selectExpr("count(*)", "count(t)", "max(t)", "min(id)")
    assert(isAggregated(none) && none.collect().toSeq == Seq(Row(0L, 0L, null, null)))
    assert(load().where("id > 1000").selectExpr("max(id)").head() == Row(null))
  }

  test("distinct strings: the scan returns each string of a dictionary once") {
    val strings = spark
      .range(0, 20000, 1, 1)
      .selectExpr(
        "id",
        "IF(id % 11 = 0, NULL, concat('mode ', id % 7)) AS mode",
        "IF(id % 3 = 0, NULL, sha2(string(id % 6000), 256)) AS text",
        "named_struct('mode', concat('m', id % 5)) AS st"
      )
    save(strings, 6000, deleted = 0 until 6000 by 2)
    val plain = load("pushDownAggregates" -> "false", "pushDownDistinct" -> "false")
    def isDistinct(df: DataFrame): Boolean =
      scan(df).scan.description().contains("distinct values")
    def rows(df: DataFrame): Set[Row] = {
      val found = df.collect().toSeq
      assert(found.distinct.length == found.length)
      found.toSet
    }
    for (column <- Seq("mode", "text"); condition <- Seq("true", "mode <> 'mode 3'", "id < 0")) {
      val ours = load().where(condition).select(column).distinct()
      val spark = plain.where(condition).select(column).distinct()
      withClue(s"$column, $condition: ") {
        assert(isDistinct(ours) && !isDistinct(spark) && rows(ours) == rows(spark))
      }
    }
    load("minPartitionNum" -> "1").createOrReplaceTempView("modes")
    val modes = spark.sql("SELECT mode FROM modes GROUP BY mode")
    assert(rows(modes).size == 8 && isDistinct(modes))
    assert(scan(modes).metrics("numOutputRows").value <= 4 * 8)
    assert(scan(modes).metrics("lanceRowsRead").value == 17000)
    Seq(
      load().selectExpr("concat(mode, '!') AS m").distinct(),
      load().limit(10).select("mode").distinct()
    ).foreach(df => assert(isDistinct(df) && rows(df).size == 8))
    Seq(
      load().select("st.mode").distinct() -> 5,
      load().select("mode", "st.mode").distinct() -> 40,
      load().groupBy("mode").count() -> 8
    ).foreach { case (df, n) => assert(!isDistinct(df) && rows(df).size == n) }
    val first = load().select("mode").distinct().orderBy("mode").limit(2)
    assert(isDistinct(first) && first.collect().toSeq == Seq(Row(null), Row("mode 0")))
  }

  test(
    "Spark aggregates groups, distinct values of other types, sums, expressions, and samples"
  ) {
    spark.range(0, 1000, 1, 1).selectExpr("id", "id % 7 AS k").write.format("lance").save(path)
    val read = load()
    val others = Seq(
      read.groupBy("k").max("id"),
      read.selectExpr("count(DISTINCT k)"),
      read.selectExpr("sum(id)", "max(id)"),
      read.selectExpr("max(id + k)"),
      read.limit(10).selectExpr("max(id)")
    )
    others.foreach(df => assert(!isAggregated(df)))
    assert(others.head.collect().map(_.getLong(1)).sorted.toSeq == (993L to 999L))
    assert(others(1).head() == Row(7L) && others(2).head() == Row(499500L, 999L))
    assert(others(4).head() == Row(9L))
    val limited = read.where("k = 1").selectExpr("max(id)").limit(1)
    assert(isAggregated(limited) && limited.collect().toSeq == Seq(Row(995L)))
    assert(read.where("k = 1").selectExpr("max(id) AS m").where("m > 10000").collect().isEmpty)
    assert(!isAggregated(load("pushDownAggregates" -> "false").selectExpr("max(id)")))
  }
}
