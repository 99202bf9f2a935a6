// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql

import org.apache.spark.sql.functions.col
import org.apache.spark.sql.{Row, SparkSession}
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.{Assertion, Outcome}

import io.github.pysparklance.testkit.{Pylance, SharedSpark, TemporaryFolder}

/** Every kind of statement of `docs/sql.md` on CHAR and VARCHAR columns, including nested ones,
  * which are strings with metadata in Spark's plans.
  */
class TypedColumnsSuite extends AnyFunSuite with TemporaryFolder {
  private var spark: SparkSession = _

  override def withFixture(test: NoArgTest): Outcome = {
    // A session never unloads its catalogs.
    spark = SharedSpark.newInterpreted()
    super.withFixture(test)
  }

  private val types = "id INT, c CHAR(3), v VARCHAR(5), s STRUCT<c: CHAR(2), v: VARCHAR(4)>, " +
    "l ARRAY<VARCHAR(3)>, m MAP<STRING, VARCHAR(3)>"

  private def sql(statement: String): Seq[Row] =
    try spark.sql(statement).collect().toSeq
    catch { case e: Exception => throw new AssertionError(s"$statement\n$e", e) }

  private def fails(statement: String): Assertion = {
    val e = intercept[Exception](spark.sql(statement).collect())
    assert(e.toString.contains("EXCEED_LIMIT_LENGTH"), s"$statement\n$e")
  }

  private def row(id: Int, c: String, v: String): String =
    s"($id, '$c', '$v', named_struct('c', '$c', 'v', '$v'), array('$v'), map('k', '$v'))"

  private def create(name: String = "lance.t", more: String = "PARTITIONED BY (c)"): Unit = {
    spark.conf.set("spark.sql.catalog.lance.root", folder.resolve("lance").toString)
    sql(s"CREATE TABLE $name ($types) $more")
    sql(
      s"INSERT INTO $name VALUES ${row(1, "a", "x")}, ${row(2, "b", "y")}, ${row(3, "c", "z")}"
    ): Unit
  }

  private def triples: Seq[(Int, String, String)] =
    sql("SELECT id, c, v FROM lance.t ORDER BY id").map(r =>
      (r.getInt(0), r.getString(1), r.getString(2))
    )

  private def query(id: Int, c: String, v: String): String =
    s"SELECT * FROM VALUES ${row(id, c, v)}"

  private def path: String = folder.resolve("lance").resolve("t.lance").toString

  test("writes that replace rows by condition") {
    create()
    sql(s"INSERT INTO lance.t REPLACE WHERE c = 'a' ${query(10, "a", "n1")}")
    assert(triples == Seq((2, "b  ", "y"), (3, "c  ", "z"), (10, "a  ", "n1")))
    sql(s"INSERT INTO lance.t REPLACE WHERE v = 'y' AND s.v = 'y' ${query(11, "b", "n2")}")
    val rows = spark.sql(query(12, "c", "n3")).toDF(spark.table("lance.t").columns.toSeq: _*)
    rows.writeTo("lance.t").overwrite(col("c") === "c")
    assert(triples == Seq((10, "a  ", "n1"), (11, "b  ", "n2"), (12, "c  ", "n3")))
    rows.write.format("lance").mode("overwrite").option(
      "replaceWhere",
      "c = 'c' AND v >= 'n'"
    ).save(path)
    rows.write.format("lance").mode("overwrite").option("replaceWhere", "v = 'n3'").save(path)
    assert(triples.length == 3)
    fails(s"INSERT INTO lance.t REPLACE WHERE c = 'a' ${query(13, "a", "toolong")}")
    assert(sql("SELECT s.c, s.v, l[0], m['k'] FROM lance.t WHERE id = 12") == Seq(Row(
      "c ",
      "n3",
      "n3",
      "n3"
    )))
    assert(Pylance.validate(path) == 3)
  }

  for (mode <- Seq("static", "dynamic"))
    test(s"the PARTITION clause and keys of rows, mode $mode") {
      create()
      spark.conf.set("spark.sql.sources.partitionOverwriteMode", mode)
      try {
        def into(c: String, rows: String) =
          sql(s"INSERT OVERWRITE lance.t PARTITION (c = '$c') SELECT id, v, s, l, m FROM $rows")
        sql(
          s"CREATE OR REPLACE TEMPORARY VIEW fresh AS ${query(10, "a", "n")} AS f(id, c, v, s, l, m)"
        )
        into("a", "fresh")
        assert(triples == Seq((2, "b  ", "y"), (3, "c  ", "z"), (10, "a  ", "n")))
        into("b", "fresh WHERE id < 0")
        assert(triples == Seq((3, "c  ", "z"), (10, "a  ", "n")))
        into("nobody has it".take(3), "fresh WHERE id < 0")
        assert(triples.length == 2)
        if (mode == "dynamic") {
          sql("INSERT OVERWRITE lance.t SELECT * FROM fresh WHERE id < 0")
          assert(triples.length == 2)
          sql(s"INSERT OVERWRITE lance.t ${query(11, "c", "m")}")
          assert(triples == Seq((10, "a  ", "n"), (11, "c  ", "m")))
        }
      } finally spark.conf.unset("spark.sql.sources.partitionOverwriteMode")
    }

  test(
    "a PARTITION clause with a part of the key replaces by the keys of rows in dynamic mode"
  ) {
    spark.conf.set("spark.sql.catalog.lance.root", folder.resolve("lance").toString)
    spark.conf.set("spark.sql.sources.partitionOverwriteMode", "dynamic")
    try for (t <- Seq("lance.k", "spark_catalog.default.typed_columns_suite_k")) {
        val using = if (t == "lance.k") "" else "USING parquet"
        sql(s"DROP TABLE IF EXISTS $t")
        sql(s"CREATE TABLE $t (id INT, day STRING, hour INT) $using PARTITIONED BY (day, hour)")
        def ids = sql(s"SELECT id FROM $t ORDER BY id").map(_.getInt(0))
        sql(s"INSERT INTO $t VALUES (1, 'mon', 1), (2, 'mon', 2), (3, 'tue', 1)")
        sql(s"INSERT OVERWRITE $t PARTITION (day = 'mon', hour) SELECT 4, 1 WHERE false")
        assert(ids == Seq(1, 2, 3), t)
        sql(s"INSERT OVERWRITE $t PARTITION (day = 'mon', hour) SELECT 4, 1")
        assert(ids == Seq(2, 3, 4), t)
        sql(s"INSERT OVERWRITE $t PARTITION (day = 'mon', hour = 2) SELECT 5 WHERE false")
        assert(ids == Seq(3, 4), t)
        sql(s"INSERT OVERWRITE $t PARTITION (hour = '1', day = 'tue') SELECT 6")
        assert(ids == Seq(4, 6), t)
        sql(s"DROP TABLE $t")
      }
    finally spark.conf.unset("spark.sql.sources.partitionOverwriteMode")
  }

  test("DELETE, UPDATE, MERGE, and UPDATE by columns") {
    create()
    sql("UPDATE lance.t SET v = 'u', s.v = 'w', c = 'q' WHERE c = 'a' AND s.c = 'a '")
    assert(triples.head == ((1, "q  ", "u")))
    fails("UPDATE lance.t SET v = 'toolong' WHERE id = 1")
    fails("UPDATE lance.t SET s.v = 'toolong' WHERE id = 1")
    sql("DELETE FROM lance.t WHERE c = 'b' OR v = 'nobody'")
    sql("CREATE OR REPLACE TEMPORARY VIEW fresh AS SELECT *, 'extra' AS e, 1 AS n FROM " +
      s"VALUES ${row(3, "c", "m1")}, ${row(9, "i", "m2")} AS f(id, c, v, s, l, m)")
    sql("MERGE INTO lance.t x USING fresh f ON x.id = f.id AND x.c = f.c " +
      "WHEN MATCHED THEN UPDATE SET v = f.v, s = f.s WHEN NOT MATCHED THEN INSERT (id, c, v, s, l, m) " +
      "VALUES (f.id, f.c, f.v, f.s, f.l, f.m)")
    assert(triples == Seq((1, "q  ", "u"), (3, "c  ", "z"), (3, "c  ", "m1"), (9, "i  ", "m2")) ||
      triples == Seq((1, "q  ", "u"), (3, "c  ", "m1"), (9, "i  ", "m2")))
    sql("DELETE FROM lance.t WHERE id = 3 AND v = 'm1'")
    sql("MERGE WITH SCHEMA EVOLUTION INTO lance.t x USING fresh f ON x.id = f.id " +
      "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *")
    assert(
      sql("SELECT id, e, n FROM lance.t WHERE id >= 3").map(_.getString(1)).toSet == Set("extra")
    )
    val shown = sql("DESCRIBE lance.t").map(r => r.getString(0) -> r.getString(1)).toMap
    assert(shown("v") == "varchar(5)" && shown("c") == "char(3)" &&
      shown("s") == "struct<c:char(2),v:varchar(4)>" && shown("e") == "string")
    spark.conf.set("spark.lance.write.updateMode", "columns")
    try {
      sql("UPDATE lance.t SET v = 'col', c = 'z' WHERE c = 'i'")
      fails("UPDATE lance.t SET v = 'toolong'")
    } finally spark.conf.unset("spark.lance.write.updateMode")
    assert(triples.last == ((9, "z  ", "col")))
    assert(Pylance.validate(path) == triples.length)
  }

  test("appends that add columns check lengths") {
    create()
    def rows(v: String) = spark
      .sql(s"SELECT *, 1 AS more FROM VALUES ${row(9, "i", v)} AS f(id, c, v, s, l, m)")
    rows("ok").write.format("lance").mode("append").option("mergeSchema", "true").save(path)
    assert(triples.last == ((9, "i  ", "ok")))
    val e = intercept[Exception](
      rows("toolong").write.format("lance").mode("append").option("mergeSchema", "true").save(path)
    )
    assert(e.toString.contains("EXCEED_LIMIT_LENGTH"))
    assert(triples.length == 4)
  }

  test("statements on columns and on the whole table") {
    create()
    sql("ALTER TABLE lance.t ADD COLUMNS (w VARCHAR(4) AS (concat(v, 'w')), k CHAR(4) AS (v))")
    assert(sql("SELECT w, k FROM lance.t WHERE id = 1") == Seq(Row("xw", "x   ")))
    fails("ALTER TABLE lance.t ADD COLUMNS (w2 VARCHAR(1) AS (concat(v, 'w')))")
    sql(
      "ALTER TABLE lance.t UPDATE COLUMNS v, c FROM (SELECT _rowaddr, upper(v) AS v, 'k' AS c FROM " +
        "lance.t WHERE id = 2)"
    )
    assert(triples(1) == ((2, "k  ", "Y")))
    fails(
      "ALTER TABLE lance.t UPDATE COLUMNS v FROM (SELECT _rowaddr, 'toolong' AS v FROM lance.t)"
    )
    sql("ALTER TABLE lance.t ADD COLUMNS o FROM (SELECT _rowid, v AS o FROM lance.t)")
    sql("ALTER TABLE lance.t ALTER COLUMN v TYPE VARCHAR(9)")
    sql("ALTER TABLE lance.t ALTER COLUMN w TYPE STRING")
    sql("ALTER TABLE lance.t ADD CONSTRAINT known CHECK (v <> 'no')")
    intercept[AssertionError](sql("UPDATE lance.t SET v = 'no'"))
    sql("ALTER TABLE lance.t CREATE BRANCH dev")
    sql("DELETE FROM lance.t.branch_dev WHERE c = 'a'")
    sql("OPTIMIZE lance.t WHERE c = 'a'")
    sql("OPTIMIZE lance.t ZORDER BY (c, v)")
    sql("ALTER TABLE lance.t CREATE TAG now")
    sql("RESTORE lance.t TO VERSION AS OF 2")
    assert(triples == Seq((1, "a  ", "x"), (2, "b  ", "y"), (3, "c  ", "z")))
    sql("CREATE TABLE lance.copy DEEP CLONE lance.t")
    sql("CREATE TABLE lance.same LIKE lance.t")
    sql("INSERT INTO lance.same SELECT * FROM lance.copy")
    sql("INSERT OVERWRITE lance.same SELECT * FROM lance.copy WHERE c IN ('a', 'b')")
    sql("CREATE TABLE lance.ctas AS SELECT * FROM lance.same VERSION AS OF 2")
    sql("CALL lance.system.import(source => 'lance.copy', table => 'imported')")
    for (t <- Seq("copy", "ctas", "imported"))
      assert(sql(s"SELECT count(*) FROM lance.$t WHERE c = 'a' OR v = 'y'") == Seq(Row(2L)), t)
    assert(sql("SELECT count(*) FROM lance.same WHERE c > 'a' AND s.v = 'y'") == Seq(Row(1L)))
    sql("VACUUM lance.t DRY RUN")
    sql("DESCRIBE DETAIL lance.t")
    sql("SELECT column, sum(bytes) FROM lance.t.pages GROUP BY ALL"): Unit
  }
}
