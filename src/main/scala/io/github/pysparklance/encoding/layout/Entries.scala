// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.layout

import io.github.pysparklance.core.Values

/** The levels of one batch at one depth of the field path. Entries with definition level 0 are
  * open: their slots are kept as runs. Hot code: imperative.
  */
final private[layout] class Entries {
  var size = 0
  var rep = new Array[Short](1024)
  var defs = new Array[Short](1024)
  private var runFrom = new Array[Int](64)
  private var runUntil = new Array[Int](64)
  private var numRuns = 0
  private var run = 0
  private var slot = 0

  /** Starts over with `count` open entries for the slots from `from` on. */
  def start(from: Int, count: Int): Unit = {
    startEmpty()
    if (count > 0) {
      ensure(count)
      java.util.Arrays.fill(rep, 0, count, 0.toShort)
      java.util.Arrays.fill(defs, 0, count, 0.toShort)
      size = count
      addRun(from, count)
    }
  }

  def startEmpty(): Unit = {
    size = 0
    clearRuns()
  }

  def add(r: Short, d: Short): Unit = {
    if (size == rep.length) ensure(1)
    rep(size) = r
    defs(size) = d
    size += 1
  }

  /** Adds `count` open entries of one list: the first with repetition level `r`, the others with 0.
    */
  def addOpen(r: Short, count: Int): Unit = {
    ensure(count)
    java.util.Arrays.fill(rep, size, size + count, 0.toShort)
    java.util.Arrays.fill(defs, size, size + count, 0.toShort)
    rep(size) = r
    size += count
  }

  def clearRuns(): Unit = numRuns = 0

  def addRun(from: Int, count: Int): Unit =
    if (numRuns > 0 && runUntil(numRuns - 1) == from) runUntil(numRuns - 1) = from + count
    else {
      if (numRuns == runFrom.length) {
        runFrom = java.util.Arrays.copyOf(runFrom, numRuns * 2)
        runUntil = java.util.Arrays.copyOf(runUntil, numRuns * 2)
      }
      runFrom(numRuns) = from
      runUntil(numRuns) = from + count
      numRuns += 1
    }

  /** Takes the runs of `other`, whose runs become empty. */
  def takeRuns(other: Entries): Unit = {
    val (from, until) = (runFrom, runUntil)
    runFrom = other.runFrom
    runUntil = other.runUntil
    numRuns = other.numRuns
    other.runFrom = from
    other.runUntil = until
    other.numRuns = 0
  }

  /** Prepares iteration with [[nextSlot]]. */
  def rewind(): Unit = {
    run = 0
    slot = if (numRuns > 0) runFrom(0) else 0
  }

  def nextSlot(): Int = {
    if (slot == runUntil(run)) {
      run += 1
      slot = runFrom(run)
    }
    slot += 1
    slot - 1
  }

  def foreachRun(f: (Int, Int) => Unit): Unit = {
    var i = 0
    while (i < numRuns) {
      f(runFrom(i), runUntil(i) - runFrom(i))
      i += 1
    }
  }

  def countUpTo(level: Int): Int = {
    var n = 0
    var e = 0
    while (e < size) {
      n += (defs(e) - level - 1) >>> 31
      e += 1
    }
    n
  }

  private def ensure(more: Int): Unit = {
    val wanted = size.toLong + more
    if (wanted > rep.length) {
      val capacity = Values.grownCapacity(rep.length, wanted)
      rep = java.util.Arrays.copyOf(rep, capacity)
      defs = java.util.Arrays.copyOf(defs, capacity)
    }
  }
}
