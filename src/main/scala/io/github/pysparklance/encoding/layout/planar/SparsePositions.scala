// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.layout.planar

import io.github.pysparklance.core.{Buffer, Checked, CorruptFileException}
import io.github.pysparklance.encoding.spi.Progression

/** Ascending slots of a layer. Hot code: imperative. */
sealed abstract private[planar] class SparsePositions {
  def count: Long

  /** Returns the slot with `ordinal` others before it. */
  def apply(ordinal: Long): Long

  /** Returns the number of slots below `slot`. */
  def rank(slot: Long): Long

  /** Appends the slots in `[from, until)`. */
  def appendRuns(from: Long, until: Long, out: SlotRuns): Unit
}

private[planar] object SparsePositions {

  /** Parses the positions.
    *
    * @throws CorruptFileException unless they ascend and lie in the layer
    */
  def open(
      sequence: SparseSequence,
      numSlots: Long,
      buffers: Iterator[Buffer]
  ): SparsePositions = sequence.progression match {
    case Some(Progression(start, step)) =>
      val n = sequence.numValues
      val positions = Even(start, if (n <= 1) 1 else step, n)
      if (
        n > 0 && (positions.step == 0 || start >= numSlots || n - 1 > (numSlots - 1 - start) / positions.step)
      )
        throw new CorruptFileException(
          s"$n positions from $start in steps of $step in a domain of $numSlots slots"
        )
      positions
    case None =>
      val array = sequence.decode(buffers)
      val n = Checked.int(sequence.numValues, "positions of a sparse page")
      var before = -1L
      var ok = true
      var i = 0
      while (i < n) {
        ok &= array(i) > before
        before = array(i)
        i += 1
      }
      CorruptFileException.check(
        ok && before < numSlots,
        s"$n positions that are not ascending or exceed a domain of $numSlots slots"
      )
      new Listed(array, n)
  }

  /** Evenly spaced positions. A single one has a step of 1. */
  final private case class Even(start: Long, step: Long, count: Long) extends SparsePositions {
    def apply(ordinal: Long): Long = start + ordinal * step

    def rank(slot: Long): Long =
      if (slot <= start) 0 else math.min(count, (slot - start + step - 1) / step)

    def appendRuns(from: Long, until: Long, out: SlotRuns): Unit = {
      var ordinal = rank(from)
      val last = rank(until)
      if (step == 1) {
        if (ordinal < last) out.add(start + ordinal, start + last)
      } else
        while (ordinal < last) {
          out.add(start + ordinal * step, start + ordinal * step + 1)
          ordinal += 1
        }
    }
  }

  final private class Listed(array: Array[Long], size: Int) extends SparsePositions {
    def count: Long = size.toLong

    def apply(ordinal: Long): Long = array(ordinal.toInt)

    def rank(slot: Long): Long = {
      val found = java.util.Arrays.binarySearch(array, 0, size, slot)
      (if (found >= 0) found else -found - 1).toLong
    }

    def appendRuns(from: Long, until: Long, out: SlotRuns): Unit = {
      var i = rank(from).toInt
      while (i < size && array(i) < until) {
        out.add(array(i), array(i) + 1)
        i += 1
      }
    }
  }
}

/** Ascending ranges of slots. Adjacent ranges are merged. */
final private[planar] class SlotRuns {
  private var starts = new Array[Long](16)
  private var ends = new Array[Long](16)
  private var size = 0

  def length: Int = size
  def from(i: Int): Long = starts(i)
  def until(i: Int): Long = ends(i)

  def clear(): Unit = size = 0

  /** Appends `[from, until)`, which must not precede present ranges. */
  def add(from: Long, until: Long): Unit =
    if (size > 0 && ends(size - 1) == from) ends(size - 1) = until
    else if (from < until) {
      if (size == starts.length) {
        val capacity = SparseDomains.listLength(size * 2L)
        starts = java.util.Arrays.copyOf(starts, capacity)
        ends = java.util.Arrays.copyOf(ends, capacity)
      }
      starts(size) = from
      ends(size) = until
      size += 1
    }
}
