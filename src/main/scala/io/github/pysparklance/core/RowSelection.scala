// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.core

import java.io.ByteArrayOutputStream

/** An immutable set of rows, for example of one fragment or file.
  *
  * @param ranges ascending, non-empty, and separated by gaps
  */
final case class RowSelection private (ranges: IndexedSeq[RowRange]) {

  def isEmpty: Boolean = ranges.isEmpty

  def numRows: Long = ranges.iterator.map(_.numRows).sum

  /** Returns the rows of either selection. */
  def union(other: RowSelection): RowSelection =
    if (isEmpty) other
    else if (other.isEmpty) this
    else RowSelection.of(ranges ++ other.ranges)

  /** Returns the rows of both selections. */
  def intersect(other: RowSelection): RowSelection =
    if (isEmpty || other.isEmpty) RowSelection.empty else common(other)

  private def common(other: RowSelection): RowSelection = {
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

  /** Returns the selected rows in a range. */
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

  /** Returns the selected rows in a range as offsets from its first row. */
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

  /** Selections are sent to tasks. The packed form takes a few bytes per range instead of an
    * object.
    */
  private def writeReplace: AnyRef = new RowSelection.Packed(RowSelection.packed(ranges))

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

  /** All rows of the ranges, which can overlap and have any order. */
  def of(ranges: IndexedSeq[RowRange]): RowSelection =
    RowSelection(RowRange.merged(ranges.filterNot(_.isEmpty).sortBy(_.from).iterator, 0L))

  /** The rows with these numbers, in any order, duplicates allowed. */
  def of(rows: Array[Long]): RowSelection = {
    val sorted = rows.sorted
    RowSelection(RowRange.merged(sorted.iterator.map(r => RowRange(r, r + 1)), 0L))
  }

  private def packed(ranges: IndexedSeq[RowRange]): Array[Byte] = {
    val out = new ByteArrayOutputStream(16 + 2 * ranges.length)
    def write(number: Long): Unit = {
      var rest = number
      while ((rest & ~0x7fL) != 0) {
        out.write((rest & 0x7f | 0x80).toInt)
        rest >>>= 7
      }
      out.write(rest.toInt)
    }
    var end = 0L
    ranges.foreach { r =>
      write(r.from - end)
      write(r.numRows)
      end = r.until
    }
    out.toByteArray
  }

  /** The serialized form.
    *
    * {{{
    *   per range: gap to the previous range | number of rows          varints: groups of 7 bits, lowest first
    * }}}
    */
  final private class Packed(bytes: Array[Byte]) extends Serializable {
    private def readResolve: AnyRef = {
      var at = 0
      def read(): Long = {
        var number = 0L
        var shift = 0
        var byte = 0x80
        while ((byte & 0x80) != 0) {
          byte = bytes(at).toInt
          number |= (byte & 0x7fL) << shift
          shift += 7
          at += 1
        }
        number
      }
      val ranges = IndexedSeq.newBuilder[RowRange]
      var end = 0L
      while (at < bytes.length) {
        val from = end + read()
        end = from + read()
        ranges += RowRange(from, end)
      }
      RowSelection(ranges.result())
    }
  }
}
