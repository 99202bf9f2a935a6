// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.rowlevel

import org.apache.spark.sql.{AnalysisException, Row}
import org.scalatest.Assertion

import io.github.pysparklance.testkit.Pylance
import io.github.pysparklance.testkit.SparkErrors._

/** Tables of other writers with columns that hide the metadata columns of row-level commands. */
class HiddenColumnsSuite extends RowLevelSuite {

  private def write(name: String, stable: Boolean = false): Unit =
    Pylance.write(
      s"[{'id': i, 'value': i * 10, '$name': 19 - i} for i in range(20)]",
      path,
      "max_rows_per_file" -> 5,
      "enable_stable_row_ids" -> stable
    )

  private val delete = "DELETE FROM %s WHERE id = 1"
  private val update = "UPDATE %s SET value = -1 WHERE id = 2"
  private val merge = "MERGE INTO %s x USING (SELECT 3L AS id) s ON x.id = s.id " +
    "WHEN MATCHED THEN UPDATE SET value = -2 WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id)"
  private val replace = "INSERT INTO %s REPLACE WHERE id = 4 SELECT 4L, -3L, 0L"
  private val optimize = "OPTIMIZE %s ZORDER BY (value)"
  private val columns = "ALTER TABLE %1$s UPDATE COLUMNS value FROM (SELECT * FROM %1$s)"
  private val computed = "ALTER TABLE %s ADD COLUMNS (twice AS (value * 2))"

  private def rejected(
      statement: String,
      name: String,
      advice: String = "RENAME COLUMN"
  ): Assertion = {
    val version = table.version
    val e = intercept[AnalysisException](sql(statement.format(t)))
    assert(e.condition == "LANCE_INVALID_REQUEST", e.getMessage)
    assert(Seq(name, path, advice).forall(e.getMessage.contains), e.getMessage)
    assert(table.version == version)
  }

  /** Statements without addresses work. */
  private def othersWork(name: String): Assertion = {
    val before = rows(s"SELECT id, `$name` FROM $t WHERE `$name` = 7")
    assert(before.map(_.get(1)) == Seq(7L))
    sql(s"INSERT INTO $t VALUES (100, 1, 1)")
    sql(s"MERGE INTO $t x USING (SELECT 101L AS id) s ON x.id = s.id " +
      "WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id)")
    sql(s"ALTER TABLE $t ADD COLUMNS (more INT)")
    sql(s"INSERT OVERWRITE $t SELECT * FROM $t")
    assert(rows(s"SELECT count(*), sum(`$name`) FROM $t") == Seq(Row(22L, 191L)))
    sql(s"ALTER TABLE $t RENAME COLUMN `$name` TO other")
    assert(rows(s"SELECT count(_rowaddr) FROM $t") == Seq(Row(22L)))
    sql(delete.format(t))
    sql(update.format(t))
    sql(merge.format(t))
    assert(values.take(3) == Seq((0L, 0L), (2L, -1L), (3L, -2L)) && values.length == 21)
    assert(Pylance.validate(path) == 21)
  }

  Seq("_RowAddr", "_ROWADDR").foreach { name =>
    test(s"a column $name hides the address") {
      write(name)
      Seq(delete, update, merge, replace, columns, computed).foreach(rejected(_, name))
      othersWork(name)
    }
  }

  test("a column _RowId hides the stable id, which tables without stable ids do not need") {
    write("_RowId", stable = true)
    Seq(delete, update, merge).foreach(rejected(_, "_RowId"))
    othersWork("_RowId")
  }

  test("a column _RowId of a table without stable row ids") {
    write("_RowId")
    Seq(delete, update, merge).foreach(s => sql(s.format(t)))
    assert(values.take(3) == Seq((0L, 0L), (2L, -1L), (3L, -2L)) && values.length == 19)
  }

  test("a MERGE WITH SCHEMA EVOLUTION does not add a column that it needs") {
    create()
    Seq("__row_operation", "__Row_From_Source").foreach { name =>
      rejected(
        s"MERGE WITH SCHEMA EVOLUTION INTO %s x USING (SELECT 3L AS id, 1 AS $name) s " +
          "ON x.id = s.id WHEN MATCHED THEN UPDATE SET *",
        name,
        s"rename it in the source: SELECT `$name` AS ..."
      )
    }
  }

  test("a column _FragId blocks sorting") {
    write("_FragId")
    rejected(optimize, "_FragId")
    Seq(delete, update, merge).foreach(s => sql(s.format(t)))
    assert(values.take(3) == Seq((0L, 0L), (2L, -1L), (3L, -2L)))
  }

  test("a column __row_operation is overwritten by Spark's plan of UPDATE and MERGE") {
    write("__Row_Operation")
    Seq(update, merge).foreach(rejected(_, "__Row_Operation"))
    sql("DELETE FROM %s WHERE id = 19".format(t))
    assert(rows(s"SELECT sum(`__Row_Operation`) FROM $t") == Seq(Row(190L)))
    sql(s"INSERT INTO $t VALUES (19, 190, 0)")
    othersWork("__Row_Operation")
  }

  Seq("__row_from_source", "__row_from_target", "__row_id").foreach { name =>
    test(s"a column $name collides with Spark's plan of MERGE") {
      write(name)
      rejected(merge, name)
      sql(s"DELETE FROM $t WHERE id = 19")
      sql(s"INSERT INTO $t VALUES (19, 190, 0)")
      sql(s"UPDATE $t SET value = 0 WHERE id = 0")
      assert(rows(s"SELECT sum(`$name`), sum(value) FROM $t") == Seq(Row(190L, 1900L)))
      othersWork(name)
    }

    test(s"a column $name of the source of a MERGE is read or rejected") {
      create()
      val version = table.version
      val run = () =>
        sql(s"MERGE INTO $t x USING (SELECT 3L AS id, false AS $name) s ON x.id = s.id " +
          "WHEN MATCHED THEN UPDATE SET value = -2 WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id)")
      val failed =
        try { run(); None }
        catch { case e: AnalysisException => Some(e) }
      assert(failed.fold(values.contains((3L, -2L)))(e =>
        e.getMessage.contains(name) && table.version == version
      ))
    }
  }

  test("no new column gets a reserved name in any case") {
    create()
    Seq(
      s"ALTER TABLE $t ADD COLUMNS (_RowAddr INT)",
      s"ALTER TABLE $t RENAME COLUMN value TO _ROWID",
      s"CREATE TABLE ${t.replace("/t`", "/u`")} (id INT, _RowOffset INT)"
    ).foreach { statement =>
      val e = intercept[AnalysisException](sql(statement))
      assert(e.getMessage.contains("reserved"), e.getMessage)
    }
    assert(table.version == 1)
  }
}
