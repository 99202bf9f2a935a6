// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage.requests

import io.github.pysparklance.core.{Buffer, ByteRange}

/** A range that is being read into one array, with as many requests as the storage's request limit
  * needs.
  *
  * @param read the range and the indices of its members
  * @param spare provides the array and takes it back
  */
final private[pysparklance] class StartedRead(
    source: ByteSource,
    read: CoalescedRead,
    spare: SpareArrays = SpareArrays.none
) {

  /** The range being read. */
  def range: ByteRange = read.range

  // Allocated by the first running request, so that queued requests take no memory.
  private lazy val bytes = source.arrayFor(read.range, spare)

  private val pieces: IndexedSeq[Pending[Unit]] =
    read.pieces(source.profile.maxRequestBytes).map { piece =>
      val at = (piece.offset - read.range.offset).toInt
      source.profile.reads.start(() => source.readInto(piece.offset, bytes, at, piece.length.toInt))
    }

  /** Whether [[await]] returns immediately. */
  def isDone: Boolean = pieces.forall(_.isDone)

  /** Waits for the bytes. Throws if a request failed. */
  def await(): Buffer = {
    pieces.foreach(_.await())
    new Buffer(bytes, 0, read.range.length.toInt)
  }

  /** Returns the array to `spare` if the range has one member. Its bytes must not be read
    * afterwards. Called once, after [[await]].
    */
  def release(): Unit = if (read.members.length == 1) spare.add(bytes)

  /** Cancels requests that have not started. */
  def cancel(): Unit = pieces.foreach(_.cancel())
}
