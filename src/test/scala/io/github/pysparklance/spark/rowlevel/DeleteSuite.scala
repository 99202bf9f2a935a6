// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.rowlevel

import java.nio.file.Files

import org.apache.spark.sql.AnalysisException

import io.github.pysparklance.testkit.Pylance
import io.github.pysparklance.testkit.SparkErrors._

class DeleteSuite extends RowLevelSuite {

  Seq(false, true).foreach { stable =>
    val which = if (stable) "with stable row ids" else "without stable row ids"

    test(s"rows are recorded in deletion files, and fragments without rows are removed, $which") {
      create(stable = stable)
      val ids = column("_rowid")
      sql(s"DELETE FROM $t WHERE value IN (10, 30, 120) OR id BETWEEN 5 AND 9")
      val left = (0L until 20L).filterNot(id => Seq(1L, 3L, 12L).contains(id) || id >= 5 && id <= 9)
      assert(values == left.map(id => (id, id * 10)))
      assert(column("_rowid") == ids.filter(i => left.contains(i._1)))
      assert(table.version == 2 && table.fragments.map(_.id) == Seq(0L, 2L, 3L))
      assert(table.fragments.map(_.deletionFile.map(_.numDeletedRows)) ==
        Seq(Some(2L), Some(1L), None))
      assert(lastVersion.operation.contains("Delete"))
      assert(lastVersion.rowsDeleted.contains(8L) && lastVersion.rowsAdded.contains(0L))
      checkByPylance()
      val fragments = Pylance.fragments(path)
      assert(fragments.map(_.get("deleted").toString) == Seq("[1,3]", "[2]", "[]"))
      sql(s"DELETE FROM $t WHERE id IN (0, 13)")
      assert(values.map(_._1) == left.filterNot(Seq(0L, 13L).contains))
      checkByPylance()
    }
  }

  test("a condition without matching rows commits no version") {
    create()
    sql(s"DELETE FROM $t WHERE value = 7")
    sql(s"DELETE FROM $t WHERE id IS NULL")
    sql(s"DELETE FROM $t WHERE false")
    sql(s"DELETE FROM $t WHERE _rowaddr = 99")
    assert(table.version == 1)
  }

  test("rows for which the condition is unknown are kept") {
    create()
    sql(s"INSERT INTO $t VALUES (100, NULL)")
    sql(s"DELETE FROM $t WHERE value > 40")
    assert(values.map(_._1) == Seq(0L, 1L, 2L, 3L, 4L, 100L))
    sql(s"DELETE FROM $t WHERE value IS NULL")
    assert(values.map(_._1) == Seq(0L, 1L, 2L, 3L, 4L))
  }

  test("conditions with subqueries, on the table itself and on others") {
    create()
    sql(s"DELETE FROM $t WHERE id IN (SELECT id + 1 FROM $t WHERE id < 3)")
    assert(values.map(_._1) == 0L +: (4L until 20L))
    sql(s"DELETE FROM $t AS a WHERE EXISTS (SELECT 1 FROM range(10) r WHERE r.id = a.id)")
    assert(values.map(_._1) == (10L until 20L))
    sql(s"DELETE FROM $t WHERE value = (SELECT max(value) FROM $t)")
    assert(values.map(_._1) == (10L until 19L))
    sql(s"DELETE FROM $t WHERE id NOT IN (SELECT id FROM range(12, 14))")
    assert(values.map(_._1) == Seq(12L, 13L))
    checkByPylance()
  }

  test("conditions with functions and subqueries on metadata columns") {
    create()
    sql(s"DELETE FROM $t WHERE _rowid IN (SELECT max(_rowid) FROM $t)")
    sql(s"DELETE FROM $t x WHERE EXISTS (SELECT 1 FROM range(2) r WHERE r.id = x._rowoffset)")
    assert(values.map(_._1) == (2L until 19L))
    sql(s"DELETE FROM $t WHERE _rowid = (SELECT min(_rowid) FROM $t) AND abs(value) > 0")
    sql(s"DELETE FROM $t x WHERE abs(x._fragid) = 1")
    assert(values.map(_._1) == Seq(3L, 4L) ++ (10L until 19L))
    sql(s"DELETE FROM $t WHERE _rowid NOT IN (SELECT min(_rowid) FROM $t GROUP BY _fragid)")
    assert(values.map(_._1) == Seq(3L, 10L, 15L))
    checkByPylance()
  }

  test("deletes that need only the manifest run no job") {
    create()
    def plan(condition: String) = rows(s"EXPLAIN DELETE FROM $t WHERE $condition").head.getString(0)
    Seq("true", "_fragid = 1", "_rowaddr IN (0, 1)", "_rowid = 3 OR _fragid = 2").foreach { c =>
      assert(plan(c).contains("DeleteFromTable"), c)
    }
    Seq("id = 1", "_fragid = 1 AND id = 7", "_fragid > 1").foreach { c =>
      assert(plan(c).contains("WriteDelta"), c)
    }
    sql(s"DELETE FROM $t WHERE _fragid = 1")
    assert(values.map(_._1) == (0L until 5L) ++ (10L until 20L))
    assert(table.fragments.map(_.id) == Seq(0L, 2L, 3L))
    sql(s"DELETE FROM $t WHERE _rowaddr IN (0, ${(2L << 32) + 4}, 77)")
    sql(s"DELETE FROM $t WHERE _rowaddr = 0") // it is gone
    assert(table.version == 3)
    assert(values.map(_._1) == Seq(1L, 2L, 3L, 4L, 10L, 11L, 12L, 13L) ++ (15L until 20L))
    assert(lastVersion.rowsDeleted.contains(2L))
    checkByPylance()
    sql(s"DELETE FROM $t")
    assert(table.fragments.isEmpty && lastVersion.rowsDeleted.contains(13L))
    assert(Pylance.validate(path) == 0)
    sql(s"INSERT INTO $t VALUES (1, 1)")
    assert(values == Seq((1L, 1L)))
  }

  test("options of new files have no effect on a DELETE") {
    create()
    spark.conf.set("spark.lance.write.fileVersion", "2.0")
    try sql(s"DELETE FROM $t WHERE value = 30")
    finally spark.conf.unset("spark.lance.write.fileVersion")
    assert(values.map(_._1) == (0L until 20L).filter(_ != 3L))
  }

  test("by stable row id") {
    create(stable = true)
    sql(s"DELETE FROM $t WHERE _rowid IN (0, 19)")
    assert(values.map(_._1) == (1L until 19L))
    sql(s"TRUNCATE TABLE $t")
    assert(values.isEmpty && table.hasStableRowIds)
  }

  test("rows that another writer deleted in the same fragment remain deleted") {
    create()
    val delete = analyzed(s"DELETE FROM $t WHERE id = 1")
    deletedMeanwhile(0L, 3)
    run(delete)
    assert(values.map(_._1).take(4) == Seq(0L, 2L, 4L, 5L) && table.version == 3)
    checkByPylance()
  }

  test("only the latest version can be changed") {
    create()
    sql(s"DELETE FROM $t WHERE id = 1")
    val files = Files.list(folder.resolve("t/_versions")).count()
    val old = spark.read.format("lance").option("version", "1").load(path)
    assert(old.count() == 20)
    Seq("DELETE FROM %s", "UPDATE %s SET value = 1", "DELETE FROM %s WHERE nothing = 1").foreach {
      c =>
        intercept[AnalysisException](sql(c.format(s"$t VERSION AS OF 1")))
    }
    val e = intercept[AnalysisException](sql(s"DELETE FROM $t WHERE nothing = 1"))
    assert(e.condition.startsWith("UNRESOLVED_COLUMN"))
    assert(Files.list(folder.resolve("t/_versions")).count() == files)
  }

  test("deleted rows are counted") {
    create()
    val command = ran(s"DELETE FROM $t WHERE id < 7")
    assert(RowLevelSuite.metric(command, "lanceDeletedRows") == 7)
    assert(RowLevelSuite.metric(command, "lanceUpdatedRows") == 0)
  }
}
