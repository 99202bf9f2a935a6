// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.execution.SortExec
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.apache.spark.sql.execution.exchange.ShuffleExchangeExec
import org.scalatest.BeforeAndAfterEach
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.testkit.SharedSpark

/** Joins and aggregates without a shuffle if zone maps prove that each fragment has one key. */
class KeyGroupingSuite extends AnyFunSuite with BeforeAndAfterEach with AdaptiveSparkPlanHelper {
  private lazy val spark = SharedSpark.newInterpreted()
  private def sql(text: String): DataFrame = spark.sql(text)
  private val enabled = "spark.sql.sources.v2.bucketing.enabled"

  override def beforeEach(): Unit = {
    super.beforeEach()
    spark.conf.set("spark.sql.autoBroadcastJoinThreshold", "-1")
    spark.conf.set(enabled, "true")
    spark.conf.set("spark.sql.sources.v2.bucketing.pushPartValues.enabled", "true")
    sql("CREATE NAMESPACE lake.grouped"): Unit
  }

  override def afterEach(): Unit = {
    sql("DROP NAMESPACE lake.grouped CASCADE"): Unit
    super.afterEach()
  }

  /** A table in which each fragment has one day. */
  private def create(name: String, days: Seq[Int], keyType: String = "DATE"): Unit = {
    sql(s"CREATE TABLE lake.grouped.$name (day $keyType, id BIGINT) PARTITIONED BY (day)")
    days.foreach(append(name, _))
  }

  private def append(name: String, day: Int): Unit = {
    val column = spark.table(s"lake.grouped.$name").schema("day").dataType.sql
    val value = column match {
      case "DATE" => s"DATE'2026-01-01' + $day"
      case "TIMESTAMP" => s"timestamp_seconds($day * 86400)"
      case "STRING" => s"'day $day'"
      case other => s"CAST($day AS $other)"
    }
    sql(s"INSERT INTO lake.grouped.$name SELECT $value, id FROM range(0, 20, 1, 1)"): Unit
  }

  private def shuffles(of: DataFrame): Int =
    collect(of.queryExecution.executedPlan) { case s: ShuffleExchangeExec => s }.length

  private def sorts(of: DataFrame): Int =
    collect(of.queryExecution.executedPlan) { case s: SortExec => s }.length

  /** Runs a query with and without grouping; returns the plan with it. */
  private def checked(text: String): DataFrame = {
    def rows(): (DataFrame, Seq[String]) = {
      val frame = sql(text)
      (frame, frame.collect().map(_.toString).sorted.toSeq)
    }
    spark.conf.set(enabled, "false")
    val (_, expected) = rows()
    spark.conf.set(enabled, "true")
    val (frame, found) = rows()
    assert(found == expected && found.nonEmpty)
    frame
  }

  private val join =
    "SELECT l.day, count(*), sum(r.id) FROM lake.grouped.l l JOIN lake.grouped.r r ON l.day = r.day GROUP BY l.day"

  test("a join and an aggregate on the key need neither a shuffle nor a sort") {
    Seq("DATE", "INT", "BIGINT", "TIMESTAMP", "STRING", "BOOLEAN").foreach { keyType =>
      create("l", Seq(0, 1), keyType)
      create("r", Seq(1, 0), keyType)
      val frame = checked(join)
      assert(shuffles(frame) == 0, keyType)
      assert(sorts(frame) == 0, keyType)
      Seq("l", "r").foreach(t => sql(s"DROP TABLE lake.grouped.$t"))
    }
  }

  test("keys that one side lacks, deleted rows, and filters") {
    create("l", Seq(0, 1, 2, 3, 3))
    create("r", Seq(3, 1, 7))
    sql("DELETE FROM lake.grouped.l WHERE id < 5")
    sql("DELETE FROM lake.grouped.r WHERE day = DATE'2026-01-08'")
    assert(shuffles(checked(join)) == 0)
    assert(shuffles(checked(join.replace("GROUP BY", "WHERE r.id > 15 GROUP BY"))) == 0)
    checked(join.replace("JOIN", "FULL JOIN").replace("l.day, c", "coalesce(l.day, r.day), c")
      .replace("BY l.day", "BY 1"))
    checked("SELECT day, count(*) FROM lake.grouped.l GROUP BY day")
    checked("SELECT count(*) FROM lake.grouped.l l JOIN lake.grouped.r r ON l.id = r.id")
    assert(shuffles(checked("SELECT day, count(*) FROM lake.grouped.l GROUP BY day")) == 0)
    assert(sql("SELECT * FROM lake.grouped.l WHERE day > DATE'2027-01-01'").collect().isEmpty)
  }

  test("nothing is reported if a fragment has several keys, nulls, or no zones") {
    def isGrouped: Boolean = shuffles(checked(join)) == 0
    create("r", Seq(0, 1))
    create("l", Seq(0, 1))
    assert(isGrouped)
    val before = sql("SELECT max(version) FROM lake.grouped.l.history").head().get(0)
    sql(
      "INSERT INTO lake.grouped.l SELECT DATE'2026-01-01' + CAST(id AS INT), id FROM range(0, 2, 1, 1)"
    )
    assert(!isGrouped)
    sql(s"CALL lake.system.restore('grouped.l', version => $before)")
    assert(isGrouped)
    sql(
      "INSERT INTO lake.grouped.l SELECT IF(id = 0, NULL, DATE'2026-01-01'), id FROM range(0, 2, 1, 1)"
    )
    assert(!isGrouped)
    sql(s"CALL lake.system.restore('grouped.l', version => $before)")
    sql("INSERT INTO lake.grouped.l SELECT CAST(NULL AS DATE), 1L")
    assert(isGrouped) // the join has no use for a fragment of nulls alone
    sql(s"CALL lake.system.restore('grouped.l', version => $before)")
    sql("SELECT DATE'2026-01-01' AS day, 1L AS id").writeTo("lake.grouped.l")
      .option("automaticZoneMaps", "false").append()
    assert(!isGrouped)
    sql("OPTIMIZE INDEX day_zonemap ON lake.grouped.l")
    assert(isGrouped)
  }

  test("without Spark's configuration, or without the key, tasks are packed as usual") {
    create("l", Seq(0, 1, 2))
    def tasks(columns: String): Int = {
      val frame = sql(s"SELECT $columns FROM lake.grouped.l")
      frame.collect()
      val scans = collect(frame.queryExecution.executedPlan) { case b: BatchScanExec => b }
      scans.map(_.batch.planInputPartitions().length).sum
    }
    assert(tasks("day, id") == 3)
    val packed = tasks("id")
    spark.conf.set(enabled, "false")
    assert(tasks("day, id") == packed && packed < 3)
  }
}
