// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan

import scala.util.Random

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.testkit.{SharedSpark, TemporaryFolder, TestRun}

/** Files of version 0.1 have min/max statistics of pages. */
class PageSkippingSuite extends AnyFunSuite with TemporaryFolder with AdaptiveSparkPlanHelper {
  private lazy val spark = SharedSpark.interpreted

  private def path: String = folder.resolve("t").toString

  private def load(options: (String, String)*): DataFrame =
    spark.read.format("lance").options(options.toMap).load(path)

  private def metric(df: DataFrame, name: String): Long =
    collect(df.queryExecution.executedPlan) { case b: BatchScanExec => b }.head.metrics(name).value

  private def write(): Unit =
    spark
      .range(0, 40000, 1, 1)
      .selectExpr(
        "id",
        "CAST(id / 100 AS INT) AS i",
        "IF(id % 1000 = 7, double('NaN'), IF(id % 1000 < 3, -0.0D, id / 8)) AS d",
        "lpad(string(id), 6, '0') AS t",
        "DATE'2020-01-01' + CAST(id / 1000 AS INT) AS dt"
      )
      .write
      .format("lance")
      .option("fileVersion", "0.1")
      .option("maxRowsPerFile", "20000")
      .save(path)

  test("pages without matching rows are not read") {
    write()
    val few = load("minPartitionNum" -> "1").where("id BETWEEN 30000 AND 30010").select("t")
    assert(few.collect().length == 11)
    assert(metric(few, "lanceSkippedRows") > 30000 && metric(few, "lanceSkippedFragments") == 1)
    assert(metric(few, "lanceFragmentsRead") == 1)
    val none = load().where("t > '9' OR id IN (-1, 50000)")
    assert(none.collect().isEmpty && metric(none, "lanceRowsRead") == 0)
    assert(metric(none, "lanceFilteredRows") == 0)
    assert(load().where("id < 100 OR i + 1 = 300").count() == 200)
  }

  test("random conditions return the same rows with and without page skipping") {
    write()
    val seed = TestRun.seed
    val random = new Random(seed)
    def number = random.nextInt(42000) - 1000
    def test(): String = {
      val comparison = Seq("=", "<", "<=", ">", ">=", "<=>", "<>")(random.nextInt(7))
      random.nextInt(7) match {
        case 0 => s"i $comparison ${number / 100}"
        case 1 =>
          s"d $comparison ${Seq("double('NaN')", "0.0D", s"${number / 8}.5D")(random.nextInt(3))}"
        case 2 => f"t $comparison '$number%06d'"
        case 3 => s"dt $comparison DATE'2020-01-01' + ${number / 1000}"
        case 4 => s"id IN ($number, $number, NULL)"
        case 5 => s"$number $comparison id"
        case _ => s"NOT (id $comparison $number)"
      }
    }
    (1 to 15).foreach { _ =>
      val condition = Seq.fill(1 + random.nextInt(3))(test())
        .reduce((l, r) => s"($l ${if (random.nextBoolean()) "AND" else "OR"} $r)")
      def answer(options: (String, String)*) = load(options: _*).where(condition)
        .selectExpr("count(*)", "sum(id)", "min(i)", "max(t)").head()
      withClue(s"seed ${seed}L, WHERE $condition: ") {
        assert(answer() == answer("pushDownFilters" -> "false", "pushDownAggregates" -> "false"))
      }
    }
  }
}
