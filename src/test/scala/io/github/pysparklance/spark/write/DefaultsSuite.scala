// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.write

import org.apache.spark.sql.{AnalysisException, Row}
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.testkit.{Pylance, SharedSpark}

/** Default values of columns are stored in the table, and used if a write omits the column. */
class DefaultsSuite extends AnyFunSuite {
  private lazy val spark = SharedSpark.session

  private def withTable(body: String => Any): Unit =
    try {
      spark.sql(
        "CREATE TABLE lake.defaults (id BIGINT, s STRING DEFAULT 'none', n INT DEFAULT 20 + 1, d DOUBLE)"
      )
      body("lake.defaults"): Unit
    } finally spark.sql("DROP TABLE IF EXISTS lake.defaults"): Unit

  private def location: String =
    s"${spark.conf.get("spark.sql.catalog.lake.warehouse")}/defaults.lance"

  private def rows(t: String): Seq[Row] = spark.table(t).orderBy("id").collect().toSeq

  test("inserts that omit columns, and the keyword DEFAULT") {
    withTable { t =>
      spark.sql(s"INSERT INTO $t (id) VALUES (1)")
      spark.sql(s"INSERT INTO $t VALUES (2, DEFAULT, 5, DEFAULT)")
      spark.sql(s"INSERT INTO $t BY NAME SELECT 3.5D AS d, 3L AS id")
      spark.sql(s"INSERT INTO $t (n, id) VALUES (NULL, 4)")
      assert(rows(t) == Seq(
        Row(1L, "none", 21, null),
        Row(2L, "none", 5, null),
        Row(3L, "none", 21, 3.5),
        Row(4L, "none", null, null)
      ))
      assert(Pylance.rows(location).map(_.get("s").asText).toSet == Set("none"))
    }
  }

  test("DataFrames that omit columns, by name and by path") {
    withTable { t =>
      spark.range(1, 2).toDF().writeTo(t).append()
      spark.range(2, 3).toDF().write.format("lance").mode("append").save(location)
      spark.range(3, 4).toDF().write.format("lance").mode("append").option(
        "mergeSchema",
        "true"
      ).save(location)
      assert(rows(t) == (1L to 3L).map(Row(_, "none", 21, null)))
    }
  }

  test("defaults are stored, shown, and dropped with a new schema") {
    withTable { t =>
      val field = LanceTable.open(Storage.local, location).schema.field("n").get
      assert(field.metadata == Map("CURRENT_DEFAULT" -> "20 + 1", "EXISTS_DEFAULT" -> "21"))
      val described = spark.sql(s"DESCRIBE EXTENDED $t").collect().map(_.mkString(" "))
      assert(described.exists(_.contains("20 + 1")))
      spark.sql(s"CREATE OR REPLACE TABLE $t (id BIGINT, s STRING)")
      spark.sql(s"INSERT INTO $t (id) VALUES (1)")
      assert(rows(t) == Seq(Row(1L, null)))
    }
  }

  test("invalid defaults are rejected") {
    for (wrong <- Seq("INT DEFAULT 'x y'", "INT DEFAULT (SELECT 1)", "INT DEFAULT missing + 1")) {
      intercept[AnalysisException](spark.sql(s"CREATE TABLE lake.no_defaults (a $wrong)"))
      assert(!spark.catalog.tableExists("lake.no_defaults"), wrong)
    }
  }
}
