// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.core

/** A half-open range of rows, `[from, until)`. */
final case class RowRange(from: Long, until: Long) {
  require(from >= 0 && until >= from, s"row range [$from, $until)")
  def numRows: Long = until - from
  def isEmpty: Boolean = until == from
}

object RowRange {

  /** Merges ranges that overlap or are close together.
    *
    * @param ranges ranges in ascending order of their first rows
    * @param maxGapRows ranges with at most this many rows between them become one
    */
  def merged(ranges: Iterator[RowRange], maxGapRows: Long): IndexedSeq[RowRange] = {
    val joined = IndexedSeq.newBuilder[RowRange]
    var from = -1L
    var until = -1L
    ranges.foreach { r =>
      if (from >= 0 && r.from - until <= maxGapRows) until = math.max(until, r.until)
      else {
        if (from >= 0) joined += RowRange(from, until)
        from = r.from
        until = r.until
      }
    }
    if (from >= 0) joined += RowRange(from, until)
    joined.result()
  }
}

/** A half-open range of bytes of a file or buffer. */
final case class ByteRange(offset: Long, length: Long) {
  require(offset >= 0 && length >= 0, s"byte range of $length at $offset")
  def end: Long = offset + length
}
