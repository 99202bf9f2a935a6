// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.spi

import java.util.LinkedHashMap
import java.util.concurrent.atomic.LongAdder

import io.github.pysparklance.storage.ReadMeter

/** Parts of index files in memory: open segments, and pages that were read. The files never change. Drops the least
  * recently used parts first. Safe for use from many threads.
  *
  * @param maxBytes of all parts together
  */
final class IndexCache(val maxBytes: Long) {
  import IndexCache.Part

  private val parts = new LinkedHashMap[AnyRef, Part](16, 0.75f, true)
  private var bytes = 0L

  /** The part with a key. Loads it if it is not cached; concurrent calls may load it more than once.
    *
    * @param key equal for equal parts of a class `A` only
    * @param meter counts hits and misses
    */
  def get[A <: Part](key: AnyRef, meter: IndexMeter)(load: => A): A =
    find[A](key) match {
      case Some(found) =>
        meter.hits.increment()
        found
      case None =>
        meter.misses.increment()
        val loaded = load
        put(key, loaded)
        loaded
    }

  /** The part with a key, if it is cached. */
  def find[A <: Part](key: AnyRef): Option[A] =
    synchronized(Option(parts.get(key))).map(_.asInstanceOf[A])

  /** Keeps a part. */
  def put(key: AnyRef, part: Part): Unit = synchronized {
    val before = parts.put(key, part)
    bytes += part.sizeInBytes - (if (before == null) 0L else before.sizeInBytes)
    val eldest = parts.entrySet.iterator
    while (bytes > maxBytes && eldest.hasNext) {
      bytes -= eldest.next().getValue.sizeInBytes
      eldest.remove()
    }
  }

  /** The number of parts. */
  def size: Int = synchronized(parts.size)

  /** Bytes of all parts, about. */
  def numBytes: Long = synchronized(bytes)

  /** Drops all parts. */
  def clear(): Unit = synchronized {
    parts.clear()
    bytes = 0L
  }
}

object IndexCache {

  /** Something that is cached. Immutable. */
  trait Part {

    /** Memory that it takes, about. Does not change. */
    def sizeInBytes: Long
  }

  /** The cache of this process: a sixteenth of the heap at most. */
  lazy val shared: IndexCache = new IndexCache(Runtime.getRuntime.maxMemory / 16)
}

/** What was read of indices, and what came from the cache. Safe for use from many threads. */
final class IndexMeter {

  /** Reads from storage. */
  val reads: ReadMeter = new ReadMeter

  private[spi] val hits = new LongAdder
  private[spi] val misses = new LongAdder

  /** Parts of index files that were cached. */
  def numHits: Long = hits.sum

  /** Parts of index files that were not cached. */
  def numMisses: Long = misses.sum
}
