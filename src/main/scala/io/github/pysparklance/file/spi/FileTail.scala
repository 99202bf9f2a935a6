// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.spi

import io.github.pysparklance.core.{Buffer, ByteRange, Place}
import io.github.pysparklance.storage.cache.RangeCache
import io.github.pysparklance.storage.spi.RangeReader

/** The end of a file, read once, and access to what lies before it.
  *
  * @param bytes the last bytes of the file
  */
final private[file] class FileTail private (reader: RangeReader, val bytes: Buffer) {
  private val start = reader.size - bytes.length

  def path: String = reader.path

  /** Bytes of the whole file. */
  def fileSize: Long = reader.size

  /** The bytes of the ranges; only what the tail does not hold is read. */
  def read(ranges: IndexedSeq[ByteRange]): IndexedSeq[Buffer] = {
    val outside = ranges.filter(_.offset < start)
    val fetched = outside.zip(RangeCache.shared.through(reader, outside)(reader.readRanges)).toMap
    ranges.map(r => fetched.getOrElse(r, bytes.slice(r.offset - start, r.length)))
  }

  /** Runs `body`; errors of ours know that they belong to this place of the file. */
  def in[A](offset: Long)(body: => A): A =
    Place.in(Place(path = Some(path), offsetBytes = Some(offset)))(body)
}

private[file] object FileTail {

  /** Bytes read from the end of a file at first: all tables of most files. */
  val numBytes: Int = 64 << 10

  /** Reads the end of a file, and whatever `f` wants of the file by it; errors of ours know the file. */
  def of[A](reader: RangeReader)(f: FileTail => A): A =
    Place.in(Place(path = Some(reader.path))) {
      RangeCache.shared.forgettingDamage(reader) {
        val range = reader.tailRange(numBytes)
        val bytes = RangeCache.shared.through(reader, IndexedSeq(range))(reader.readRanges).head
        f(new FileTail(reader, bytes))
      }
    }
}
