// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.scan

import org.scalatest.funsuite.AnyFunSuite

/** Determines when a filtered read switches to reading all columns together, and back. */
class FilterWindowsSuite extends AnyFunSuite {
  private val batchRows = 100
  private val end = 1000000L

  private def windows(
      numAhead: Int,
      history: FilterHistory = new FilterHistory,
      canReadTogether: Boolean = true
  ): FilterWindows =
    new FilterWindows(canReadTogether, startsTogether = false, batchRows, numAhead, history)

  /** A window of batches. `withMatch` of them have a matching row. */
  private def window(w: FilterWindows, batches: Int, withMatch: Int): Unit = {
    w.begin()
    (0 until batches).foreach(i => w.add(i < withMatch))
    w.choose()
  }

  test("windows grow without matches, up to 512 batches, and shrink immediately") {
    val w = windows(numAhead = 0)
    assert(w.numRows == 3200)
    val lengths = (1 to 6).map { _ => window(w, 32, 0); w.numRows }
    assert(lengths == Seq(6400, 12800, 25600, 51200, 51200, 51200))
    window(w, 32, 1)
    assert(w.numRows == 3200)
  }

  test("columns are read together while more than half of the batches have a match") {
    for (numAhead <- Seq(0, 8)) {
      val history = new FilterHistory
      val w = windows(numAhead, history)
      window(w, 32, 16)
      assert(!w.together && !history.matchesEverywhere)
      window(w, 32, 17)
      assert(w.together && history.matchesEverywhere)
      val never = windows(numAhead, canReadTogether = false)
      window(never, 32, 32)
      assert(!never.together)
    }
  }

  test("local reads end with their window, and the next one is chosen then") {
    val w = windows(numAhead = 0)
    assert(w.maxOpen == 1 && w.endOfReads(10, end) == 3210 && w.endOfReads(end - 5, end) == end)
    window(w, 32, 32)
    w.begin()
    (0 until 40).foreach(_ => w.add(hasMatch = false))
    assert(!w.switchBack() && w.together, "not before the end of the window")
    w.endTogether()
    assert(!w.together)
  }

  test("remote reads continue to the end of the fragment, until matches become rare") {
    val w = windows(numAhead = 8)
    assert(w.maxOpen == 8 && w.endOfReads(10, end) == end)
    window(w, 32, 32)
    w.begin()
    (0 until 31).foreach(_ => w.add(hasMatch = false))
    assert(!w.switchBack())
    w.add(hasMatch = false)
    assert(w.switchBack() && !w.together)
    w.endTogether()
    assert(!w.switchBack())
  }

  test("previous fragments determine how a remote read starts") {
    val history = new FilterHistory
    window(windows(numAhead = 8, history), 32, 32)
    val w = windows(numAhead = 8, history)
    assert(!w.together)
    w.startByHistory()
    assert(w.together)
    val local = windows(numAhead = 0, history)
    local.startByHistory()
    assert(!local.together)
  }
}
