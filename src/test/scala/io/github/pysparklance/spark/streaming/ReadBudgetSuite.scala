// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.streaming

import org.apache.spark.sql.connector.read.streaming.ReadLimit
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.InvalidRequestException

class ReadBudgetSuite extends AnyFunSuite {

  test("limits round-trip through Spark's representation") {
    for {
      limits <- Seq(
        StreamLimits(),
        StreamLimits(rows = Some(5)),
        StreamLimits(bytes = Some(6)),
        StreamLimits(fragments = Some(7)),
        StreamLimits(Some(5), Some(6), Some(7))
      )
    } assert(ReadBudget.limits(ReadBudget.limit(limits)) == limits)
  }

  test("composite limits keep the smallest of each kind") {
    val limit = ReadLimit.compositeLimit(Array(
      ReadLimit.maxRows(9),
      ReadLimit.allAvailable(),
      ReadLimit.compositeLimit(Array(ReadLimit.maxRows(4), ReadLimit.maxFiles(3))),
      ReadLimit.minRows(2, 1000)
    ))
    assert(ReadBudget.limits(limit) == StreamLimits(rows = Some(4), fragments = Some(3)))
  }

  test("a limit of another kind is an error") {
    object Other extends ReadLimit { override def toString: String = "other" }
    val e = intercept[InvalidRequestException](ReadBudget.limits(Other))
    assert(e.getMessage.contains("other"))
  }

  test("the first part is always admitted, other parts while all limits hold") {
    val rows = new ReadBudget(StreamLimits(rows = Some(5)))
    assert(rows.admits(9, 1) && !rows.admits(1, 1))
    val both = new ReadBudget(StreamLimits(rows = Some(5), bytes = Some(10)))
    assert(both.admits(2, 6) && !both.admits(2, 6) && both.admits(3, 4) && !both.admits(1, 0))
    val fragments = new ReadBudget(StreamLimits(fragments = Some(2)))
    assert(fragments.admits(2, 6) && fragments.admits(2, 6) && !fragments.admits(0, 0))
  }
}
