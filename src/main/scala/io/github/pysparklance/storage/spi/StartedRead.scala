// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage.spi

import io.github.pysparklance.core.{Buffer, ByteRange}

/** A range of a file on its way into one array, in as many requests as suit the storage.
  *
  * @param read the range; who asked for it is of no account
  */
final private[pysparklance] class StartedRead(reader: RangeReader, read: CoalescedRead) {

  /** The range. */
  def range: ByteRange = read.range

  // Made by the thread that begins: what waits for a thread takes no memory.
  private lazy val bytes = reader.arrayFor(read.range)

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
    Buffer(bytes)
  }

  /** Gives up what has not begun. */
  def cancel(): Unit = pieces.foreach(_.cancel())
}
