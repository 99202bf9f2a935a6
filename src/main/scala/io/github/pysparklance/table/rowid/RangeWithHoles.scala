// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.rowid

import io.github.pysparklance.table.proto

/** A range without some of its integers. Hot code: imperative.
  *
  * {{{
  *   start 5, end 12, holes 6 9      5 7 8 10 11
  * }}}
  * The holes are integers of the range, strictly ascending.
  *
  * Source: message `U64Segment.RangeWithHoles`, rowids.proto.
  */
final private[rowid] class RangeWithHoles private (start: Long, span: Long, holes: EncodedU64Array)
    extends U64Segment {

  def numValues: Long = span - holes.numValues

  def apply(i: Long): Long = start + i + holesBefore(i)

  /** Returns the number of holes below the integer at index `i`. */
  private def holesBefore(i: Long): Int = {
    var low = 0
    var high = holes.numValues
    while (low < high) {
      val middle = (low + high) >>> 1
      // The hole at `middle` has this many integers before it.
      if (holes(middle) - start - middle <= i) low = middle + 1 else high = middle
    }
    low
  }

  def fill(from: Long, out: Array[Long], at: Int, numWanted: Int): Unit = {
    var hole = holesBefore(from)
    var value = start + from + hole
    var i = 0
    while (i < numWanted) {
      while (hole < holes.numValues && holes(hole) == value) {
        hole += 1
        value += 1
      }
      out(at + i) = value
      value += 1
      i += 1
    }
  }

  def bounds: (Long, Long) = (apply(0), apply(numValues - 1))

  protected def indexOf(value: Long): Long = {
    val offset = value - start
    if (offset < 0 || offset >= span) -1L
    else {
      val below = holes.numBelow(value)
      if (below < holes.numValues && holes(below) == value) -1L else offset - below
    }
  }

  def toMessage: proto.U64Segment = {
    val m = proto.U64Segment.RangeWithHoles
      .newBuilder()
      .setStart(start)
      .setEnd(start + span)
      .setHoles(holes.toMessage)
    proto.U64Segment.newBuilder().setRangeWithHoles(m).build()
  }
}

private[rowid] object RangeWithHoles {

  def decode(m: proto.U64Segment.RangeWithHoles): RangeWithHoles = {
    val span = U64Segment.span(m.getStart, m.getEnd)
    val holes = EncodedU64Array.decode(m.getHoles)
    U64Segment.check(holes.isStrictlyAscending, "the holes are not sorted")
    if (holes.numValues > 0) {
      val inside = Seq(holes(0), holes(holes.numValues - 1)).forall { h =>
        val offset = h - m.getStart
        offset >= 0 && offset < span
      }
      U64Segment.check(inside, "holes outside of the range")
    }
    new RangeWithHoles(m.getStart, span, holes)
  }

  /** @param values strictly ascending, not empty, with a number of holes that fits an array */
  def encode(values: Array[Long]): RangeWithHoles = {
    val start = values(0)
    val span = values(values.length - 1) - start + 1
    val holes = new Array[Long]((span - values.length).toInt)
    var n = 0
    var i = 1
    while (i < values.length) {
      var v = values(i - 1) + 1
      while (v != values(i)) {
        holes(n) = v
        n += 1
        v += 1
      }
      i += 1
    }
    new RangeWithHoles(start, span, EncodedU64Array.encode(holes))
  }
}
