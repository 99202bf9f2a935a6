// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.catalog

import java.nio.file.{Files, Path, Paths}

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.spark.sql.catalyst.analysis.NamespaceAlreadyExistsException
import org.apache.spark.sql.{AnalysisException, DataFrame, Row}
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.LogicalType
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.testkit.SparkErrors._
import io.github.pysparklance.testkit.{SharedSpark, TemporaryFolder}

/** `LanceCatalog` over a folder, here named `lake`. */
class LanceCatalogSuite extends AnyFunSuite with TemporaryFolder {
  private lazy val spark = SharedSpark.session
  private def sql(text: String): DataFrame = spark.sql(text)
  private def names(df: DataFrame): Set[String] = df.collect().map(_.getString(1)).toSet

  override def beforeEach(): Unit = {
    super.beforeEach()
    sql("CREATE NAMESPACE lake.db"): Unit
  }

  override def afterEach(): Unit = {
    sql("DROP NAMESPACE lake.db CASCADE"): Unit
    super.afterEach()
  }

  test("names that cannot be folders are rejected") {
    for ((name, words) <- Seq("a\\b" -> "a slash, backslash", "x" * 250 -> "255 at most"))
      for (
        text <- Seq(
          s"CREATE TABLE lake.db.`$name` (id BIGINT)",
          s"SELECT * FROM lake.db.`$name`",
          s"CREATE NAMESPACE lake.db.`$name`"
        )
      ) {
        val e = intercept[AnalysisException](sql(text).collect())
        assert(e.condition == "LANCE_INVALID_REQUEST" && e.getMessage.contains(words), text)
      }
  }

  test("names with slashes and dots lead to no other folder") {
    val warehouse = Paths.get(spark.conf.get("spark.sql.catalog.lake.warehouse"))
    def all: Set[Path] = Using.resource(Files.walk(warehouse))(_.iterator.asScala.toSet)
    val before = all
    def rejected(text: String): AnalysisException =
      withClue(text)(intercept[AnalysisException](sql(text).collect()))
    for (name <- Seq("a/b", "../a", "/a")) {
      val e = rejected(s"CREATE TABLE lake.db.`$name` (id BIGINT)")
      assert(e.getMessage.contains("a slash, backslash"), name)
      rejected(s"CREATE NAMESPACE lake.db.`$name`")
      rejected(s"SELECT * FROM lake.db.`$name`")
      rejected(s"DROP TABLE lake.db.`$name`")
    }
    for (name <- Seq("..", ".")) {
      assert(rejected(s"CREATE NAMESPACE lake.db.`$name`").getMessage.contains("cannot name"))
      rejected(s"CREATE TABLE lake.db.`$name`.t (id BIGINT)")
      rejected(s"SELECT * FROM lake.db.`$name`.t")
      rejected(s"DROP TABLE lake.db.`$name`.t")
      rejected(s"DROP NAMESPACE lake.db.`$name` CASCADE")
      sql(s"CREATE TABLE lake.db.`$name` (id BIGINT)")
      assert(Files.isDirectory(warehouse.resolve("db").resolve(s"$name.lance")))
      sql(s"DROP TABLE lake.db.`$name`")
    }
    assert(all == before)
  }

  test("create, insert, read, overwrite, drop") {
    sql("CREATE TABLE lake.db.t (id BIGINT NOT NULL COMMENT 'key', s STRING) USING lance")
    assert(sql("SELECT * FROM lake.db.t").collect().isEmpty)
    sql("INSERT INTO lake.db.t VALUES (1, 'a'), (2, NULL)")
    sql("INSERT INTO lake.db.t (s, id) VALUES ('c', 3)")
    assert(sql("SELECT id, s FROM lake.db.t ORDER BY id").collect().toSeq ==
      Seq(Row(1L, "a"), Row(2L, null), Row(3L, "c")))
    assert(sql("SELECT * FROM lake.db.t VERSION AS OF 2").count() == 2)
    sql("INSERT OVERWRITE lake.db.t VALUES (9, 'z')")
    assert(sql("SELECT * FROM lake.db.t").collect().toSeq == Seq(Row(9L, "z")))
    val described = sql("DESCRIBE TABLE EXTENDED lake.db.t").collect().map(r => r.getString(0) -> r)
    assert(described.toMap.apply("id").getString(2) == "key")
    assert(described.toMap.apply("Provider").getString(1) == "lance")
    assert(names(sql("SHOW TABLES IN lake.db")) == Set("t"))
    sql("DROP TABLE lake.db.t")
    assert(names(sql("SHOW TABLES IN lake.db")).isEmpty)
    assert(!spark.catalog.tableExists("lake.db.t"))
    intercept[AnalysisException](sql("SELECT * FROM lake.db.t"))
  }

  test("CREATE TABLE AS SELECT and REPLACE are atomic, and commit one version") {
    sql("CREATE TABLE lake.db.t AS SELECT id, id * 2 AS d FROM range(100)")
    assert(version("db.t") == 1 && sql("SELECT sum(d) FROM lake.db.t").head().getLong(0) == 9900)
    val e = intercept[AnalysisException](sql("CREATE TABLE lake.db.t AS SELECT 1 AS x"))
    assert(e.getMessage.contains("already exists"))
    sql("CREATE TABLE IF NOT EXISTS lake.db.t AS SELECT 1 AS x")
    sql("CREATE OR REPLACE TABLE lake.db.t AS SELECT 'a' AS x")
    assert(version("db.t") == 2 && sql("SELECT * FROM lake.db.t").collect().toSeq == Seq(Row("a")))
    intercept[Exception](sql("CREATE TABLE lake.db.u AS SELECT raise_error('stop') AS x").collect())
    assert(!spark.catalog.tableExists("lake.db.u"))
    intercept[Exception](
      sql("REPLACE TABLE lake.db.t AS SELECT raise_error('stop') AS x").collect()
    )
    assert(version("db.t") == 2)
  }

  private def version(name: String): Long =
    sql(s"SHOW TBLPROPERTIES lake.$name ('lance.version')").head().getString(1).toLong

  test("table properties: file version and vectors") {
    sql(
      "CREATE TABLE lake.db.v (v ARRAY<FLOAT>) " +
        "TBLPROPERTIES ('v.arrow.fixed-size-list.size' = '2', 'fileVersion' = '2.1')"
    )
    sql("INSERT INTO lake.db.v VALUES (array(1.0f, 2.0f)), (NULL)")
    val location = sql("DESCRIBE TABLE EXTENDED lake.db.v").where("col_name = 'Location'")
    val table = LanceTable.open(Storage.local, location.head().getString(1))
    assert(table.fileVersion.text == "2.1")
    assert(table.schema.fields.head.logicalType == LogicalType.FixedSizeList(LogicalType.Float, 2))
    assert(sql("SELECT * FROM lake.db.v").collect().toSeq == Seq(Row(Seq(1f, 2f)), Row(null)))
  }

  test("namespaces are folders") {
    sql("CREATE NAMESPACE lake.db.inner COMMENT 'nested'")
    sql("CREATE TABLE lake.db.inner.t AS SELECT 1 AS a")
    assert(sql("SHOW NAMESPACES IN lake.db").collect().map(_.getString(0)).toSeq == Seq("db.inner"))
    assert(names(sql("SHOW TABLES IN lake.db")).isEmpty)
    val described = sql("DESCRIBE NAMESPACE lake.db.inner").collect().map(_.toString).mkString
    assert(described.contains("nested"))
    intercept[NamespaceAlreadyExistsException](sql("CREATE NAMESPACE lake.db"))
    intercept[AnalysisException](sql("DROP NAMESPACE lake.db.inner"))
    intercept[AnalysisException](sql("SHOW TABLES IN lake.nowhere"))
    intercept[AnalysisException](sql("CREATE TABLE lake.nowhere.t (a INT)"))
  }

  test("a name with a slash is a path") {
    val path = folder.resolve("anywhere").toString
    sql(s"CREATE TABLE lake.`$path` AS SELECT 5 AS a")
    assert(sql(s"SELECT * FROM lake.`$path`").collect().toSeq == Seq(Row(5)))
    assert(spark.read.format("lance").load(path).count() == 1)
  }

  test("files of other formats are read by path if the catalog is current") {
    val session = spark.newSession()
    val path = folder.resolve("p").toString
    session.range(3).write.parquet(path)
    session.sql("USE lake")
    assert(session.sql(s"SELECT * FROM parquet.`$path`").count() == 3)
  }

  test("unsupported requests are rejected by name") {
    def rejected(text: String): String = intercept[AnalysisException](sql(text)).getMessage
    assert(
      rejected("CREATE TABLE lake.db.t (a INT) PARTITIONED BY (years(a))").contains("partitions")
    )
    assert(rejected("CREATE TABLE lake.db.t (a INT) LOCATION '/tmp/x'").contains("LOCATION"))
    assert(rejected("CREATE TABLE lake.db.t (a INT) USING parquet").contains("parquet"))
    assert(rejected("CREATE TABLE lake.db.`../t` (a INT)").contains("../t"))
  }

  test("loads by path use neither this catalog nor a catalog named lance") {
    val session = spark.newSession()
    session.conf.set("spark.sql.catalog.lance", "io.github.pysparklance.spark.LanceCatalog")
    session.conf.set("spark.sql.catalog.lance.root", folder.resolve("other").toString)
    val path = folder.resolve("p").toString
    session.range(4).write.format("lance").save(path)
    assert(session.read.format("lance").load(path).count() == 4)
    session.sql("CREATE TABLE lance.t AS SELECT 1 AS a"): Unit
    assert(session.sql("SELECT * FROM lance.t").count() == 1)
    assert(session.sql(s"SELECT * FROM lance.`$path`").count() == 4)
  }
}
