// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage.requests

import io.github.pysparklance.core.ByteRange

/** A read that covers several requested ranges.
  *
  * @param range the bytes to read into one array
  * @param members indices of the requested ranges in it
  */
final case class CoalescedRead(range: ByteRange, members: IndexedSeq[Int]) {

  /** Splits the range into requests of at most `maxBytes`, in order. */
  def pieces(maxBytes: Int): IndexedSeq[ByteRange] =
    if (range.length <= maxBytes) IndexedSeq(range)
    else
      (range.offset until range.end by maxBytes.toLong)
        .map(from => ByteRange(from, math.min(maxBytes.toLong, range.end - from)))
}

/** Coalesces byte ranges into reads. Performs no I/O. */
object RangeCoalescing {

  /** Maximum bytes of a coalesced read, and of a request unless the [[StorageProfile]] has a lower
    * limit.
    */
  val maxReadBytes: Int = 8 << 20

  /** Merges ranges that are close together.
    *
    * @param ranges ranges in any order; they may overlap or be empty
    * @param maxGapBytes gaps up to this size are read rather than skipped
    * @param maxBytes maximum size of a merged read; overlapping ranges are merged beyond it
    * @return reads in ascending order; every non-empty range is a member of exactly one
    */
  def plan(
      ranges: IndexedSeq[ByteRange],
      maxGapBytes: Long,
      maxBytes: Long = maxReadBytes.toLong
  ): IndexedSeq[CoalescedRead] = {
    val sorted = ranges.indices.filter(ranges(_).length > 0).sortBy(ranges(_).offset)
    val reads = IndexedSeq.newBuilder[CoalescedRead]
    var members = Vector.empty[Int]
    var from = 0L
    var until = 0L
    sorted.foreach { i =>
      val r = ranges(i)
      val overlaps = r.offset < until
      val fits = r.offset - until <= maxGapBytes && math.max(until, r.end) - from <= maxBytes
      if (members.nonEmpty && (overlaps || fits)) {
        members :+= i
        until = math.max(until, r.end)
      } else {
        if (members.nonEmpty) reads += CoalescedRead(ByteRange(from, until - from), members)
        members = Vector(i)
        from = r.offset
        until = r.end
      }
    }
    if (members.nonEmpty) reads += CoalescedRead(ByteRange(from, until - from), members)
    reads.result()
  }
}
