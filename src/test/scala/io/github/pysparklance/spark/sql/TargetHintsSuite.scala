// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql

import org.apache.spark.sql.functions.{expr, lit}
import org.apache.spark.sql.{AnalysisException, DataFrame}

import io.github.pysparklance.spark.rowlevel.RowLevelSuite
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.refs.Revision
import io.github.pysparklance.testkit.FrameMerge

/** The hints in the name of a target. */
class TargetHintsSuite extends RowLevelSuite {
  private def hinted(hints: String): String = s"$t.`?$hints`"

  test("an alias, and options of the write") {
    create()
    val source = spark.range(19, 21).toDF("id").as("s")
    FrameMerge(source, hinted("as=x&commitMessage=a%20%26%20b"), expr("x.id = s.id"))
      .whenMatched().update(Map("value" -> expr("x.value + s.id")))
      .whenNotMatched(expr("s.id > 0")).insert(Map("id" -> expr("s.id")))
      .whenNotMatchedBySource(expr("x.id < 5")).delete()
      .merge()
    assert(values.head == ((5L, 50L)))
    assert(values.takeRight(2) == Seq[(Long, Any)]((19L, 209L), (20L, null)))
    val notes = lastVersion.properties
    assert(notes("__lance_commit_message") == "a & b")
    assert(Seq("deleted", "updated", "inserted").map(w => notes(s"lance.spark.${w}Rows")) ==
      Seq("5", "1", "1"))
    checkByPylance()
  }

  test("DELETE and UPDATE") {
    create()
    FrameMerge(spark.range(0), hinted("command=delete"), lit(false))
      .whenNotMatchedBySource(expr("id >= 3")).delete()
      .merge()
    assert(lastVersion.operation.contains("Delete"))
    assert(lastVersion.properties("lance.spark.deletedRows") == "17")
    FrameMerge(spark.range(0), hinted("command=update&as=x"), lit(false))
      .whenNotMatchedBySource(expr("x.id = 1")).update(Map("value" -> lit(7L)))
      .merge()
    assert(values == Seq[(Long, Any)]((0L, 0L), (1L, 7L), (2L, 20L)))
    FrameMerge(spark.range(0), hinted("command=delete"), lit(false))
      .whenNotMatchedBySource().delete()
      .merge()
    assert(values.isEmpty)
  }

  private def delete(condition: String)(hints: String): Unit =
    FrameMerge(spark.range(0), hinted(s"command=delete&$hints"), lit(false))
      .whenNotMatchedBySource(expr(condition)).delete()
      .merge()

  private def update(mode: String)(hints: String): Unit =
    FrameMerge(spark.range(0), hinted(s"command=update&updateMode=$mode&$hints"), lit(false))
      .whenNotMatchedBySource(expr("id = 1")).update(Map("value" -> lit(7L)))
      .merge()

  private def merge(frame: DataFrame, inserts: Boolean)(hints: String): Unit = {
    val into = FrameMerge(frame.as("s"), hinted(s"as=x&$hints"), expr("x.id = s.id"))
    val all = if (inserts) into else into.whenMatched().update(Map("value" -> expr("s.value")))
    val evolving = if (frame.columns.length > 2) all.withSchemaEvolution() else all
    evolving.whenNotMatched().insertAll().merge()
  }

  private def source: DataFrame = spark.range(19, 21).selectExpr("id", "id AS value")

  private val kinds: Seq[(String, String => Unit)] = Seq(
    "DELETE by values" -> delete("id = 3"),
    "DELETE by metadata" -> delete("_rowaddr = 4"),
    "DELETE of all rows" -> delete("true"),
    "UPDATE by rows" -> update("rows"),
    "UPDATE by columns" -> update("columns"),
    "MERGE" -> (merge(source, inserts = false)(_)),
    "MERGE that only inserts rows" -> (merge(source, inserts = true)(_)),
    "MERGE with new columns" -> (h => merge(source.withColumn("n", lit(1)), inserts = false)(h)),
    "MERGE that only inserts rows with new columns" ->
      (h => merge(source.withColumn("n", lit(1)), inserts = true)(h))
  )

  for ((kind, run) <- kinds)
    test(s"options count: $kind") {
      create()
      LanceTable.branches(Storage.local, path).create("dev")
      for (_ <- 1 to 2) run("commitMessage=m&transactionProperty.k=v&txnAppId=a&txnVersion=1")
      assert(table.version == 2)
      val notes = lastVersion.properties
      assert(notes("__lance_commit_message") == "m" && notes("k") == "v")
      assert(notes("lance.spark.statement") == kind.takeWhile(_ != ' '))
      run("branch=dev&commitMessage=on%20dev")
      val dev = LanceTable.open(Storage.local, path, Revision.OnBranch("dev"))
      assert(table.version == 2 && dev.version == 2)
      val onDev = LanceTable.history(Storage.local, path, Some("dev")).toSeq.last
      assert(onDev.properties("__lance_commit_message") == "on dev")
      val error = intercept[AnalysisException](run("comitMessage=m"))
      assert(error.getMessage.contains("commitMessage"))
      val byColumns = kind == "UPDATE by columns"
      if (kind.startsWith("UPDATE"))
        assert(table.fragments.forall(_.deletionFile.isEmpty) == byColumns)
    }

  test("commands that do not fit their clauses are rejected") {
    create()
    val merge = FrameMerge(spark.range(0), hinted("command=delete"), lit(false))
      .whenNotMatchedBySource().update(Map("value" -> lit(7L)))
    val error = intercept[AnalysisException](merge.merge())
    assert(error.getMessage.contains("command delete"))
  }
}
