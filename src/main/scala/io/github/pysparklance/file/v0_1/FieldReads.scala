// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.v0_1

import io.github.pysparklance.core.{Buffer, ByteRange, Column}
import io.github.pysparklance.file.scheduling.{FileReads, RangeRequest}

/** Slots of one field of one batch that are being read: rows at the top level, items below a list.
  * The position of a slot's bytes depends on the offsets above it, so requesting all of them takes
  * several steps.
  *
  * Slots that exceed a window are not prefetched, but read when the column is created. So callers
  * must use [[slotsWithin]] to find the number of slots to read at a time.
  */
abstract private[v0_1] class FieldReads {

  /** Whether [[advance]] returns without waiting. */
  def isReady: Boolean

  /** Requests the bytes of the next nesting level. Returns true if there is nothing more to
    * request.
    */
  def advance(): Boolean

  /** Number of requested bytes. */
  def bytesAhead: Long

  /** Returns the end of the largest run of slots from `from` whose bytes are prefetched or take at
    * most `maxBytes`. It has at least one slot and ends at most at `until`. Call only after
    * [[advance]] returned true.
    */
  def slotsWithin(from: Long, until: Long, maxBytes: Long): Long

  /** Returns the slots `[from, until)`, which must be part of the requested slots. Call only after
    * [[advance]] returned true.
    */
  def column(from: Long, until: Long): Column
}

/** Bytes of a page that are requested all at once, or piece by piece if they exceed the limit. */
final private[v0_1] class PageBytes(
    fileReads: FileReads,
    position: Long,
    range: ByteRange,
    maxBytes: Long
) {
  val isWhole: Boolean = range.length <= maxBytes
  private val whole: RangeRequest =
    if (isWhole) fileReads.request(absolute(range)) else null

  private def absolute(r: ByteRange) = ByteRange(position + r.offset, r.length)

  def isDone: Boolean = !isWhole || whole.isDone

  def bytesAhead: Long = if (isWhole) range.length else 0L

  /** Returns a part of the range. */
  def part(r: ByteRange): Buffer =
    if (isWhole) whole.await().slice(r.offset - range.offset, r.length)
    else {
      val request = fileReads.request(absolute(r))
      fileReads.submit()
      request.await()
    }
}
