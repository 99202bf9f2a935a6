// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.statistics

import org.apache.spark.sql.{AnalysisException, DataFrame}
import org.scalatest.BeforeAndAfterEach
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.testkit.SparkErrors._
import io.github.pysparklance.testkit.{Classic, SharedSpark}

/** `ANALYZE TABLE` stores the same statistics that Spark computes for a Parquet table with the same
  * rows.
  */
class AnalyzeSuite extends AnyFunSuite with BeforeAndAfterEach {
  private lazy val spark = SharedSpark.session
  private def sql(text: String): DataFrame = spark.sql(text)

  override def beforeEach(): Unit = sql("CREATE NAMESPACE lake.stat"): Unit

  override def afterEach(): Unit = {
    sql("DROP NAMESPACE lake.stat CASCADE")
    sql("DROP TABLE IF EXISTS stat_parquet"): Unit
  }

  private def statistics(table: String): Map[String, Any] = {
    spark.conf.set("spark.sql.cbo.enabled", "true")
    try {
      val stats = Classic.execution(spark.table(table)).optimizedPlan.stats.attributeStats
      stats.map { case (a, s) => a.name -> s.copy(histogram = None) }
    } finally spark.conf.unset("spark.sql.cbo.enabled")
  }

  test("the optimizer uses column statistics") {
    val rows =
      "SELECT id, CAST(id % 7 AS DOUBLE) AS d, IF(id % 3 = 0, NULL, concat('s', id)) AS s, " +
        "DATE'2020-01-01' + CAST(id AS INT) AS t, CAST(id AS DECIMAL(12, 2)) AS n, array(id) AS l FROM range(100)"
    sql(s"CREATE TABLE lake.stat.t AS $rows")
    sql(s"CREATE TABLE stat_parquet USING parquet AS $rows")
    sql("ANALYZE TABLE lake.stat.t COMPUTE STATISTICS")
    sql("ANALYZE TABLE lake.stat.t COMPUTE STATISTICS FOR ALL COLUMNS")
    sql("ANALYZE TABLE stat_parquet COMPUTE STATISTICS FOR COLUMNS id, d, s, t, n")
    assert(statistics("lake.stat.t") == statistics("stat_parquet"))
    assert(sql("SHOW TBLPROPERTIES lake.stat.t").collect().length == 2)
    sql("ALTER TABLE lake.stat.t DROP COLUMN n")
    sql("ANALYZE TABLE lake.stat.t COMPUTE STATISTICS FOR COLUMNS ID")
    assert(statistics("lake.stat.t").keySet == Set("id", "d", "s", "t"))
  }

  test("missing columns, and types without an order") {
    sql("CREATE TABLE lake.stat.t AS SELECT 1 AS id, array(1) AS l")
    def condition(columns: String) =
      intercept[AnalysisException](
        sql(s"ANALYZE TABLE lake.stat.t COMPUTE STATISTICS FOR COLUMNS $columns")
      ).condition
    assert(condition("nowhere") == "COLUMN_NOT_FOUND")
    assert(condition("l") == "UNSUPPORTED_FEATURE.ANALYZE_UNSUPPORTED_COLUMN_TYPE")
    assert(sql("SHOW TBLPROPERTIES lake.stat.t ('lance.version')").head().getString(1) == "1")
  }
}
