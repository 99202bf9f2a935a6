// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage.cache

import java.util.LinkedHashMap

import io.github.pysparklance.core.{
  Buffer,
  ByteRange,
  CorruptFileException,
  UnsupportedFeatureException
}
import io.github.pysparklance.storage.spi.RangeReader

/** Caches the parts of files that every reader requests first: tails, and heads of pages. On remote storage, each costs a
  * round trip before rows can be requested. Data files never change, so cached parts stay valid. Least recently used parts
  * are dropped first. Safe for use from many threads.
  *
  * Only files of an [[RangeReader.origin]] are kept.
  *
  * @param maxBytes of all parts together
  */
final private[pysparklance] class RangeCache(maxBytes: Long) {
  import RangeCache._

  private val parts = new LinkedHashMap[Part, Buffer](16, 0.75f, true)
  private var bytes = 0L

  /** The bytes of a range, if they are kept. */
  def get(reader: RangeReader, range: ByteRange): Option[Buffer] =
    part(reader, range).flatMap(p => synchronized(Option(parts.get(p))))

  /** Keeps the bytes of a range, unless there are too many of them. Nobody writes into their array any more. */
  def put(reader: RangeReader, range: ByteRange, read: Buffer): Unit =
    part(reader, range).filter(_ => range.length <= maxPartBytes).foreach { p =>
      // Of a larger array all would be kept.
      val own = if (read.length == read.array.length) read else Buffer(read.toBytes)
      synchronized {
        val before = parts.put(p, own)
        bytes += sizeOf(own) - (if (before == null) 0L else sizeOf(before))
        val eldest = parts.entrySet.iterator
        while (bytes > maxBytes && eldest.hasNext) {
          bytes -= sizeOf(eldest.next().getValue)
          eldest.remove()
        }
      }
    }

  /** The bytes of ranges: those that are kept, and the others as `read` answers for them, which are kept from now on. */
  def through(reader: RangeReader, ranges: IndexedSeq[ByteRange])(
      read: IndexedSeq[ByteRange] => IndexedSeq[Buffer]
  ): IndexedSeq[Buffer] = {
    val known = ranges.map(get(reader, _))
    val others = ranges.zip(known).collect { case (range, None) => range }
    val answers = others.zip(read(others))
    answers.foreach { case (range, its) => put(reader, range, its) }
    val next = answers.iterator.map(_._2)
    known.map(_.getOrElse(next.next()))
  }

  /** Reads a file; when its bytes turn out to be damaged none of them are kept, so that whoever tries again gets them from
    * storage.
    */
  def forgettingDamage[A](reader: RangeReader)(read: => A): A =
    try read
    catch {
      // A damaged name of an encoding reads like one that is not supported.
      case e @ (_: CorruptFileException | _: UnsupportedFeatureException) =>
        forget(reader)
        throw e
    }

  private def forget(reader: RangeReader): Unit = reader.origin.foreach { origin =>
    synchronized {
      val kept = parts.entrySet.iterator
      while (kept.hasNext) {
        val part = kept.next()
        if (part.getKey.origin == origin && part.getKey.path == reader.path) {
          bytes -= sizeOf(part.getValue)
          kept.remove()
        }
      }
    }
  }

  /** Bytes that are kept, with what it takes to keep them. */
  def numBytes: Long = synchronized(bytes)

  /** Forgets everything. */
  def clear(): Unit = synchronized {
    parts.clear()
    bytes = 0L
  }
}

private[pysparklance] object RangeCache {
  final private case class Part(origin: AnyRef, path: String, size: Long, range: ByteRange)

  private def part(reader: RangeReader, range: ByteRange): Option[Part] =
    reader.origin.map(Part(_, reader.path, reader.size, range))

  /** A part and its place in the map, about. */
  private def sizeOf(read: Buffer): Long = read.length + 300L

  /** Larger parts are not kept: what they cost is their bytes, and not the round trip. */
  val maxPartBytes: Int = 1 << 20

  /** Shared by all that read in this process. */
  val shared: RangeCache = new RangeCache(Runtime.getRuntime.maxMemory / 64)
}
