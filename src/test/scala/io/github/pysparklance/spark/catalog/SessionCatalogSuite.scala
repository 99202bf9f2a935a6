// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.catalog

import java.net.URI

import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.{AnalysisException, Row, SparkSession}
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.Schema
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.testkit.{Classic, SharedSpark, SparkLine, TemporaryFolder}

/** `USING lance` in `spark_catalog`, with and without
  * [[io.github.pysparklance.spark.LanceSessionCatalog]].
  */
class SessionCatalogSuite extends AnyFunSuite with TemporaryFolder {
  private val implementation = "io.github.pysparklance.spark.LanceSessionCatalog"

  private def session(catalog: Option[String]): SparkSession = {
    val s = SharedSpark.newInterpreted()
    catalog.foreach(s.conf.set("spark.sql.catalog.spark_catalog", _))
    s
  }

  private def record(spark: SparkSession, table: String): CatalogTable =
    Classic.session(spark).sharedState.externalCatalog.getTable("default", table)

  // Spark's own session catalog cannot read tables of sources with catalogs before 4.0.
  private val catalogs = Seq("Lance's" -> Some(implementation)) ++
    Seq("Spark's own" -> None).filter(_ => SparkLine.isFrom("4.0"))

  test("Spark's own: new tables are rejected if they would not be readable") {
    assume(!SparkLine.isFrom("4.0"))
    for (
      statement <-
        Seq("CREATE TABLE own (a INT) USING lance", "CREATE TABLE own USING lance AS SELECT 1")
    ) {
      val e = intercept[AnalysisException](session(None).sql(statement))
      assert(e.getMessage.contains("LanceSessionCatalog"), statement)
    }
  }

  for ((name, catalog) <- catalogs) {

    /** Spark's own session catalog has tables of other sources since 4.0. */
    def testTables(title: String)(body: => Any): Unit = test(s"$name: $title") {
      assume(catalog.isDefined || SparkLine.isFrom("4.0"))
      body
    }

    testTables("a managed table") {
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

    testTables("LOCATION, new and over a table that is there") {
      val spark = session(catalog)
      val path = folder.resolve("t").toString
      try {
        spark.sql(s"CREATE TABLE placed (a INT) USING lance LOCATION '$path'")
        spark.sql("INSERT INTO placed VALUES (1)")
        assert(spark.read.format("lance").load(path).collect().toSeq == Seq(Row(1)))
        spark.sql("DROP TABLE placed")
        assert(LanceTable.exists(Storage.local, path))
        if (catalog.isDefined) {
          def rejected(text: String) = intercept[AnalysisException](spark.sql(text)).getMessage
          val wrong = rejected(s"CREATE TABLE placed USING lance LOCATION '$path.typo'")
          assert(wrong.contains("PATH_NOT_FOUND"))
          assert(!LanceTable.exists(Storage.local, s"$path.typo"))
          val noted = s"CREATE TABLE placed USING lance LOCATION '$path' TBLPROPERTIES (p = '1')"
          assert(rejected(noted).contains("properties: p."))
        }
        spark.sql(s"CREATE TABLE placed USING lance LOCATION '$path'")
        assert(spark.table("placed").collect().toSeq == Seq(Row(1)))
      } finally spark.sql("DROP TABLE IF EXISTS placed"): Unit
    }

    testTables("CREATE TABLE AS SELECT, saveAsTable, and other providers") {
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

  test("Lance's: ALTER changes the table and the record") {
    val spark = session(Some(implementation))
    try {
      spark.sql(
        "CREATE TABLE changed (a INT, b STRUCT<c: INT>) USING lance TBLPROPERTIES ('k' = 'v')"
      )
      spark.sql("INSERT INTO changed VALUES (1, struct(2))")
      spark.sql("ALTER TABLE changed ADD COLUMNS (d STRING COMMENT 'new', b.e INT)")
      spark.sql("ALTER TABLE changed ALTER COLUMN a TYPE BIGINT")
      spark.sql("ALTER TABLE changed RENAME COLUMN a TO z")
      spark.sql("ALTER TABLE changed UNSET TBLPROPERTIES ('k')")
      spark.sql("COMMENT ON TABLE changed IS 'noted'")
      assert(spark.table("changed").collect().toSeq == Seq(Row(1L, Row(2, null), null)))
      val known = record(spark, "changed")
      assert(known.schema.simpleString == "struct<z:bigint,b:struct<c:int,e:int>,d:string>")
      assert(!known.properties.contains("k") && known.comment.contains("noted"))
      spark.sql("ALTER TABLE changed RENAME TO renamed")
      assert(spark.table("renamed").count() == 1)
      spark.sql("TRUNCATE TABLE renamed")
      assert(spark.table("renamed").count() == 0)
      intercept[AnalysisException](spark.sql("ALTER TABLE renamed ADD COLUMN z INT"))
      spark.sql("CREATE TABLE other (a INT) USING parquet")
      spark.sql("ALTER TABLE other ADD COLUMN b INT")
      assert(spark.table("other").columns.toSeq == Seq("a", "b"))
    } finally Seq("changed", "renamed", "other").foreach(t => spark.sql(s"DROP TABLE IF EXISTS $t"))
  }

  test(
    "Lance's: CREATE and REPLACE with rows commit one version, and a failure leaves nothing behind"
  ) {
    val spark = session(Some(implementation))
    def version(t: String) =
      spark.sql(s"SHOW TBLPROPERTIES $t ('lance.version')").head().getString(1)
    try {
      spark.sql("CREATE TABLE atom USING lance AS SELECT 1 AS a")
      assert(version("atom") == "1")
      spark.sql("CREATE OR REPLACE TABLE atom USING lance AS SELECT 'x' AS b")
      assert(version("atom") == "2" && spark.table("atom").collect().toSeq == Seq(Row("x")))
      assert(record(spark, "atom").schema.simpleString == "struct<b:string>")
      val fails = "USING lance AS SELECT raise_error('stop') AS x"
      intercept[Exception](spark.sql(s"REPLACE TABLE atom $fails").collect())
      assert(version("atom") == "2" && spark.table("atom").count() == 1)
      intercept[Exception](spark.sql(s"CREATE TABLE never $fails").collect())
      assert(!spark.catalog.tableExists("never"))
      intercept[AnalysisException](spark.sql("REPLACE TABLE never USING lance AS SELECT 1 AS a"))
      SparkLine.withSession(spark) {
        spark.range(3).write.format("lance").mode("overwrite").saveAsTable("atom")
      }
      assert(version("atom") == "3" && spark.table("atom").count() == 3)
    } finally Seq("atom", "never").foreach(t => spark.sql(s"DROP TABLE IF EXISTS $t"))
  }

  test("Lance's: a table of another provider is not replaced") {
    val spark = session(Some(implementation))
    try {
      spark.sql("CREATE TABLE plain USING parquet AS SELECT 1 AS a")
      for (
        query <- Seq("SELECT * FROM plain", "SELECT raise_error('stop') AS x", "SELECT 2 AS a")
      ) {
        val e = intercept[AnalysisException](
          spark.sql(s"CREATE OR REPLACE TABLE plain USING lance AS $query")
        )
        assert(e.getCondition == "UNSUPPORTED_FEATURE.TABLE_OPERATION")
        assert(spark.table("plain").collect().toSeq == Seq(Row(1)), query)
      }
    } finally spark.sql("DROP TABLE IF EXISTS plain"): Unit
  }

  test("Lance's: a failed CREATE TABLE AS SELECT keeps the table of another writer") {
    val spark = session(Some(implementation))
    val warehouse = new URI(spark.catalog.getDatabase("default").locationUri).getPath
    val path = s"$warehouse/raced"
    spark.udf.register(
      "raced",
      (id: Long) => {
        if (!LanceTable.exists(Storage.local, path))
          LanceTable.create(Storage.local, path, Schema(IndexedSeq.empty)): Unit
        id
      }
    )
    try {
      val e = intercept[Exception](
        spark.sql("CREATE TABLE raced USING lance AS SELECT raced(id) AS id FROM range(1)")
      )
      assert(LanceTable.exists(Storage.local, path), e)
    } finally spark.sql("DROP TABLE IF EXISTS raced"): Unit
  }

  test("Lance's: keys and constraints") {
    val spark = session(Some(implementation))
    try {
      spark.sql("CREATE TABLE keyed (id INT, p INT, CONSTRAINT k PRIMARY KEY (id) NOT ENFORCED, " +
        "CONSTRAINT c CHECK (p > 0)) USING lance PARTITIONED BY (p)")
      spark.sql("INSERT INTO keyed VALUES (1, 1)")
      intercept[Exception](spark.sql("INSERT INTO keyed VALUES (1, -1)").collect())
      val ddl = spark.sql("SHOW CREATE TABLE keyed").head().getString(0)
      if (SparkLine.isFrom("4.1"))
        assert(ddl.contains("PRIMARY KEY (id)") && ddl.contains("CHECK (p > 0)"), ddl)
      else assert(ddl.contains("'lance.spark.constraint.c' = 'p > 0'"), ddl)
      assert(ddl.contains("PARTITIONED BY (p)"), ddl)
    } finally spark.sql("DROP TABLE IF EXISTS keyed"): Unit
  }
}
