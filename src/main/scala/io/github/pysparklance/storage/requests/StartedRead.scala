// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage.requests

import io.github.pysparklance.core.{Buffer, ByteRange}

/** A range of a file that is being read into one array, in as many requests as suit the storage.
  *
  * @param read the range and the number of its members
  * @param spare provides the array, and takes it back
  */
final private[pysparklance] class StartedRead(
    source: ByteSource,
    read: CoalescedRead,
    spare: SpareArrays = SpareArrays.none
) {

  /** The range. */
  def range: ByteRange = read.range

  // Made by the thread that begins: what waits for a thread takes no memory.
  private lazy val bytes = source.arrayFor(read.range, spare)

  private val pieces: IndexedSeq[Pending[Unit]] =
    read.pieces(source.profile.maxRequestBytes).map { piece =>
      val at = (piece.offset - read.range.offset).toInt
      source.profile.reads.start(() => source.readInto(piece.offset, bytes, at, piece.length.toInt))
    }

  /** Whether [[await]] answers at once. */
  def isDone: Boolean = pieces.forall(_.isDone)

  /** The bytes. What went wrong with reading them is raised here. */
  def await(): Buffer = {
    pieces.foreach(_.await())
    new Buffer(bytes, 0, read.range.length.toInt)
  }

  /** Returns the array to `spare`, if the range has one member: the bytes must not be read any more. Called once, after
    * [[await]].
    */
  def release(): Unit = if (read.members.length == 1) spare.add(bytes)

  /** Gives up what has not begun. */
  def cancel(): Unit = pieces.foreach(_.cancel())
}
