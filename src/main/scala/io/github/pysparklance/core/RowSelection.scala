// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.core

/** A set of rows, as of one fragment or file. Immutable.
  *
  * @param ranges ascending, none empty, none touching the next
  */
final case class RowSelection private (ranges: IndexedSeq[RowRange]) {

  def isEmpty: Boolean = ranges.isEmpty

  def numRows: Long = ranges.iterator.map(_.numRows).sum

  /** The rows that are here or there. */
  def union(other: RowSelection): RowSelection =
    if (isEmpty) other
    else if (other.isEmpty) this
    else RowSelection.of(ranges ++ other.ranges)

  /** The rows that are here and there. */
  def intersect(other: RowSelection): RowSelection = {
    val both = IndexedSeq.newBuilder[RowRange]
    var i = 0
    var j = 0
    while (i < ranges.length && j < other.ranges.length) {
      val from = math.max(ranges(i).from, other.ranges(j).from)
      val until = math.min(ranges(i).until, other.ranges(j).until)
      if (from < until) both += RowRange(from, until)
      if (ranges(i).until < other.ranges(j).until) i += 1 else j += 1
    }
    RowSelection(both.result())
  }

  /** The rows that lie in a range. */
  def within(rows: RowRange): RowSelection =
    if (rows.isEmpty) RowSelection.empty
    else {
      val first = firstEndingAfter(rows.from)
      val inside = ranges.iterator
        .drop(first)
        .takeWhile(_.from < rows.until)
        .map(r => RowRange(math.max(r.from, rows.from), math.min(r.until, rows.until)))
      RowSelection(inside.toIndexedSeq)
    }

  /** The rows that lie in a range, counted from its first. */
  def positionsIn(rows: RowRange): Array[Int] = {
    val positions = Array.newBuilder[Int]
    within(rows).ranges.foreach { r =>
      var row = r.from
      while (row < r.until) {
        positions += (row - rows.from).toInt
        row += 1
      }
    }
    positions.result()
  }

  private def firstEndingAfter(row: Long): Int = {
    var low = 0
    var high = ranges.length
    while (low < high) {
      val middle = (low + high) >>> 1
      if (ranges(middle).until <= row) low = middle + 1 else high = middle
    }
    low
  }
}

object RowSelection {

  /** No row. */
  val empty: RowSelection = new RowSelection(IndexedSeq.empty)

  private def apply(ranges: IndexedSeq[RowRange]): RowSelection =
    if (ranges.isEmpty) empty else new RowSelection(ranges)

  /** All rows of a range. */
  def of(rows: RowRange): RowSelection =
    if (rows.isEmpty) empty else new RowSelection(IndexedSeq(rows))

  /** All rows of some ranges, which may overlap, in any order. */
  def of(ranges: IndexedSeq[RowRange]): RowSelection =
    RowSelection(RowRange.merged(ranges.filterNot(_.isEmpty).sortBy(_.from).iterator, 0L))

  /** The rows of these numbers, in any order, repeated or not. */
  def of(rows: Array[Long]): RowSelection = {
    val sorted = rows.sorted
    RowSelection(RowRange.merged(sorted.iterator.map(r => RowRange(r, r + 1)), 0L))
  }
}
