// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.jobs

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.functions.expr

import io.github.pysparklance.table.maintenance.CompactionMetrics
import io.github.pysparklance.testkit.Pylance

class OptimizeJobSuite extends JobSuite {

  test("a condition selects fragments, which are rewritten completely") {
    val path = numbers(40, 5)
    val outcome = OptimizeJob.run(
      on(path),
      Map("target_rows_per_fragment" -> "100"),
      Some(expr("id between 12 and 21 and s is not null")),
      Nil,
      read(path)
    )
    assert(outcome.metrics == CompactionMetrics(3, 1, 3, 1))
    assert(open(path).fragments.map(_.id) == Seq(0, 1, 5, 6, 7, 8))
    assert(ids(path).sorted == (0L until 40L) && Pylance.validate(path) == 40)
  }

  test("a condition, a list of fragments, and an order") {
    val path = numbers(40, 5)
    val outcome = OptimizeJob.run(
      on(path),
      Map("fragment_ids" -> "0,1,2,3"),
      Some(expr("id >= 10")),
      Seq("x"),
      read(path)
    )
    assert(outcome.metrics == CompactionMetrics(2, 1, 2, 1))
    val sorted = read(path).where("_fragid = 8").select("x").collect().map(_.getDouble(0)).toSeq
    assert(sorted.length == 10 && sorted == sorted.sorted)
    assert(ids(path).sorted == (0L until 40L))
  }

  test("a column that hides a metadata column of a job") {
    val path = fresh()
    Pylance.write("[{'id': i, '_FragId': 7} for i in range(10)]", path)
    def rejected(where: Option[String], order: String*): String =
      intercept[AnalysisException] {
        OptimizeJob.run(on(path), Map.empty, where.map(expr), order, read(path))
      }.getMessage
    assert(rejected(Some("id > 3")).contains("_fragid") && rejected(None, "id").contains("_fragid"))
    assert(open(path).version == 1)
  }

  test("missing rows and columns") {
    val path = numbers(10, 5)
    def optimize(condition: String): Long =
      OptimizeJob.run(on(path), Map.empty, Some(expr(condition)), Nil, read(path)).table.version
    assert(optimize("id < 0") == 1)
    assert(intercept[AnalysisException](optimize("z < 0")).getMessage.contains("`z`"))
  }
}
