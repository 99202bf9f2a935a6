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

/** Caches the parts of files that every reader requests first: tails and page heads. On remote
  * storage, each costs a round trip before rows can be requested.
  *
  * Data files never change, so cached parts stay valid. Evicts the least recently used parts first.
  * Caches only files with a [[RangeReader.origin]]. Thread-safe.
  *
  * @param maxBytes total bytes of all parts
  */
final private[pysparklance] class RangeCache(maxBytes: Long) {
  import RangeCache._

  private val parts = new LinkedHashMap[Part, Buffer](16, 0.75f, true)
  private var bytes = 0L

  /** Returns the bytes of a range if they are cached. */
  def get(reader: RangeReader, range: ByteRange): Option[Buffer] =
    part(reader, range).flatMap(p => synchronized(Option(parts.get(p))))

  /** Caches the bytes of a range unless it exceeds [[RangeCache.maxPartBytes]]. The array must not
    * be modified afterwards.
    */
  def put(reader: RangeReader, range: ByteRange, read: Buffer): Unit =
    part(reader, range).filter(_ => range.length <= maxPartBytes).foreach { p =>
      // A slice would keep its whole array in memory.
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

  /** Returns the bytes of ranges. Gets missing ones from `read` and caches them. */
  def through(reader: RangeReader, ranges: IndexedSeq[ByteRange])(
      read: IndexedSeq[ByteRange] => IndexedSeq[Buffer]
  ): IndexedSeq[Buffer] = {
    val known = ranges.map(get(reader, _))
    val others = ranges.zip(known).collect { case (range, None) => range }
    val results = others.zip(read(others))
    results.foreach { case (range, its) => put(reader, range, its) }
    val next = results.iterator.map(_._2)
    known.map(_.getOrElse(next.next()))
  }

  /** Runs `read`. If the file turns out to be damaged, drops its cached parts, so that a retry
    * reads from storage.
    */
  def forgettingDamage[A](reader: RangeReader)(read: => A): A =
    try read
    catch {
      // A damaged encoding name looks like an unsupported encoding.
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

  /** Bytes of the cache, including the approximate overhead of its entries. */
  def numBytes: Long = synchronized(bytes)

  /** Removes all parts. */
  def clear(): Unit = synchronized {
    parts.clear()
    bytes = 0L
  }
}

private[pysparklance] object RangeCache {
  final private case class Part(origin: AnyRef, path: String, size: Long, range: ByteRange)

  private def part(reader: RangeReader, range: ByteRange): Option[Part] =
    reader.origin.map(Part(_, reader.path, reader.size, range))

  /** Approximate memory of a part and its map entry. */
  private def sizeOf(read: Buffer): Long = read.length + 300L

  /** Larger parts are not cached: their cost is dominated by bandwidth, not by the round trip. */
  val maxPartBytes: Int = 1 << 20

  /** The cache of this process. */
  val shared: RangeCache = new RangeCache(Runtime.getRuntime.maxMemory / 64)
}
