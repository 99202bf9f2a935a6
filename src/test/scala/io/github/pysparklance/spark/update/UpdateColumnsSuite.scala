// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.update

import org.apache.spark.sql.{AnalysisException, DataFrame, Row}
import org.scalatest.Assertion

import io.github.pysparklance.spark.jobs.JobSuite
import io.github.pysparklance.spark.rowlevel.RowLevelSuite
import io.github.pysparklance.testkit.SparkErrors._
import io.github.pysparklance.testkit.{Classic, ExactRows, Pylance}

class UpdateColumnsSuite extends JobSuite {

  /** Runs an UPDATE on a table and on a temporary Parquet view of the same rows, as a query, and
    * compares.
    */
  private def update(path: String, set: Map[String, String], where: Option[String]): Assertion = {
    val before = read(path)
    val condition = where.getOrElse("true")
    val expected = before.selectExpr(before.columns.toIndexedSeq.map { c =>
      set.get(c).fold(s"`$c`")(v => s"if($condition, $v, `$c`) as `$c`")
    }: _*)
    val rows = ExactRows(expected.orderBy("id"))
    val assignments = set.map { case (c, v) => s"$c = $v" }.mkString(", ")
    spark.sql(s"UPDATE lance.`$path` SET $assignments" + where.fold("")(w => s" WHERE $w"))
    assert(ExactRows(read(path).orderBy("id")) == rows)
    assert(Pylance.validate(path) == rows.length)
  }

  private def setMode(path: String, mode: String): Unit =
    Pylance.run(
      "dataset(path).update_config({'lance.spark.write.update.mode': mode})",
      "path" -> path,
      "mode" -> mode
    ): Unit

  /** Whether the last version has new files for columns, and moved no rows. */
  private def wroteColumns(path: String)(body: => Any): Boolean = {
    def places: Seq[Row] = read(path).select("id", "_rowaddr").orderBy("id").collect().toSeq
    val (before, fragments) = (places, open(path).fragments.map(_.id))
    val files = open(path).fragments.map(_.files.length).sum
    body
    val now = open(path).fragments
    val same = places == before && now.map(_.id) == fragments
    assert(same == now.map(_.files.length).sum > files || !same)
    same
  }

  Seq(false, true).foreach { stable =>
    test(
      s"mode columns: new files for the changed columns, rows do not move, stable row ids $stable"
    ) {
      val path = numbers(40, 8, "enable_stable_row_ids" -> stable)
      delete(path, "id in (3, 20)")
      setMode(path, "columns")
      assert(wroteColumns(path) {
        update(path, Map("x" -> "x * 2", "s" -> "concat(s, '!')"), Some("id % 3 = 0 or id > 30"))
      })
      assert(wroteColumns(path)(update(path, Map("s" -> "null"), None)))
      assert(open(path).fragments.forall(_.files.length == 3))
      val latest = Pylance.versions(path).last
      assert(latest.get("rows").asInt == 38)
    }
  }

  test("members of structs, subqueries, and no matching rows") {
    val path = fresh()
    Pylance.write("[{'id': i, 'n': {'a': i, 'b': [i]}, 'v': i} for i in range(20)]", path)
    setMode(path, "columns")
    assert(wroteColumns(path) {
      spark.sql(
        s"UPDATE lance.`$path` AS t SET t.n.a = -1, v = 0 WHERE id IN (SELECT id + 5 FROM range(3))"
      ): Unit
    })
    assert(read(path).where("n.a = -1 and v = 0 and n.b[0] = id").select("id").collect()
      .map(_.getLong(0)).toSet == Set(5L, 6L, 7L))
    val version = open(path).version
    spark.sql(s"UPDATE lance.`$path` SET v = 1 WHERE id > 100")
    assert(open(path).version == version && Pylance.validate(path) == 20)
  }

  test("mode rows, and auto for few rows: new rows") {
    val path = numbers(40, 8)
    Seq("rows", "auto").foreach { mode =>
      setMode(path, mode)
      assert(!wroteColumns(path)(update(path, Map("x" -> "0.5"), Some("id < 12"))))
    }
  }

  test("auto: columns if many rows of few columns change, otherwise rows") {
    val path = fresh()
    spark
      .range(0, 30000, 1, 3)
      .selectExpr("id", "id * 2 as v", "repeat('text ', 5) as t", "array(id, id) as l")
      .write
      .format("lance")
      .save(path)
    assert(wroteColumns(path)(update(path, Map("v" -> "v + 1"), Some("id >= 10000"))))
    assert(open(path).fragments.map(_.files.length) == Seq(1, 2, 2))
    assert(!wroteColumns(path)(update(path, Map("v" -> "v + 1"), Some("id < 10"))))
    assert(!wroteColumns(path)(update(
      path,
      Map("v" -> "0", "t" -> "'new'", "l" -> "array(id)"),
      Some("id % 2 = 0")
    )))
  }

  test("the session configuration takes precedence over the table property") {
    val path = numbers(20, 5)
    setMode(path, "columns")
    spark.conf.set("spark.lance.write.updateMode", "rows")
    try assert(!wroteColumns(path)(update(path, Map("x" -> "0.0"), Some("id = 3"))))
    finally spark.conf.unset("spark.lance.write.updateMode")
    assert(wroteColumns(path)(update(path, Map("x" -> "1.0"), Some("id = 4"))))
  }

  test("rows are counted for the user interface") {
    val path = numbers(20, 5)
    setMode(path, "columns")
    val frame = spark.sql(s"UPDATE lance.`$path` SET x = 0 WHERE id < 7")
    val command = Classic.execution(frame).executedPlan
    assert(RowLevelSuite.metric(command, "lanceUpdatedRows") == 7)
    assert(RowLevelSuite.metric(command, "lanceFragmentsRewritten") == 2)
  }

  test("EXPLAIN shows the mode, and changes nothing") {
    val path = numbers(20, 5)
    setMode(path, "columns")
    val version = open(path).version
    val text = spark.sql(s"EXPLAIN UPDATE lance.`$path` SET x = 0 WHERE id = 3").head().getString(0)
    assert(text.contains("UpdateColumns") && text.contains("columns x, mode columns"))
    assert(open(path).version == version)
  }

  test("a cached frame of the table is refreshed") {
    val path = numbers(20, 5)
    setMode(path, "columns")
    val cached: DataFrame = spark.sql(s"SELECT sum(id) FROM lance.`$path` WHERE x = -1").cache()
    assert(cached.head().isNullAt(0))
    spark.sql(s"UPDATE lance.`$path` SET x = -1 WHERE id in (3, 4)")
    assert(spark.sql(s"SELECT sum(id) FROM lance.`$path` WHERE x = -1").head().getLong(0) == 7)
    cached.unpersist(): Unit
  }

  test("values that do not fit, and an unknown mode") {
    val path = numbers(20, 20) // one task, so that no other task writes to its files
    setMode(path, "columns")
    val (version, files) = (open(path).version, dataFiles(path))
    Seq("id = 'a'" -> "id", "y = 1" -> "y").foreach { case (set, name) =>
      val e = intercept[AnalysisException](spark.sql(s"UPDATE lance.`$path` SET $set"))
      assert(e.getMessage.contains(name))
    }
    intercept[Exception] {
      spark.sql(s"UPDATE lance.`$path` SET x = raise_error('no') WHERE id = 7")
    }
    assert(open(path).version == version && dataFiles(path) == files)
    spark.conf.set("spark.lance.write.updateMode", "fast")
    try {
      val e = intercept[AnalysisException](spark.sql(s"UPDATE lance.`$path` SET x = 1"))
      assert(e.getMessage.contains("fast") && e.getMessage.contains("auto, rows, columns"))
    } finally spark.conf.unset("spark.lance.write.updateMode")
  }

  test("an update is retried after a concurrent change of the same rows") {
    val path = numbers(40, 8, "enable_stable_row_ids" -> true)
    setMode(path, "columns")
    val session = Classic.session(spark)
    def analyzed(text: String) = {
      val query = session.sessionState.executePlan(session.sessionState.sqlParser.parsePlan(text))
      query.assertAnalyzed()
      query
    }
    val before = read(path).orderBy("id").select("x").collect().map(_.get(0)).toSeq
    val again = Seq.fill(3)(analyzed(s"UPDATE lance.`$path` SET x = x + 1 WHERE id < 20"))
    val rows = open(path).version
    again.foreach(_.assertCommandExecuted())
    val after = read(path).orderBy("id").select("x").collect().map(_.get(0)).toSeq
    def number(v: Any): Double = v.toString.toDouble
    assert(after.take(20).map(number) == before.take(20).map(number(_) + 3))
    assert(after.drop(20) == before.drop(20) && open(path).version == rows + 3)
    // Rows that moved, and no retry without retries.
    val moved = analyzed(s"UPDATE lance.`$path` SET x = 0 WHERE id < 20")
    spark.sql(s"DELETE FROM lance.`$path` WHERE id = 3")
    moved.assertCommandExecuted()
    assert(read(path).where("x = 0 AND id < 20").count() == 19)
    spark.sql(s"ALTER TABLE lance.`$path` SET TBLPROPERTIES ('commit.retry.num' = '0')")
    val last = analyzed(s"UPDATE lance.`$path` SET x = 1 WHERE id < 20")
    spark.sql(s"DELETE FROM lance.`$path` WHERE id = 4")
    assert(intercept[AnalysisException](last.assertCommandExecuted()).condition ==
      "LANCE_COMMIT_CONFLICT")
    assert(Pylance.validate(path) == 38)
  }

  test("eight threads that change the same rows lose no change") {
    val path = numbers(40, 8)
    setMode(path, "columns")
    val sum = read(path).selectExpr("sum(cast(x as double))").head().getDouble(0)
    val failures = (1 to 8).map { _ =>
      @volatile var failure = Option.empty[Throwable]
      val thread = new Thread(() =>
        try spark.sql(s"UPDATE lance.`$path` SET x = x + 1"): Unit
        catch { case e: Throwable => failure = Some(e) }
      )
      thread.start()
      () => { thread.join(); failure }
    }.flatMap(_.apply())
    assert(failures.isEmpty, failures.mkString("\n"))
    val rows = read(path).count()
    assert(read(path).selectExpr("sum(cast(x as double))").head().getDouble(0) == sum + 8 * rows)
  }
}
