// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.catalog

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.{DataFrame, Row}
import org.scalatest.BeforeAndAfterEach
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.testkit.SparkErrors._
import io.github.pysparklance.testkit.{Pylance, SharedSpark, SparkLine}

/** Storage and use of PRIMARY KEY, CHECK, and CLUSTER BY. */
class TableKeysSuite extends AnyFunSuite with BeforeAndAfterEach {
  private lazy val spark = SharedSpark.session
  private def sql(text: String): DataFrame = spark.sql(text)

  override def beforeEach(): Unit = {
    super.beforeEach()
    sql("CREATE NAMESPACE lake.keys"): Unit
  }

  override def afterEach(): Unit = {
    sql("DROP NAMESPACE lake.keys CASCADE"): Unit
    super.afterEach()
  }

  private def described(table: String): Map[String, String] =
    sql(s"DESCRIBE TABLE EXTENDED $table").collect().map(r =>
      r.getString(0) -> r.getString(1)
    ).toMap

  private def fieldMetadata(table: String, column: String): String =
    Pylance.schema(described(table)("Location")).find(_.get("name").asText == column).get
      .get("metadata").toString

  private def fails(text: String): (String, String) = {
    val thrown = intercept[Exception with SparkThrowable](sql(text).collect())
    // Spark 3.5 wraps errors of tasks in one without a condition.
    Iterator.iterate[Throwable](thrown)(_.getCause).takeWhile(_ != null).collectFirst {
      case e: SparkThrowable if e.condition != null => e.condition -> e.getMessage
    }.getOrElse("" -> thrown.getMessage)
  }

  /** The clause for a clustering key: Spark has CLUSTER BY since 4.0. */
  private val clusterBy = if (SparkLine.isFrom("4.0")) "CLUSTER BY" else "PARTITIONED BY"

  test("a primary key is metadata of fields that are NOT NULL") {
    sql("CREATE TABLE lake.keys.t (a INT, b STRING, c INT, " +
      "CONSTRAINT main_key PRIMARY KEY (b, a) NOT ENFORCED)")
    assert(!spark.table("lake.keys.t").schema("a").nullable)
    assert(fieldMetadata(
      "lake.keys.t",
      "b"
    ).contains("\"lance-schema:unenforced-primary-key:position\":\"1\""))
    assert(fieldMetadata(
      "lake.keys.t",
      "a"
    ).contains("\"lance-schema:unenforced-primary-key:position\":\"2\""))
    sql("INSERT INTO lake.keys.t VALUES (1, 'x', 1), (1, 'x', 2)")
    val ddl = sql("SHOW CREATE TABLE lake.keys.t").head().getString(0)
    // Before 4.1, Spark shows constraints as properties.
    val showsConstraints = SparkLine.isFrom("4.1")
    if (showsConstraints) assert(ddl.contains("CONSTRAINT main_key PRIMARY KEY (b, a)"), ddl)
    else assert(ddl.contains("'lance.spark.primary-key' = '[\"b\",\"a\"]'"), ddl)
    assert(fails(
      "ALTER TABLE lake.keys.t DROP CONSTRAINT main_key"
    )._2.contains("the format does not allow"))
    assert(fails("ALTER TABLE lake.keys.t ALTER COLUMN a DROP NOT NULL")._2.contains("primary key"))
    sql("CREATE TABLE lake.keys.u (id BIGINT NOT NULL, x INT)")
    assert(fails("ALTER TABLE lake.keys.u ADD CONSTRAINT k PRIMARY KEY (x) NOT ENFORCED")._2
      .contains("is nullable"))
    sql("ALTER TABLE lake.keys.u ADD CONSTRAINT k PRIMARY KEY (ID) NOT ENFORCED")
    val shown = sql("SHOW CREATE TABLE lake.keys.u").head().getString(0)
    if (showsConstraints) assert(shown.contains("CONSTRAINT k PRIMARY KEY (id)"), shown)
    else assert(shown.contains("'lance.spark.primary-key' = '[\"id\"]'"), shown)
    assert(fails("ALTER TABLE lake.keys.u ADD CONSTRAINT k PRIMARY KEY (id) NOT ENFORCED")._1 ==
      "CONSTRAINT_ALREADY_EXISTS")
    sql("CREATE TABLE lake.keys.w (id INT, CONSTRAINT k PRIMARY KEY (id) RELY)")
    if (showsConstraints)
      assert(described("lake.keys.w")("k").contains("NOT ENFORCED RELY"), described("lake.keys.w"))
    assert(fails("CREATE TABLE lake.keys.v (a INT UNIQUE NOT ENFORCED)")._2.contains("UNIQUE"))
  }

  test("a key column can be renamed, but not dropped") {
    sql("CREATE TABLE lake.keys.t (id INT, s STRUCT<day: STRING, x: INT>, n INT, " +
      s"CONSTRAINT k PRIMARY KEY (id)) $clusterBy (s.day)")
    for (column <- Seq("id", "s", "s.day"); text = s"ALTER TABLE lake.keys.t DROP COLUMN $column")
      assert(fails(text)._2.contains("key ("), text)
    assert(fails("ALTER TABLE lake.keys.t DROP COLUMN s.day")._2.contains("clustering key (s.day)"))
    sql("ALTER TABLE lake.keys.t DROP COLUMNS (n, s.x)")
    sql("ALTER TABLE lake.keys.t RENAME COLUMN id TO number")
    assert(described("lake.keys.t").contains("number"))
  }

  test("Spark evaluates CHECK constraints on every write") {
    sql("CREATE TABLE lake.keys.t (id INT, price DOUBLE, CONSTRAINT positive CHECK (price > 0))")
    sql("INSERT INTO lake.keys.t VALUES (1, 2.5), (2, NULL)")
    assert(fails("INSERT INTO lake.keys.t VALUES (3, -1)")._1 == "CHECK_CONSTRAINT_VIOLATION")
    assert(fails("INSERT OVERWRITE lake.keys.t VALUES (3, -1)")._1 == "CHECK_CONSTRAINT_VIOLATION")
    assert(spark.table("lake.keys.t").count() == 2)
    assert(fails("ALTER TABLE lake.keys.t ADD CONSTRAINT small CHECK (id < 2)")._1 ==
      "NEW_CHECK_CONSTRAINT_VIOLATION")
    sql("ALTER TABLE lake.keys.t ADD CONSTRAINT small CHECK (id < 10)")
    assert(fails("INSERT INTO lake.keys.t VALUES (30, 1)")._1 == "CHECK_CONSTRAINT_VIOLATION")
    assert(fails("ALTER TABLE lake.keys.t DROP COLUMN price")._2.contains("positive"))
    assert(fails("ALTER TABLE lake.keys.t RENAME COLUMN id TO other")._2.contains("small"))
    val config =
      Pylance.run("result = dataset(path).config()", "path" -> described("lake.keys.t")("Location"))
    assert(config.get("lance.spark.constraint.small").asText == "id < 10")
    sql("ALTER TABLE lake.keys.t DROP CONSTRAINT SMALL")
    sql("INSERT INTO lake.keys.t VALUES (30, 1)")
    assert(fails("ALTER TABLE lake.keys.t DROP CONSTRAINT small")._1 == "CONSTRAINT_DOES_NOT_EXIST")
    sql("ALTER TABLE lake.keys.t DROP CONSTRAINT IF EXISTS small")
    sql("ALTER TABLE lake.keys.t ADD CONSTRAINT small CHECK (id < 100) RELY")
    if (SparkLine.isFrom("4.1"))
      assert(described("lake.keys.t")("small").contains("RELY"), described("lake.keys.t"))
    sql("INSERT INTO lake.keys.t VALUES (31, 1)")
    sql("ALTER TABLE lake.keys.t DROP CONSTRAINT small")
    assert(!Pylance.run(
      "result = dataset(path).config()",
      "path" -> described("lake.keys.t")("Location")
    ).toString.contains("small"))
    assert(fails("ALTER TABLE lake.keys.t SET TBLPROPERTIES ('lance.spark.constraint.x' = 'y')")._2
      .contains("ADD and DROP CONSTRAINT"))
    // Spark has no plan for ALTER TABLE with such a condition, so it checks no rows.
    sql("CREATE TABLE lake.keys.n (id INT, CONSTRAINT unknown CHECK (NULL))")
    sql("INSERT INTO lake.keys.n VALUES (1)")
    sql("CREATE OR REPLACE TABLE lake.keys.t AS SELECT 'a' AS price")
    sql("INSERT INTO lake.keys.t VALUES ('b')")
    assert(spark.table("lake.keys.t").count() == 2)
  }

  test("CLUSTER BY and PARTITIONED BY columns are the clustering key") {
    sql(s"CREATE TABLE lake.keys.t (a INT, s STRUCT<b: INT>, c INT) $clusterBy (c, s.b)")
    assert(fieldMetadata(
      "lake.keys.t",
      "c"
    ).contains("\"lance-schema:unenforced-clustering-key:position\":\"1\""))
    assert(fieldMetadata(
      "lake.keys.t",
      "b"
    ).contains("\"lance-schema:unenforced-clustering-key:position\":\"2\""))
    sql("CREATE TABLE lake.keys.p (dt STRING, v INT) PARTITIONED BY (dt)")
    sql("INSERT INTO lake.keys.p VALUES ('x', 1), ('y', 2)")
    assert(spark.table("lake.keys.p").count() == 2)
    val ddl = sql("SHOW CREATE TABLE lake.keys.p").head().getString(0)
    assert(ddl.contains("PARTITIONED BY (dt)"), ddl)
    if (SparkLine.isFrom("4.0")) {
      sql("CREATE TABLE lake.keys.u (a INT, b INT)")
      sql("ALTER TABLE lake.keys.u CLUSTER BY (b)")
      assert(fieldMetadata("lake.keys.u", "b").contains("clustering-key:position\":\"1\""))
      assert(
        fails("ALTER TABLE lake.keys.u CLUSTER BY (a)")._2.contains("the format does not allow")
      )
      assert(
        fails("ALTER TABLE lake.keys.u CLUSTER BY NONE")._2.contains("the format does not allow")
      )
    }
    assert(
      fails("CREATE TABLE lake.keys.b (a INT) PARTITIONED BY (bucket(4, a))")._2.contains("bucket")
    )
  }

  test("a clustering key is described by the clause that created it") {
    assume(SparkLine.isFrom("4.0"), "Spark has CLUSTER BY since 4.0")
    sql("CREATE TABLE lake.keys.c (dt STRING, v INT) CLUSTER BY (dt)")
    sql("CREATE TABLE lake.keys.p (dt STRING, v INT) PARTITIONED BY (dt)")
    assert(described("lake.keys.c").contains("# Clustering Information"))
    assert(described("lake.keys.p").contains("# Partition Information"))
    val ddl = sql("SHOW CREATE TABLE lake.keys.c").head().getString(0)
    sql(ddl.linesIterator.filterNot(_.startsWith("LOCATION")).mkString("\n")
      .replace("lake.keys.c", "lake.keys.d"))
    assert(described("lake.keys.d").contains("# Clustering Information"))
    assert(!sql("SHOW TBLPROPERTIES lake.keys.p").collect()
      .exists(_.getString(0).contains("partitioned")))
    Seq("c", "p").foreach { t =>
      sql(s"INSERT INTO lake.keys.$t VALUES ('x', 1), ('y', 2)")
      sql(s"INSERT OVERWRITE lake.keys.$t PARTITION (dt = 'x') SELECT 3")
      assert(sql(s"SELECT * FROM lake.keys.$t ORDER BY dt").collect().toSeq ==
        Seq(Row("x", 3), Row("y", 2)))
    }
    sql("CREATE OR REPLACE TABLE lake.keys.p (dt STRING, v INT) CLUSTER BY (v)")
    assert(described("lake.keys.p").contains("# Clustering Information"))
  }

  test("the statement of SHOW CREATE TABLE creates the same table") {
    sql("CREATE TABLE lake.keys.t (id INT NOT NULL COMMENT 'the key', s STRUCT<a: VARCHAR(3)>, " +
      "CONSTRAINT p PRIMARY KEY (id) NOT ENFORCED, CONSTRAINT q CHECK (id > 0)) " +
      "COMMENT 'all things' TBLPROPERTIES ('my.key' = 'v')")
    val ddl = sql("SHOW CREATE TABLE lake.keys.t").head().getString(0)
    val again = ddl.replace("lake.keys.t", "lake.keys.u").linesIterator
      .filterNot(l => l.startsWith("LOCATION")).mkString("\n")
    sql(again)
    def shown(t: String) = sql(s"SHOW CREATE TABLE $t").head().getString(0).replace(t, "")
      .linesIterator.filterNot(_.startsWith("LOCATION")).toSeq
    assert(shown("lake.keys.u") == shown("lake.keys.t"))
    assert(ddl.contains("COMMENT 'all things'") && ddl.contains("VARCHAR(3)"))
    // Spark 3.5 has SHOW COLUMNS for its session catalog only.
    if (SparkLine.isFrom("4.0"))
      assert(sql("SHOW COLUMNS IN lake.keys.t").collect().toSeq == Seq(Row("id"), Row("s")))
    val properties = sql("SHOW TBLPROPERTIES lake.keys.t").collect().map(_.getString(0)).toSet
    val ofConstraints = Set("primary-key", "primary-key.name", "constraint.q")
    assert(properties == Set("my.key", "lance.version", "lance.fileVersion") ++
      (if (SparkLine.isFrom("4.1")) Set.empty else ofConstraints.map("lance.spark." + _)))
  }
}
