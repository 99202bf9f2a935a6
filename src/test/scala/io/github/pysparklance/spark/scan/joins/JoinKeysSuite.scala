// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.joins

import org.apache.spark.sql.catalyst.expressions.DynamicPruningSubquery
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.apache.spark.sql.execution.{CommandResultExec, SparkPlan}
import org.apache.spark.sql.{DataFrame, Row}
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.testkit.{SharedSpark, TemporaryFolder}

/** Shared code of the suites of join keys: a table `t` of 60,000 rows in four fragments with
  * indices, and 50 keys in files.
  */
abstract class JoinKeysSuite extends AnyFunSuite with TemporaryFolder with AdaptiveSparkPlanHelper {
  protected lazy val spark = SharedSpark.interpreted
  protected def path: String = folder.resolve("t").toString
  protected def t: String = s"lake.`$path`"
  protected def sql(text: String): DataFrame = spark.sql(text)

  protected val numRows = 60000L

  /** Rows of `id` (a permutation of the numbers), `small` (32 bits, `id % 2000`), `s.id`, `name`,
    * and `text`.
    */
  protected def rows(from: Long = 0, until: Long = numRows, files: Int = 4): DataFrame =
    spark.range(from, until, 1, files).selectExpr(
      s"IF(id < $numRows, (id * 7919) % $numRows, id) AS id",
      "CAST(id % 2000 AS INT) AS small",
      "named_struct('id', IF(id % 5 = 0, NULL, id)) AS s",
      "CONCAT('name ', id % 700) AS name",
      "CONCAT('text of row ', id) AS text"
    )

  protected def create(options: (String, String)*): Unit = {
    rows().write.format("lance").options(options.toMap).save(path)
    sql(s"CREATE INDEX by_id ON $t USING btree (id)"): Unit
    sql(s"CREATE INDEX by_small ON $t USING btree (small)"): Unit
    sql(s"CREATE INDEX by_nested ON $t USING btree (s.id)"): Unit
    sql(s"CREATE INDEX by_name ON $t USING bitmap (name)"): Unit
  }

  /** The view `keys` of 50 rows: `k`, a tenth of them null and some without a match, `name`, and
    * `n`.
    */
  protected def createKeys(): Unit = {
    val saved = folder.resolve("keys").toString
    spark.range(0, 50, 1, 1).selectExpr(
      "IF(id % 10 = 9, NULL, id * 1301) AS k",
      "CONCAT('name ', id) AS name",
      "id AS n"
    ).write.parquet(saved)
    spark.read.parquet(saved).createOrReplaceTempView("keys")
  }

  /** Rows of `k` that are ids of the table. */
  protected val matches: Int = (0L until 50L).count(i => i % 10 != 9 && i * 1301 < numRows)

  private def executed(plan: SparkPlan): SparkPlan = plan match {
    case done: CommandResultExec => done.commandPhysicalPlan
    case other => other
  }

  /** A metric of the scans of the table, all together. */
  protected def scanned(df: DataFrame, metric: String = "lanceRowsRead"): Long =
    collect(executed(df.queryExecution.executedPlan)) {
      case b: BatchScanExec if b.metrics.contains(metric) => b.metrics(metric).value
    }.sum

  protected def filters(plan: LogicalPlan): Seq[DynamicPruningSubquery] =
    plan.flatMap(_.expressions.flatMap(_.collect { case d: DynamicPruningSubquery => d }))

  protected def withConf[A](configuration: (String, String)*)(body: => A): A = {
    configuration.foreach { case (key, value) => spark.conf.set(key, value) }
    try body
    finally configuration.foreach { case (key, _) => spark.conf.unset(key) }
  }

  /** The number of rows, and a hash of their values in any order. */
  protected def answer(df: DataFrame): Row = {
    val names = df.columns.indices.map(i => s"c$i")
    df.toDF(names: _*)
      .selectExpr(names.mkString("xxhash64(", ", ", ") % 1000000 AS h"))
      .selectExpr("count(*)", "sum(h)")
      .head()
  }

  protected val noBroadcast: (String, String) = "spark.sql.autoBroadcastJoinThreshold" -> "-1"
  protected val notAdaptive: (String, String) = "spark.sql.adaptive.enabled" -> "false"
}
