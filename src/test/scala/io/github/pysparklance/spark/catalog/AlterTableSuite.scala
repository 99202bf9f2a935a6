// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.catalog

import org.apache.spark.sql.{AnalysisException, DataFrame, Row}
import org.scalatest.Assertion
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.testkit.SparkErrors._
import io.github.pysparklance.testkit.{Pylance, SharedSpark, SparkLine, TemporaryFolder}

/** `ALTER TABLE` in a catalog of folders; pylance reads the table after each change. */
class AlterTableSuite extends AnyFunSuite with TemporaryFolder {
  private lazy val spark = SharedSpark.session
  private def sql(text: String): DataFrame = spark.sql(text)
  private def rows(text: String): Seq[Row] = sql(text).collect().toSeq

  override def beforeEach(): Unit = {
    super.beforeEach()
    sql("CREATE NAMESPACE lake.alt"): Unit
  }

  override def afterEach(): Unit = {
    sql("DROP NAMESPACE lake.alt CASCADE"): Unit
    super.afterEach()
  }

  private def property(table: String, key: String): String =
    sql(s"SHOW TBLPROPERTIES $table ('$key')").head().getString(1)
  private def version(table: String): Long = property(table, "lance.version").toLong
  private def path(table: String): String =
    sql(s"DESCRIBE TABLE EXTENDED $table").where("col_name = 'Location'").head().getString(1)

  /** One version for each statement. */
  private def alter(table: String)(statement: String): Assertion = {
    val before = version(table)
    sql(s"ALTER TABLE $table $statement")
    assert(version(table) == before + 1, statement)
    val numRows = sql(s"SELECT * FROM $table").count()
    assert(Pylance.validate(path(table)) == numRows, statement)
  }

  private def rejected(table: String, condition: String)(statement: String): String = {
    val before = version(table)
    val e = intercept[AnalysisException](sql(s"ALTER TABLE $table $statement"))
    assert(version(table) == before, statement)
    assert(condition.isEmpty || e.condition == condition, e.getMessage)
    e.getMessage
  }

  private def make(): String = {
    sql(
      "CREATE TABLE lake.alt.t (id INT NOT NULL, s STRUCT<a: INT, b: STRING>, " +
        "l ARRAY<STRUCT<x: INT>>, m MAP<STRING, INT>, v FLOAT) TBLPROPERTIES ('fileVersion' = '2.2')"
    )
    sql(
      "INSERT INTO lake.alt.t VALUES " +
        "(1, struct(1, 'a'), array(struct(1), struct(2)), map('k', 1), 0.5f), " +
        "(2, NULL, NULL, NULL, NULL)"
    )
    "lake.alt.t"
  }

  test("columns are added, dropped, renamed, commented, and moved at any depth") {
    val t = make()
    val change = alter(t) _
    change("ADD COLUMNS (n BIGINT COMMENT 'new', d DECIMAL(10, 2) FIRST, e DATE AFTER id)")
    assert(spark.table(t).columns.toSeq == Seq("d", "id", "e", "s", "l", "m", "v", "n"))
    change("ADD COLUMN s.c DOUBLE FIRST")
    change("ADD COLUMN l.element.y STRING")
    assert(rows(s"SELECT id, d, e, n, s, l FROM $t ORDER BY id") == Seq(
      Row(1, null, null, null, Row(null, 1, "a"), Seq(Row(1, null), Row(2, null))),
      Row(2, null, null, null, null, null)
    ))
    change("RENAME COLUMN s.b TO `B b`")
    change("RENAME COLUMN V TO w")
    change("ALTER COLUMN s.a COMMENT 'deep'")
    change("ALTER COLUMN w FIRST")
    change("ALTER COLUMN s.c AFTER a")
    assert(spark.table(t).schema("s").dataType.sql ==
      "STRUCT<a: INT COMMENT 'deep', c: DOUBLE, `B b`: STRING>")
    change("DROP COLUMNS (d, e, l.element.y)")
    sql(s"ALTER TABLE $t DROP COLUMN IF EXISTS nowhere")
    assert(spark.table(t).columns.toSeq == Seq("w", "id", "s", "l", "m", "n"))
    assert(rows(s"SELECT w, s.`B b`, l FROM $t WHERE id = 1") ==
      Seq(Row(0.5f, "a", Seq(Row(1), Row(2)))))
    sql(s"INSERT INTO $t VALUES (1.5f, 3, struct(3, 4.0, 'c'), NULL, NULL, 7)")
    assert(rows(s"SELECT n, s.c FROM $t WHERE id = 3") == Seq(Row(7L, 4.0)))
    change("ALTER COLUMN id DROP NOT NULL")
    sql(s"INSERT INTO $t (n) VALUES (9)")
    assert(rows(s"SELECT id FROM $t WHERE n = 9") == Seq(Row(null)))
    val described = sql(s"DESCRIBE $t").collect().map(r => r.getString(0) -> r.getString(2)).toMap
    assert(described("n") == "new")
  }

  test("queries that read only new members keep null structs and lists") {
    val t = make()
    sql(s"ALTER TABLE $t ADD COLUMNS (s.c INT, l.element.y STRING)")
    sql(s"INSERT INTO $t VALUES (3, struct(1, 'b', 7), array(struct(1, 'y')), NULL, NULL)")
    assert(rows(s"SELECT s.c, s IS NULL, l.y FROM $t ORDER BY id") == Seq(
      Row(null, false, Seq(null, null)),
      Row(null, true, null),
      Row(7, false, Seq("y"))
    ))
    assert(rows(s"SELECT id, e.y FROM $t LATERAL VIEW explode(l) AS e ORDER BY id") ==
      Seq(Row(1, null), Row(1, null), Row(3, "y")))
    assert(rows(s"SELECT count(s), max(s.c), size(max(l.y)) FROM $t") == Seq(Row(2L, 7, 1)))
    sql("SET spark.sql.optimizer.nestedSchemaPruning.enabled = true")
    sql(s"DELETE FROM $t WHERE (s IS NULL OR upper(s.b) = 'X') AND s.c IS NULL")
    assert(rows(s"SELECT id FROM $t ORDER BY id") == Seq(Row(1), Row(3)))
  }

  test("defaults of new columns, next to new members without defaults") {
    val t = make()
    val change = alter(t) _
    change("ADD COLUMNS (n INT NOT NULL DEFAULT 3 + 4, s.c INT, l.element.y INT, o STRING)")
    change("ADD COLUMN a ARRAY<INT> DEFAULT array(1, 2)")
    val found = rows(s"SELECT id, n, s, l, o, a FROM $t ORDER BY id")
    assert(found == Seq(
      Row(1, 7, Row(1, "a", null), Seq(Row(1, null), Row(2, null)), null, Seq(1, 2)),
      Row(2, 7, null, null, null, Seq(1, 2))
    ))
    val theirs = Pylance.rows(path(t))
    assert(theirs.map(_.get("n").asInt) == Seq(7, 7))
    assert(theirs.map(_.get("s").toString) == Seq("""{"a":1,"b":"a","c":null}""", "null"))
    sql(s"INSERT INTO $t (id) VALUES (3)")
    assert(rows(s"SELECT n, a FROM $t WHERE id = 3") == Seq(Row(7, Seq(1, 2))))
  }

  test("wider types, and several changes in one statement as one version") {
    val t = make()
    sql(s"INSERT INTO $t VALUES (3, struct(5, 'z'), NULL, map('q', 2), 1.25f)")
    val wider = Seq("id TYPE BIGINT", "s.a TYPE BIGINT", "v TYPE DOUBLE", "m.value TYPE BIGINT")
    if (SparkLine.isFrom("4.0")) alter(t)(s"ALTER COLUMN ${wider.mkString(", ")}")
    else // Spark 3.5 has one column in a statement
      wider.foreach(column => alter(t)(s"ALTER COLUMN $column"))
    alter(t)("ALTER COLUMN l.element.x TYPE BIGINT")
    assert(rows(s"SELECT * FROM $t ORDER BY id") == Seq(
      Row(1L, Row(1L, "a"), Seq(Row(1L), Row(2L)), Map("k" -> 1L), 0.5),
      Row(2L, null, null, null, null),
      Row(3L, Row(5L, "z"), null, Map("q" -> 2L), 1.25)
    ))
    sql(s"INSERT INTO $t (id) VALUES (${Long.MaxValue})")
    assert(rows(s"SELECT max(id) FROM $t") == Seq(Row(Long.MaxValue)))
    sql("CREATE TABLE lake.alt.c (a VARCHAR(3), d DECIMAL(5, 2), f ARRAY<FLOAT>) " +
      "TBLPROPERTIES ('f.arrow.fixed-size-list.size' = '2')")
    sql("INSERT INTO lake.alt.c VALUES ('abc', 1.25, array(1f, 2f))")
    alter("lake.alt.c")("ALTER COLUMN a TYPE VARCHAR(5)")
    alter("lake.alt.c")("ALTER COLUMN d TYPE DECIMAL(20, 3)")
    alter("lake.alt.c")("ALTER COLUMN f.element TYPE DOUBLE")
    sql("INSERT INTO lake.alt.c VALUES ('abcde', 12345678901234567.125, array(3d, 4d))")
    alter("lake.alt.c")("ALTER COLUMN a TYPE STRING")
    assert(rows("SELECT * FROM lake.alt.c ORDER BY d") == Seq(
      Row("abc", new java.math.BigDecimal("1.250"), Seq(1d, 2d)),
      Row("abcde", new java.math.BigDecimal("12345678901234567.125"), Seq(3d, 4d))
    ))
  }

  test("rejected changes leave the table unchanged") {
    val t = make()
    rejected(t, SparkLine.fieldExists)("ADD COLUMN ID INT")
    rejected(t, SparkLine.fieldExists)("RENAME COLUMN v TO id")
    assert(rejected(t, "")("ADD COLUMN k INT NOT NULL").contains("has rows"))
    val unknown =
      if (SparkLine.isFrom("4.0")) "UNRESOLVED_COLUMN.WITH_SUGGESTION"
      else "_LEGACY_ERROR_TEMP_1331"
    rejected(t, unknown)("DROP COLUMN nowhere")
    rejected(t, "NOT_SUPPORTED_CHANGE_COLUMN")("ALTER COLUMN id TYPE SMALLINT")
    val noted = rejected(t, "NOT_SUPPORTED_CHANGE_COLUMN")("ALTER COLUMN id TYPE STRING")
    assert(noted.contains("lake.alt.t") && noted.contains("INT") && noted.contains("STRING"))
    rejected(t, "CANNOT_UPDATE_FIELD.STRUCT_TYPE")("ALTER COLUMN s TYPE STRUCT<a: INT>")
    rejected(t, "")("ALTER COLUMN v SET NOT NULL")
    assert(rejected(t, "")("ADD COLUMN _rowid BIGINT").contains("reserved"))
    assert(rejected(t, "")("DROP COLUMNS (id, s, l, m, v)").contains("at least one column"))
    assert(rejected(t, "")("SET LOCATION '/elsewhere'").contains("another location"))
    assert(rejected(t, "")("SET TBLPROPERTIES ('lance.version' = '3')").contains("lance.version"))
    assert(rejected(
      t,
      ""
    )("SET TBLPROPERTIES ('fileVersion' = '2.1')").contains("only CREATE TABLE can set"))
    assert(rejected(
      t,
      ""
    )("SET TBLPROPERTIES ('v.lance.encoding' = 'blob')").contains("cannot change"))
    intercept[AnalysisException](sql("ALTER TABLE lake.alt.none ADD COLUMN a INT"))
  }

  test("REPLACE COLUMNS replaces the columns and keeps the rows") {
    val t = make()
    alter(t)("REPLACE COLUMNS (id BIGINT, w STRING)")
    assert(rows(s"SELECT * FROM $t") == Seq(Row(null, null), Row(null, null)))
  }

  test("pylance reads properties and the comment as configuration") {
    val t = make()
    alter(t)(
      "SET TBLPROPERTIES ('owner.team' = 'a', 'lance.auto_cleanup.interval' = '20', `x` = 'y')"
    )
    assert(property(t, "owner.team") == "a")
    val config = Pylance.run("result = dataset(path).config()", "path" -> path(t))
    assert(config.get("lance.auto_cleanup.interval").asText == "20")
    alter(t)("UNSET TBLPROPERTIES ('owner.team', 'x', 'nowhere')")
    assert(property(t, "owner.team").contains("does not have property"))
    val before = version(t)
    sql(s"ALTER TABLE $t UNSET TBLPROPERTIES IF EXISTS ('owner.team')")
    assert(version(t) == before)
    sql(s"COMMENT ON TABLE $t IS 'rows of things'")
    def described = sql(s"DESCRIBE TABLE EXTENDED $t").collect()
      .map(r => r.getString(0) -> r.getString(1)).toMap
    assert(described("Comment") == "rows of things")
    assert(described("Owner").nonEmpty && described("Provider") == "lance")
    sql(s"COMMENT ON TABLE $t IS NULL")
    assert(described.get("Comment").forall(_.isEmpty))
  }

  test("RENAME moves the folder, with its versions") {
    val t = make()
    sql(s"CACHE TABLE $t")
    sql(s"ALTER TABLE $t RENAME TO u")
    assert(!spark.catalog.tableExists(t) && spark.table("lake.alt.u").count() == 2)
    // Spark 3.5 searches the cache without the rules that prepare plans.
    assert(spark.catalog.isCached("lake.alt.u") == SparkLine.isFrom("4.0"))
    sql("CREATE TABLE lake.alt.t AS SELECT * FROM lake.alt.u WHERE id = 1")
    assert(rows("SELECT id FROM lake.alt.t") == Seq(Row(1)))
    sql("DROP TABLE lake.alt.t")
    sql("UNCACHE TABLE lake.alt.u")
    sql("CREATE NAMESPACE lake.alt.deep")
    sql("ALTER TABLE lake.alt.u RENAME TO lake.alt.deep.t")
    sql("ALTER TABLE lake.alt.deep.t RENAME TO alt.v")
    assert(rows("SELECT count(*) FROM lake.alt.v VERSION AS OF 2") == Seq(Row(2L)))
    assert(Pylance.versions(path("lake.alt.v")).length == 2)
    val other = "CREATE TABLE lake.alt.w AS SELECT 1 AS a"
    sql(other)
    def fails(text: String) = intercept[AnalysisException](sql(text)).condition
    assert(fails("ALTER TABLE lake.alt.v RENAME TO alt.w") == "TABLE_OR_VIEW_ALREADY_EXISTS")
    assert(fails("ALTER TABLE lake.alt.none RENAME TO alt.x") == "TABLE_OR_VIEW_NOT_FOUND")
    assert(fails("ALTER TABLE lake.alt.v RENAME TO nowhere.x") == "SCHEMA_NOT_FOUND")
    assert(spark.table("lake.alt.v").count() == 2)
  }

  test("TRUNCATE commits a version without rows") {
    val t = make()
    sql(s"ALTER TABLE $t SET TBLPROPERTIES ('k' = 'v')")
    sql(s"CACHE TABLE $t")
    val before = version(t)
    sql(s"TRUNCATE TABLE $t")
    assert(version(t) == before + 1 && spark.table(t).count() == 0 && property(t, "k") == "v")
    assert(rows(s"SELECT count(*) FROM $t VERSION AS OF $before") == Seq(Row(2L)))
    sql(s"TRUNCATE TABLE $t")
    assert(version(t) == before + 1)
    val last = Pylance.run(
      "result = type(dataset(path).get_transactions(1)[0].operation).__name__",
      "path" -> path(t)
    )
    assert(last.asText == "Delete" && Pylance.validate(path(t)) == 0)
    sql(s"INSERT INTO $t (id) VALUES (5)")
    assert(spark.table(t).count() == 1)
    sql(s"UNCACHE TABLE $t"): Unit
  }

  test("ALTER TABLE accepts paths") {
    val p = folder.resolve("by path").toString
    sql(s"CREATE TABLE lake.`$p` AS SELECT 1 AS a")
    sql(s"ALTER TABLE lake.`$p` ADD COLUMN b STRING")
    sql(s"ALTER TABLE lake.`$p` RENAME COLUMN a TO c")
    sql(s"INSERT INTO lake.`$p` VALUES (2, 'x')")
    assert(rows(s"SELECT c, b FROM lake.`$p` ORDER BY c") == Seq(Row(1, null), Row(2, "x")))
    sql(s"TRUNCATE TABLE lake.`$p`")
    assert(rows(s"SELECT * FROM lake.`$p`").isEmpty)
    assert(Pylance.schema(p).map(_.get("name").asText) == Seq("c", "b"))
    val e = intercept[AnalysisException](sql(s"ALTER TABLE lake.`$p` RENAME TO alt.x"))
    assert(e.getMessage.contains("by its path"))
    sql(s"DROP TABLE lake.`$p`")
    assert(!java.nio.file.Files.exists(folder.resolve("by path/_versions")))
  }

  test("ALTER NAMESPACE changes properties and the comment") {
    def described = sql("DESCRIBE NAMESPACE EXTENDED lake.alt").collect().map(_.toString).mkString
    sql("ALTER NAMESPACE lake.alt SET PROPERTIES ('a' = '1', 'b' = '2')")
    sql("COMMENT ON NAMESPACE lake.alt IS 'of tests'")
    assert(described.contains("of tests"))
    assert(described.contains("(a,1)") && described.contains("(b,2)"))
    if (SparkLine.isFrom("4.0")) { // Spark 3.5 has no UNSET for namespaces
      sql("ALTER NAMESPACE lake.alt UNSET PROPERTIES ('b')")
      assert(described.contains("(a,1)") && !described.contains("(b,2)"))
    }
    val e = intercept[AnalysisException](sql("ALTER NAMESPACE lake.alt SET LOCATION '/elsewhere'"))
    assert(e.getMessage.contains("LOCATION"))
  }
}
