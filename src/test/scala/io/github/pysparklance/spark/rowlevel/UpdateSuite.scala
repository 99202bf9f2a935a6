// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.rowlevel

import org.apache.spark.sql.{AnalysisException, Row}

import io.github.pysparklance.testkit.SparkErrors._
import io.github.pysparklance.testkit.{ExactRows, Pylance}

class UpdateSuite extends RowLevelSuite {

  test("rows with new values move to new fragments") {
    create()
    sql(s"UPDATE $t SET value = value + 1 WHERE id IN (2, 3, 17)")
    assert(values == (0L until 20L).map { id =>
      (id, id * 10 + (if (Seq(2L, 3L, 17L).contains(id)) 1 else 0))
    })
    assert(table.version == 2 && lastVersion.operation.contains("Update"))
    assert(lastVersion.rowsAdded.contains(3L) && lastVersion.rowsDeleted.contains(3L))
    assert(table.rowCount.contains(20L))
    checkByPylance()
    sql(s"UPDATE $t SET id = id + 100, value = NULL WHERE value % 10 = 1")
    assert(rows(s"SELECT id FROM $t WHERE value IS NULL ORDER BY id") ==
      Seq(Row(102L), Row(103L), Row(117L)))
    checkByPylance()
  }

  test("rows keep their stable row ids and creation versions") {
    create(stable = true)
    sql(s"INSERT INTO $t SELECT id, id * 10 FROM range(20, 30)")
    val ids = column("_rowid")
    sql(s"UPDATE $t SET value = -1 WHERE id % 7 = 3")
    sql(s"UPDATE $t SET value = -2 WHERE id IN (10, 24)")
    assert(column("_rowid") == ids)
    val created = ids.map { case (id, _) => id -> (if (id < 20) 1L else 2L) }
    assert(column("_row_created_at_version") == created)
    val changed = ids.keys.map { id =>
      id -> (if (id == 10 || id == 24) 4L else if (id % 7 == 3) 3L else created(id))
    }.toMap
    assert(column("_row_last_updated_at_version") == changed)
    checkByPylance()
    val read = Pylance.run(
      "result = dataset(path).to_table(columns=['id'], with_row_id=True).to_pylist()",
      "path" -> path
    )
    val byPylance = (0 until read.size).map { i =>
      read.get(i).get("id").asLong -> read.get(i).get("_rowid").asLong
    }
    assert(byPylance.toMap == ids)
    assert(rows(s"SELECT value FROM $t WHERE _rowid = ${ids(24L)}") == Seq(Row(-2L)))
  }

  test("all rows, without a condition") {
    create(stable = true)
    val ids = column("_rowid")
    sql(s"UPDATE $t SET value = id")
    assert(values == (0L until 20L).map(id => (id, id)) && column("_rowid") == ids)
    assert(table.fragments.forall(f => f.id > 3 && f.deletionFile.isEmpty))
    checkByPylance()
  }

  test("a condition on metadata columns and subqueries") {
    create()
    sql(s"UPDATE $t SET value = _fragid WHERE _fragid = 2 AND id > 12")
    assert(values.slice(12, 16) == Seq((12L, 120L), (13L, 2L), (14L, 2L), (15L, 150L)))
    sql(s"UPDATE $t SET value = (SELECT max(id) FROM $t) WHERE id IN (SELECT id FROM range(2))")
    assert(values.take(3) == Seq((0L, 19L), (1L, 19L), (2L, 20L)))
    sql(s"UPDATE $t SET value = 0 WHERE _rowaddr = 2")
    assert(values(2) == ((2L, 0L)))
    checkByPylance()
  }

  test("no matching rows commit no version") {
    create()
    sql(s"UPDATE $t SET value = 0 WHERE id = 99")
    assert(table.version == 1)
  }

  test("members of structs, lists, and maps, and unchanged columns") {
    sql(
      s"""CREATE TABLE $t AS SELECT id, named_struct('a', id, 'b', named_struct('c', 'x', 'd', null)) AS s,
         |array(id, null) AS l, map('k', id) AS m, cast(id AS DECIMAL(20, 3)) AS d,
         |timestamp_micros(id) AS ts, cast('NaN' AS DOUBLE) AS f, encode('b', 'utf-8') AS b
         |FROM range(6)""".stripMargin
    )
    val all = s"SELECT * FROM $t ORDER BY id"
    val before = rows(all)
    sql(s"UPDATE $t SET s.b.c = 'y', s.a = s.a + 1 WHERE id = 2")
    sql(s"UPDATE $t SET l = array(), m = map('n', null), s = null WHERE id = 3")
    sql(s"UPDATE $t SET d = 1.5 WHERE id = 4")
    val after = rows(all)
    assert(after.map(ExactRows.text).zip(before.map(ExactRows.text)).count(p => p._1 == p._2) == 3)
    assert(after(2).getStruct(1) == Row(3L, Row("y", null)))
    assert(after(2).getAs[Array[Byte]]("b").toSeq == Seq[Byte]('b') && after(2).getDouble(6).isNaN)
    assert(after(3).isNullAt(1) && after(3).getSeq(2).isEmpty &&
      after(3).getMap[String, Any](3) == Map("n" -> null))
    assert(after(4).getDecimal(4).toPlainString == "1.500")
    assert(Pylance.validate(path) == 6)
  }

  test("changed rows are counted") {
    create()
    val command = ran(s"UPDATE $t SET value = 0 WHERE id < 7")
    assert(RowLevelSuite.metric(command, "lanceUpdatedRows") == 7)
    assert(RowLevelSuite.metric(command, "lanceDeletedRows") == 0)
    assert(RowLevelSuite.metric(command, "lanceRowsWritten") == 7)
  }

  test("invalid assignments have no effect") {
    sql(s"CREATE TABLE $t (id BIGINT NOT NULL, n INT)")
    // One task: another one might end well while the job fails, and its file wait for clean-up.
    sql(s"INSERT INTO $t SELECT /*+ COALESCE(1) */ * FROM VALUES (1, 1), (2, 2)")
    val files = folder.resolve("t/data").toFile.list().toSet
    Seq(
      s"UPDATE $t SET nothing = 1",
      s"UPDATE $t SET n = 'text'",
      s"UPDATE $t SET n = 1, n = 2"
    ).foreach(c => intercept[AnalysisException](sql(c)))
    Seq(
      s"UPDATE $t SET id = CASE WHEN id = 2 THEN NULL ELSE id END",
      s"UPDATE $t SET n = if(id = 2, raise_error('stop'), n)"
    ).foreach(c => intercept[Exception](sql(c)))
    assert(table.version == 2 && folder.resolve("t/data").toFile.list().toSet == files)
  }

  test("metadata columns cannot be set, unless a column of the table has their name") {
    create()
    sql("CREATE TABLE lake.kept (id BIGINT, _fragid BIGINT, s STRUCT<_rowid: BIGINT>)")
    try {
      sql("INSERT INTO lake.kept VALUES (1, 1, named_struct('_rowid', 1L))")
      for {
        name <- Seq(t, "lake.kept")
        (set, column) <- Seq(
          "_rowid = 3" -> "_rowid",
          "id = 1, x._RowAddr = id + 1" -> "_RowAddr",
          "_file = 'f'" -> "_file",
          "_row_created_at_version = DEFAULT" -> "_row_created_at_version"
        )
      } {
        val e = intercept[AnalysisException](sql(s"UPDATE $name AS x SET $set WHERE id = 1"))
        assert(e.condition == "DATATYPE_MISMATCH.INVALID_ROW_LEVEL_OPERATION_ASSIGNMENTS")
        assert(e.getMessage.contains(s"'$column' is a metadata column"), e.getMessage)
      }
      assert(table.version == 1)
      sql("UPDATE lake.kept AS x SET _fragid = 7, x.s._rowid = 8")
      assert(rows("SELECT * FROM lake.kept") == Seq(Row(1L, 7L, Row(8L))))
    } finally sql("DROP TABLE lake.kept"): Unit
  }
}
