// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage.spi

import io.github.pysparklance.core.{Buffer, ByteRange}

/** A range of a file on its way into one array, in as many requests as suit the storage.
  *
  * @param read the range; who asked for it is of no account
  * @param spare arrays that nobody looks at any more
  */
final private[pysparklance] class StartedRead(
    reader: RangeReader,
    read: CoalescedRead,
    spare: SpareArrays = SpareArrays.none
) {

  /** The range. */
  def range: ByteRange = read.range

  // Made by the thread that begins: what waits for a thread takes no memory.
  private lazy val bytes = reader.arrayFor(read.range, spare)

  private val pieces: IndexedSeq[Pending[Unit]] =
    read.pieces(reader.pace.maxReadBytes).map { piece =>
      val at = (piece.offset - read.range.offset).toInt
      reader.pace.reads.start(() => reader.readInto(piece.offset, bytes, at, piece.length.toInt))
    }

  /** Whether [[await]] answers at once. */
  def isDone: Boolean = pieces.forall(_.isDone)

  /** The bytes. What went wrong with reading them is raised here. */
  def await(): Buffer = {
    pieces.foreach(_.await())
    new Buffer(bytes, 0, read.range.length.toInt)
  }

  /** Lets another read have the array, which belongs to it from now on, if there was one who asked for the range. Called
    * once, after [[await]].
    */
  def release(): Unit = if (read.members.length == 1) spare.add(bytes)

  /** Gives up what has not begun. */
  def cancel(): Unit = pieces.foreach(_.cancel())
}
