// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.spi

import io.github.pysparklance.core.{Buffer, ByteRange, Place}
import io.github.pysparklance.storage.cache.RangeCache
import io.github.pysparklance.storage.spi.RangeReader

/** The tail of a file, read once, and access to the parts before it.
  *
  * @param bytes the last bytes of the file
  */
final private[file] class FileTail private (reader: RangeReader, val bytes: Buffer) {
  private val start = reader.size - bytes.length

  def path: String = reader.path

  /** Size in bytes of the whole file. */
  def fileSize: Long = reader.size

  /** Reads ranges of the file. Only ranges outside the tail cause requests. */
  def read(ranges: IndexedSeq[ByteRange]): IndexedSeq[Buffer] = {
    val outside = ranges.filter(_.offset < start)
    val fetched = outside.zip(RangeCache.shared.through(reader, outside)(reader.readRanges)).toMap
    ranges.map(r => fetched.getOrElse(r, bytes.slice(r.offset - start, r.length)))
  }

  /** Runs `body`, and adds the file and position to its errors. */
  def in[A](offset: Long)(body: => A): A =
    Place.in(Place(path = Some(path), offsetBytes = Some(offset)))(body)
}

private[file] object FileTail {

  /** Bytes to read from the end of a file at first. Contains all metadata of most files. */
  val numBytes: Int = 64 << 10

  /** Reads the tail of a file and runs `f` with it. Adds the file to errors. */
  def of[A](reader: RangeReader)(f: FileTail => A): A =
    Place.in(Place(path = Some(reader.path))) {
      RangeCache.shared.forgettingDamage(reader) {
        val range = reader.tailRange(numBytes)
        val bytes = RangeCache.shared.through(reader, IndexedSeq(range))(reader.readRanges).head
        f(new FileTail(reader, bytes))
      }
    }
}
