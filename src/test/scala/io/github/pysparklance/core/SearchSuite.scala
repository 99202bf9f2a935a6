// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.core

import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.testkit.PropertyChecks

class SearchSuite extends AnyFunSuite with PropertyChecks {

  test("the last position equals that of a linear search") {
    val positions = for {
      low <- Gen.chooseNum(0L, 50L)
      high <- Gen.chooseNum(low, low + 50L)
      until <- Gen.chooseNum(0L, 120L)
    } yield (low, high, until)
    forAll(positions) { case (low, high, until) =>
      val expected = (low to high).filter(_ < until).lastOption.getOrElse(low)
      assert(Search.last(low, high)(_ < until) == expected)
    }
  }

  test("of equal numbers, the last is found; if none is small enough, the first") {
    val sorted = Array(0L, 3L, 3L, 3L, Long.MaxValue)
    assert(Search.lastAtMost(sorted, 0L) == 0)
    assert(Search.lastAtMost(sorted, 3L) == 3)
    assert(Search.lastAtMost(sorted, Long.MaxValue) == 4)
    assert(Search.lastAtMost(sorted, 1, 2, 9L) == 2)
    assert(Search.lastAtMost(sorted, 1, 4, 2L) == 1)
  }

  test("an empty search returns the first position without a probe") {
    assert(Search.last(7L, 6L)(_ => fail("there is no position to probe")) == 7L)
  }
}
