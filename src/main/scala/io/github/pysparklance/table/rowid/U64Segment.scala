// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.rowid

import java.lang.Long.compareUnsigned

import io.github.pysparklance.core.CorruptFileException
import io.github.pysparklance.table.proto

/** A run of unsigned integers in one of five forms. Hot code: imperative, indices are not checked.
  *
  * {{{
  *   range              5 .. 9                       5 6 7 8
  *   range_with_holes   5 .. 9, holes 6              5   7 8
  *   range_with_bitmap  5 .. 9, bitmap 1011 (lsb)    5   7 8
  *   sorted_array       5 7 900
  *   array              900 5 7
  * }}}
  * Ranges exclude their end. The writer uses the smallest form, and the first of equal ones.
  *
  * Source: message `U64Segment`, rowids.proto.
  */
abstract private[rowid] class U64Segment {

  /** Number of integers. */
  def numValues: Long

  /** Returns the integer at an index. */
  def apply(i: Long): Long

  /** Writes `numWanted` integers from index `from` into `out` at `at`. */
  def fill(from: Long, out: Array[Long], at: Int, numWanted: Int): Unit

  /** The smallest and the largest integer, unsigned. The segment must not be empty. */
  def bounds: (Long, Long)

  /** Calls `found` for each value that occurs in this segment.
    *
    * @param values ascending, unsigned, without duplicates
    * @param found takes an index into `values` and the index of the integer in the segment
    */
  def locate(values: Array[Long], from: Int, until: Int, found: (Int, Long) => Unit): Unit = {
    var i = from
    while (i < until) {
      val index = indexOf(values(i))
      if (index >= 0) found(i, index)
      i += 1
    }
  }

  /** Returns the index of a value, or -1 if it does not occur. */
  protected def indexOf(value: Long): Long

  def toMessage: proto.U64Segment
}

private[rowid] object U64Segment {

  /** @throws CorruptFileException if the segment is inconsistent */
  def decode(m: proto.U64Segment): U64Segment = {
    import proto.U64Segment.SegmentCase._
    m.getSegmentCase match {
      case RANGE => RangeSegment(m.getRange.getStart, span(m.getRange.getStart, m.getRange.getEnd))
      case RANGE_WITH_HOLES => RangeWithHoles.decode(m.getRangeWithHoles)
      case RANGE_WITH_BITMAP => RangeWithBitmap.decode(m.getRangeWithBitmap)
      case SORTED_ARRAY =>
        val values = EncodedU64Array.decode(m.getSortedArray)
        check(values.isStrictlyAscending, "the sorted_array is not sorted")
        new SortedArray(values)
      case ARRAY => new UnsortedArray(EncodedU64Array.decode(m.getArray))
      case SEGMENT_NOT_SET => throw new CorruptFileException("corrupt row ids: an empty U64Segment")
    }
  }

  /** Returns the length of a range. */
  def span(start: Long, end: Long): Long = {
    check(
      compareUnsigned(start, end) <= 0 && end - start >= 0,
      s"a range from ${java.lang.Long.toUnsignedString(start)} to ${java.lang.Long.toUnsignedString(end)}"
    )
    end - start
  }

  def check(condition: Boolean, problem: => String): Unit =
    CorruptFileException.check(condition, s"corrupt row ids: $problem")

  /** Encodes `values`, unsigned and in any order, in the smallest form. */
  def encode(values: Array[Long]): U64Segment =
    if (values.isEmpty) RangeSegment(0L, 0L)
    else if (!isStrictlyAscending(values)) new UnsortedArray(EncodedU64Array.encode(values))
    else {
      val n = values.length.toLong
      // If the span overflows a Long, only an array can be the smallest form.
      val span = values(values.length - 1) - values(0) + 1
      val isShort = span > 0 && span < Long.MaxValue / 8
      val bytesOfHoles = if (isShort) 24 + 4 * (span - n) else Long.MaxValue
      val bytesOfBitmap = if (isShort) 24 + (span + 7) / 8 else Long.MaxValue
      val bytesOfArray = 24 + 2 * n
      if (span == n) RangeSegment(values(0), n)
      else if (bytesOfHoles <= bytesOfBitmap && bytesOfHoles <= bytesOfArray)
        RangeWithHoles.encode(values)
      else if (bytesOfBitmap <= bytesOfArray) RangeWithBitmap.encode(values)
      else new SortedArray(EncodedU64Array.encode(values))
    }

  private def isStrictlyAscending(values: Array[Long]): Boolean = {
    var i = 1
    while (i < values.length && compareUnsigned(values(i - 1), values(i)) < 0) i += 1
    i >= values.length
  }
}

/** `start`, `start + 1`, ... Source: message `U64Segment.Range`, rowids.proto. */
final private[rowid] case class RangeSegment(start: Long, numValues: Long) extends U64Segment {
  def apply(i: Long): Long = start + i

  def fill(from: Long, out: Array[Long], at: Int, numWanted: Int): Unit = {
    val first = start + from
    var i = 0
    while (i < numWanted) {
      out(at + i) = first + i
      i += 1
    }
  }

  def bounds: (Long, Long) = (start, start + numValues - 1)

  protected def indexOf(value: Long): Long = {
    val index = value - start
    if (index >= 0 && index < numValues) index else -1L
  }

  def toMessage: proto.U64Segment =
    proto.U64Segment
      .newBuilder()
      .setRange(proto.U64Segment.Range.newBuilder().setStart(start).setEnd(start + numValues))
      .build()
}

/** Strictly ascending integers. Source: `sorted_array` of message `U64Segment`, rowids.proto. */
final private[rowid] class SortedArray(values: EncodedU64Array) extends U64Segment {
  def numValues: Long = values.numValues.toLong
  def apply(i: Long): Long = values(i.toInt)

  def fill(from: Long, out: Array[Long], at: Int, numWanted: Int): Unit =
    values.fill(from.toInt, out, at, numWanted)

  def bounds: (Long, Long) = (values(0), values(values.numValues - 1))

  protected def indexOf(value: Long): Long = {
    val i = values.numBelow(value)
    if (i < values.numValues && values(i) == value) i.toLong else -1L
  }

  def toMessage: proto.U64Segment =
    proto.U64Segment.newBuilder().setSortedArray(values.toMessage).build()
}

/** Integers in any order. Source: `array` of message `U64Segment`, rowids.proto. */
final private[rowid] class UnsortedArray(values: EncodedU64Array) extends U64Segment {
  def numValues: Long = values.numValues.toLong
  def apply(i: Long): Long = values(i.toInt)

  def fill(from: Long, out: Array[Long], at: Int, numWanted: Int): Unit =
    values.fill(from.toInt, out, at, numWanted)

  lazy val bounds: (Long, Long) = {
    var min = values(0)
    var max = min
    var i = 1
    while (i < values.numValues) {
      val v = values(i)
      if (compareUnsigned(v, min) < 0) min = v
      if (compareUnsigned(v, max) > 0) max = v
      i += 1
    }
    (min, max)
  }

  override def locate(
      wanted: Array[Long],
      from: Int,
      until: Int,
      found: (Int, Long) => Unit
  ): Unit = {
    var i = 0
    while (i < values.numValues) {
      val at = UnsortedArray.find(wanted, from, until, values(i))
      if (at >= 0) found(at, i.toLong)
      i += 1
    }
  }

  protected def indexOf(value: Long): Long = {
    var i = 0
    while (i < values.numValues && values(i) != value) i += 1
    if (i < values.numValues) i.toLong else -1L
  }

  def toMessage: proto.U64Segment =
    proto.U64Segment.newBuilder().setArray(values.toMessage).build()
}

private[rowid] object UnsortedArray {

  /** Returns the index of `value` in the ascending `values[from, until)`, or a negative number if
    * it does not occur.
    */
  def find(values: Array[Long], from: Int, until: Int, value: Long): Int = {
    val at = numBelow(values, from, until, value)
    if (at < until && values(at) == value) at else -1
  }

  /** Returns the first index in the ascending `values[from, until)` that is not below `value`,
    * unsigned.
    */
  def numBelow(values: Array[Long], from: Int, until: Int, value: Long): Int = {
    var low = from
    var high = until
    while (low < high) {
      val middle = (low + high) >>> 1
      if (compareUnsigned(values(middle), value) < 0) low = middle + 1 else high = middle
    }
    low
  }
}
