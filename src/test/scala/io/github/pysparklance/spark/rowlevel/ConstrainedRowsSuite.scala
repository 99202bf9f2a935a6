// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.rowlevel

import org.scalatest.Assertion

/** UPDATE and MERGE of tables with CHECK constraints on several columns. */
class ConstrainedRowsSuite extends RowLevelSuite {

  private val mode = "spark.lance.write.updateMode"

  private def violates(statement: String): Assertion = {
    val version = table.version
    val e = intercept[Exception](sql(statement))
    val errors = Iterator.iterate[Throwable](e)(_.getCause).takeWhile(_ != null)
    assert(errors.exists(_.toString.contains("CHECK_CONSTRAINT_VIOLATION")), statement)
    assert(table.version == version, statement)
  }

  test("new rows are checked by constraints on several columns") {
    create()
    sql(s"ALTER TABLE $t ADD CONSTRAINT both CHECK (id < 100 OR value > 1000)")
    sql(s"ALTER TABLE $t ADD CONSTRAINT one CHECK (value < 5000)")
    Seq("rows", "columns").foreach { m =>
      spark.conf.set(mode, m)
      try {
        sql(s"UPDATE $t SET id = 99 WHERE id IN (1, 99)")
        sql(s"UPDATE $t SET value = 7 WHERE id = 2 AND _rowoffset >= 0 AND _fragid >= 0")
        violates(s"UPDATE $t SET id = 100 WHERE id = 3")
      } finally spark.conf.unset(mode)
    }
    val merge = s"MERGE INTO $t x USING (SELECT %s AS id, 8 AS value) s ON x.id = s.id"
    val insert = "WHEN NOT MATCHED THEN INSERT *"
    sql(s"${merge.format(4)} WHEN MATCHED AND x._fragid >= 0 THEN UPDATE SET * $insert")
    sql(s"${merge.format(50)} $insert")
    violates(s"${merge.format(5)} WHEN MATCHED THEN UPDATE SET id = s.id + 100 $insert")
    violates(s"${merge.format(100)} WHEN MATCHED THEN UPDATE SET * $insert")
    violates(s"${merge.format(100)} $insert")
    val changed = Map[Long, Any](99L -> 10L, 2L -> 7L, 4L -> 8L, 50L -> 8L)
    val others = (0L until 20L).filter(id => id != 1 && !changed.contains(id))
    assert(values.toMap == others.map(id => id -> (id * 10: Any)).toMap ++ changed)
    checkByPylance()
  }
}
