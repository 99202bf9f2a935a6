// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.functions.{expr, lit}

import io.github.pysparklance.spark.rowlevel.RowLevelSuite
import io.github.pysparklance.testkit.FrameMerge

/** What the name of a target says besides which table it is. */
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

  test("commands that do not fit their clauses are refused") {
    create()
    val merge = FrameMerge(spark.range(0), hinted("command=delete"), lit(false))
      .whenNotMatchedBySource().update(Map("value" -> lit(7L)))
    val error = intercept[AnalysisException](merge.merge())
    assert(error.getMessage.contains("command delete"))
  }
}
