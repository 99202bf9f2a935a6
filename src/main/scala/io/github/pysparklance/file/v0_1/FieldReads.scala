// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.v0_1

import io.github.pysparklance.core.{Buffer, ByteRange, Column}
import io.github.pysparklance.file.scheduling.{FileReads, RangeRequest}

/** Slots of one field of one batch on their way: rows at the top, items below a list. Where the bytes of a slot are is
  * known only once the offsets above it are there, so it takes several steps to ask for all of them.
  *
  * What would take more bytes than a window may have is not asked for ahead; it is read when the column is made, so
  * callers ask [[slotsWithin]] first how many slots to take at a time.
  */
abstract private[v0_1] class FieldReads {

  /** Whether [[advance]] need not wait. */
  def isReady: Boolean

  /** Asks for the bytes of one more level of nesting; true when there is nothing more to ask for. */
  def advance(): Boolean

  /** Bytes asked for. */
  def bytesAhead: Long

  /** The end of the largest run of slots from `from` whose bytes are there or take at most `maxBytes`; at least one
    * slot, at most `until`. After [[advance]] was done.
    */
  def slotsWithin(from: Long, until: Long, maxBytes: Long): Long

  /** The slots `[from, until)`, which lie in what was asked for. After [[advance]] was done. */
  def column(from: Long, until: Long): Column
}

/** Bytes of a page that were asked for all at once, or are read piece by piece because they are many. */
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

  /** A part of the range. */
  def part(r: ByteRange): Buffer =
    if (isWhole) whole.await().slice(r.offset - range.offset, r.length)
    else {
      val request = fileReads.request(absolute(r))
      fileReads.submit()
      request.await()
    }
}
