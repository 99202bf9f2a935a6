// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql

import org.apache.spark.sql.{AnalysisException, Row}
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.testkit.SparkErrors._
import io.github.pysparklance.testkit.{Pylance, SharedSpark, SparkLine, TemporaryFolder}

/** `ALTER TABLE … ADD COLUMNS (c AS (…))` and `ADD | UPDATE COLUMNS … FROM …`. */
class ColumnStatementsSuite extends AnyFunSuite with TemporaryFolder {
  private lazy val spark = SharedSpark.interpreted
  private def sql(text: String): Seq[Row] = spark.sql(text).collect().toSeq
  private def error(text: String): AnalysisException = intercept[AnalysisException](sql(text))

  private def path: String = folder.resolve("t").toString
  private def t: String = s"lance.`$path`"

  /** Two fragments: ids 0 and 1, 2 and 3. */
  override def beforeEach(): Unit = {
    super.beforeEach()
    sql(s"CREATE TABLE $t AS SELECT id, CAST(id * 10 AS INT) AS a FROM range(0, 2, 1, 1)")
    sql(s"INSERT INTO $t SELECT id, CAST(id * 10 AS INT) FROM range(2, 4, 1, 1)"): Unit
  }

  private def column(name: String): Seq[Any] =
    sql(s"SELECT `$name` FROM $t ORDER BY id").map(_.get(0))

  private def identity: Seq[Row] = sql(s"SELECT _rowid, _rowaddr, _fragid FROM $t ORDER BY id")

  test("columns are computed from other columns, and only their files are written") {
    val before = identity
    sql(
      s"ALTER TABLE $t ADD COLUMNS (b BIGINT COMMENT 'sum' AS (id + a), c AS (upper(concat('x', id))), d STRING)"
    )
    assert(column("b") == Seq(0, 11, 22, 33) && column("c") == Seq("X0", "X1", "X2", "X3"))
    assert(column("d") == Seq(null, null, null, null))
    assert(identity == before && Pylance.fragments(path).forall(_.get("files").size == 2))
    assert(Pylance.rows(path).map(_.get("b").asLong) == Seq(0, 11, 22, 33))
    val described =
      sql(s"DESCRIBE TABLE $t").map(r => r.getString(0) -> s"${r.get(1)} ${r.get(2)}").toMap
    assert(described("b") == "bigint sum" && described("c") == "string null")
    sql(s"ALTER TABLE $t ADD COLUMN (e AS (b > 5 AND c LIKE 'X%'))")
    assert(column("e") == Seq(false, true, true, true))
  }

  test("existing columns, unknown columns, and wrong types are rejected") {
    assert(
      error(s"ALTER TABLE $t ADD COLUMNS (a INT AS (1))").condition == SparkLine.fieldExists
    )
    assert(error(s"ALTER TABLE $t ADD COLUMNS (b INT AS (nothing))").getMessage.contains("nothing"))
    assert(
      error(s"ALTER TABLE $t ADD COLUMNS (b INT AS (1), B INT AS (2))").getMessage.contains("twice")
    )
    assert(
      error(s"ALTER TABLE $t ADD COLUMNS (b INT AS (1), c)").condition == "PARSE_SYNTAX_ERROR"
    )
    assert(error(s"ALTER TABLE $t ADD COLUMNS (b INT AS ())").condition == "PARSE_SYNTAX_ERROR")
    assert(sql(s"DESCRIBE HISTORY $t").length == 2)
  }

  test("names that differ only in case are one column, unless the session is case-sensitive") {
    sql(s"ALTER TABLE $t ADD COLUMNS (B2 AS (id))")
    assert(error(s"ALTER TABLE $t ADD COLUMNS (b2 AS (1))").condition == SparkLine.fieldExists)
    val s = SharedSpark.newInterpreted()
    s.conf.set("spark.sql.caseSensitive", "true")
    s.sql(s"ALTER TABLE $t ADD COLUMNS (b2 AS (id + B2), c INT AS (1), C INT AS (2))")
    assert(s.sql(s"SELECT B2, b2, c, C FROM $t WHERE id = 3").collect().toSeq == Seq(Row(
      3L,
      6L,
      1,
      2
    )))
    s.sql(
      s"SELECT _rowaddr, 5 AS b2, 6 AS B2, 7 AS d, 8 AS D FROM $t"
    ).createOrReplaceTempView("rows")
    s.sql(s"ALTER TABLE $t ADD COLUMNS d, D FROM rows")
    s.sql(s"ALTER TABLE $t UPDATE COLUMNS b2 FROM rows")
    assert(s.sql(s"SELECT B2, b2, d, D FROM $t WHERE id = 3").collect().toSeq == Seq(Row(
      3L,
      5L,
      7,
      8
    )))
    for (c <- Seq("b2 AS (1)", "B2 AS (1)", "x AS (1), x AS (2)"))
      intercept[AnalysisException](s.sql(s"ALTER TABLE $t ADD COLUMNS ($c)"))
  }

  test("columns are joined from rows in any order; rows without values get null") {
    spark.sql(
      s"SELECT _rowaddr, id * 2 AS twice, 'n' || id AS n FROM $t WHERE id != 2 ORDER BY id DESC"
    )
      .createOrReplaceTempView("new_values")
    val before = identity
    sql(s"ALTER TABLE $t ADD COLUMNS twice, n FROM new_values")
    assert(column("twice") == Seq[Any](0, 2, null, 6) && column("n") == Seq("n0", "n1", null, "n3"))
    assert(identity == before && Pylance.rows(path).map(_.get("n").asText).take(2) == Seq(
      "n0",
      "n1"
    ))
    assert(
      error(s"ALTER TABLE $t ADD COLUMNS n FROM new_values").condition == SparkLine.fieldExists
    )
    assert(error(s"ALTER TABLE $t ADD COLUMNS m FROM new_values").getMessage.contains("m"))
    assert(
      error(s"ALTER TABLE $t ADD COLUMNS m FROM nowhere").condition == "TABLE_OR_VIEW_NOT_FOUND"
    )
  }

  test("UPDATE COLUMNS changes only rows with new values") {
    val before = identity
    sql(s"ALTER TABLE $t UPDATE COLUMNS a FROM (SELECT _rowaddr, a + 1 AS a FROM $t WHERE id > 1)")
    assert(column("a") == Seq(0, 10, 21, 31) && identity == before)
    assert(Pylance.rows(path).map(_.get("a").asInt) == Seq(0, 10, 21, 31))
    sql(s"ALTER TABLE $t UPDATE COLUMN (a) FROM (SELECT _rowid, 7 AS a FROM $t WHERE id = 0)")
    assert(column("a") == Seq(7, 10, 21, 31))
    assert(error(s"ALTER TABLE $t UPDATE COLUMNS b FROM (SELECT _rowaddr, 1 AS b FROM $t)")
      .getMessage.contains("b"))
    intercept[Exception](
      sql(s"ALTER TABLE $t UPDATE COLUMNS a FROM (SELECT 99999999999L AS _rowaddr, 1 AS a)")
    )
    assert(
      error(s"ALTER TABLE $t UPDATE COLUMNS a FROM (SELECT 1 AS a)").getMessage.contains("_rowaddr")
    )
    assert(column("a") == Seq(7, 10, 21, 31))
  }

  test("UPDATE COLUMNS rejects values that violate a constraint") {
    sql(s"ALTER TABLE $t ADD CONSTRAINT grown CHECK (a < 100)")
    sql(s"ALTER TABLE $t ADD CONSTRAINT fitting CHECK (a IS NOT NULL OR id < 0)")
    def update(values: String) = sql(s"ALTER TABLE $t UPDATE COLUMNS a FROM ($values)")
    def rejected(values: String): String = {
      val e = intercept[Exception](update(values))
      Iterator.iterate[Throwable](e)(_.getCause).takeWhile(_ != null).map(_.getMessage).mkString
    }
    val violated = "CHECK_CONSTRAINT_VIOLATION"
    val grown = rejected(s"SELECT _rowaddr, 100 AS a FROM $t WHERE id = 2")
    assert(grown.contains(violated) && grown.contains("grown"))
    val fitting = rejected(s"SELECT _rowaddr, CAST(NULL AS INT) AS a FROM $t")
    assert(fitting.contains(violated) && fitting.contains("fitting"))
    assert(!rejected("SELECT 99999999999L AS _rowaddr, 1 AS a").contains(violated))
    assert(column("a") == Seq(0, 10, 20, 30))
    update(s"SELECT _rowid, 99 AS a FROM $t WHERE id > 1")
    assert(column("a") == Seq(0, 10, 99, 99))
  }
}
