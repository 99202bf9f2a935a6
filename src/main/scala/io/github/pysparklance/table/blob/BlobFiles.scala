// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.blob

import scala.collection.mutable

import io.github.pysparklance.core.{ByteRange, CorruptFileException, Place}
import io.github.pysparklance.file.scheduling.{FileReads, RangeRequest}
import io.github.pysparklance.storage.spi.{FileStore, RangeReader}

/** The objects that blobs are read from, each opened once for as long as it is used. Used by one thread.
  *
  * @param sizes of objects that are known, by path
  */
final private[blob] class BlobFiles(store: FileStore, sizes: Map[String, Long])
    extends AutoCloseable {
  final private class OpenFile(val reader: RangeReader) {
    val reads = FileReads.of(reader)
    var lastUse = 0
  }

  /** In the order of their last use. */
  private val files = mutable.LinkedHashMap.empty[String, OpenFile]
  private var round = 0

  /** The range with its length, checked against the object.
    *
    * @throws CorruptFileException when it does not lie in the object
    */
  def resolved(range: BlobRange): BlobRange = {
    val size = use(range.path).reader.size
    val length = if (range.length == BlobRange.toEnd) size - range.offset else range.length
    if (length < 0 || range.offset > size - length)
      throw new CorruptFileException(
        s"a blob of ${math.max(0, length)} bytes at ${range.offset} of an object of $size bytes",
        Place(path = Some(range.path))
      )
    BlobRange(range.path, range.offset, length)
  }

  /** Asks for a range that was [[resolved]]; nothing is read before [[submit]]. */
  def request(range: BlobRange): RangeRequest =
    use(range.path).reads.request(ByteRange(range.offset, range.length))

  /** Starts to read what was asked for. */
  def submit(): Unit = files.valuesIterator.foreach(_.reads.submit())

  /** Ends a round of requests. Those of this round and of the one before may still be awaited; objects that were last
    * used earlier are closed, but for a few.
    */
  def endRound(): Unit = {
    round += 1
    val old = files.iterator.filter(_._2.lastUse < round - 2).map(_._1).toIndexedSeq
    old.dropRight(BlobFiles.keptOpen).foreach(close)
  }

  private def use(path: String): OpenFile = {
    val file = files.remove(path).getOrElse {
      new OpenFile(sizes.get(path).fold(store.open(path))(store.open(path, _)))
    }
    file.lastUse = round
    files(path) = file
    file
  }

  private def close(path: String): Unit = files.remove(path).foreach { file =>
    file.reads.close()
    file.reader.close()
  }

  def close(): Unit = files.keys.toIndexedSeq.foreach(close)
}

private object BlobFiles {

  /** Data files and shared side files are used by one batch after the other. */
  val keptOpen = 8
}
