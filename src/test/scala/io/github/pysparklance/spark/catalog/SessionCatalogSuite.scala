// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.catalog

import org.apache.spark.sql.{AnalysisException, Row, SparkSession}
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.testkit.{SharedSpark, TemporaryFolder}

/** `USING lance` in `spark_catalog`: with [[io.github.pysparklance.spark.LanceSessionCatalog]], and as Spark has it. */
class SessionCatalogSuite extends AnyFunSuite with TemporaryFolder {
  private val implementation = "io.github.pysparklance.spark.LanceSessionCatalog"

  private def session(catalog: Option[String]): SparkSession = {
    val s = SharedSpark.session.newSession()
    catalog.foreach(s.conf.set("spark.sql.catalog.spark_catalog", _))
    s
  }

  for ((name, catalog) <- Seq("Lance's" -> Some(implementation), "Spark's own" -> None)) {

    test(s"$name: a managed table") {
      val spark = session(catalog)
      spark.sql("CREATE TABLE managed (id BIGINT, s STRING) USING lance")
      try {
        assert(spark.table("managed").collect().isEmpty)
        spark.sql("INSERT INTO managed VALUES (1, 'a'), (2, NULL)")
        spark.range(3, 5).selectExpr("id", "'x' AS s").writeTo("managed").append()
        assert(spark.table("managed").orderBy("id").collect().toSeq ==
          Seq(Row(1L, "a"), Row(2L, null), Row(3L, "x"), Row(4L, "x")))
        spark.sql("INSERT OVERWRITE managed VALUES (7, 'b')")
        assert(spark.table("managed").collect().toSeq == Seq(Row(7L, "b")))
        val tables = spark.sql("SHOW TABLES").collect().map(_.getString(1)).toSet
        assert(tables.contains("managed"))
        val location = spark.sql("DESCRIBE TABLE EXTENDED managed").where("col_name = 'Location'")
        val path = location.head().getString(1)
        assert(LanceTable.exists(Storage.local, path))
        spark.sql("DROP TABLE managed")
        assert(!LanceTable.exists(Storage.local, path))
      } finally spark.sql("DROP TABLE IF EXISTS managed"): Unit
    }

    test(s"$name: LOCATION, new and over a table that is there") {
      val spark = session(catalog)
      val path = folder.resolve("t").toString
      try {
        spark.sql(s"CREATE TABLE placed (a INT) USING lance LOCATION '$path'")
        spark.sql("INSERT INTO placed VALUES (1)")
        assert(spark.read.format("lance").load(path).collect().toSeq == Seq(Row(1)))
        spark.sql("DROP TABLE placed")
        assert(LanceTable.exists(Storage.local, path))
        spark.sql(s"CREATE TABLE placed USING lance LOCATION '$path'")
        assert(spark.table("placed").collect().toSeq == Seq(Row(1)))
      } finally spark.sql("DROP TABLE IF EXISTS placed"): Unit
    }

    test(s"$name: CREATE TABLE AS SELECT, saveAsTable, and other providers") {
      val spark = session(catalog)
      try {
        spark.sql("CREATE TABLE made USING lance AS SELECT id FROM range(10)")
        assert(spark.table("made").count() == 10)
        spark.range(5).write.format("lance").saveAsTable("saved")
        assert(spark.table("saved").count() == 5)
        spark.sql("CREATE TABLE plain USING parquet AS SELECT 1 AS a")
        assert(spark.table("plain").collect().toSeq == Seq(Row(1)))
        val joined = spark.sql("SELECT count(*) FROM made JOIN saved USING (id)")
        assert(joined.head().getLong(0) == 5)
        intercept[AnalysisException](spark.sql("CREATE TABLE made (a INT) USING lance"))
      } finally Seq("made", "saved", "plain").foreach(t => spark.sql(s"DROP TABLE IF EXISTS $t"))
    }
  }
}
