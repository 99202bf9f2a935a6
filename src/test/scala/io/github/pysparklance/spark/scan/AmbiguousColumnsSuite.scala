// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan

import org.apache.spark.sql.{AnalysisException, Row}

import io.github.pysparklance.spark.jobs.JobSuite
import io.github.pysparklance.testkit.SparkErrors._
import io.github.pysparklance.testkit.{LogCapture, Pylance}

/** Tables of pylance with columns whose names differ only in case. */
class AmbiguousColumnsSuite extends JobSuite {

  private val columns = "'id': i, 'a': i + 10, 'A': i + 20, 'r': {'b': i, 'B': -i}"

  private def table(): String = {
    val path = fresh()
    Pylance.write(s"[{$columns} for i in range(3)]", path)
    path
  }

  private def stored(path: String): Seq[String] =
    Pylance.rows(path).map(_.toString).sorted

  private def row(i: Int): String =
    s"""{"id":$i,"a":${i + 10},"A":${i + 20},"r":{"b":$i,"B":${-i}}}"""

  test("other columns can be read, and rows can be deleted") {
    val path = table()
    assert(read(path).select("id").collect().map(_.getLong(0)).sorted.toSeq == Seq(0, 1, 2))
    assert(spark.sql(s"SELECT sum(id) FROM lance.`$path` WHERE id > 0").head().getLong(0) == 3)
    val all = spark.sql(s"SELECT * FROM lance.`$path` ORDER BY id").collect().map(_.toString).toSeq
    assert(all == (0 until 3).map(i => s"[$i,${i + 10},${i + 20},[$i,${-i}]]"))
    spark.sql(s"DELETE FROM lance.`$path` WHERE id = 1")
    spark.sql(s"OPTIMIZE lance.`$path`")
    assert(stored(path) == Seq(row(0), row(2)))
  }

  test("rows are written only with case sensitivity, because Spark would confuse the columns") {
    val path = table()
    val values = "VALUES (1, 11, 21, named_struct('b', 1L, 'B', -1L))"
    val target = s"lance.`$path`"
    Seq(
      s"UPDATE $target SET id = 5 WHERE id = 2",
      s"MERGE INTO $target t USING (SELECT 1L AS id) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET id = 9",
      s"INSERT INTO $target $values",
      s"INSERT OVERWRITE $target $values"
    ).foreach { statement =>
      val e = intercept[AnalysisException](spark.sql(statement))
      assert(e.getMessage.contains("\"a\" and \"A\"") && e.getMessage.contains(path))
      assert(e.getMessage.contains("spark.sql.caseSensitive=true"))
    }
    val session = spark.newSession()
    session.conf.set("spark.sql.caseSensitive", "true")
    session.sql(s"UPDATE $target SET id = id + 5 WHERE id = 2")
    session.sql(s"UPDATE $target SET A = A + 1 WHERE id = 0")
    session.sql(s"DELETE FROM $target WHERE id = 1")
    session.sql(s"INSERT INTO $target $values")
    val changed = row(0).replace("\"A\":20", "\"A\":21")
    assert(stored(path) == Seq(changed, row(1), row(2).replace("\"id\":2", "\"id\":7")))
  }

  test("the log explains that a case-sensitive session reads all columns") {
    val path = table()
    var rows = 0L
    val lines = LogCapture {
      val e = intercept[AnalysisException](read(path).select("a").collect())
      if (e.condition == "AMBIGUOUS_REFERENCE") rows = read(path).count()
    }
    assert(rows == 3)
    val warnings = lines.filter(_.level == "WARN").map(_.text)
    assert(warnings.length == 1 && warnings.head.contains(s"$path: "))
    assert(warnings.head.contains("\"a\" and \"A\""))
    assert(warnings.head.contains("spark.sql.caseSensitive=true"))
    val session = spark.newSession()
    session.conf.set("spark.sql.caseSensitive", "true")
    val found = session.sql(s"SELECT A, a, r.B FROM lance.`$path` WHERE A > 20 ORDER BY id")
    assert(found.collect().toSeq == Seq(Row(21L, 11L, -1L), Row(22L, 12L, -2L)))
  }
}
