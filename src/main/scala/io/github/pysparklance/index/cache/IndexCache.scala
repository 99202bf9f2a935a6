// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.cache

import java.util.LinkedHashMap
import java.util.concurrent.atomic.LongAdder

import io.github.pysparklance.storage.ReadMeter

/** Caches parts of index files in memory, such as open segments and pages. Index files never
  * change. Evicts the least recently used parts. Thread-safe.
  *
  * @param maxBytes maximum size of all parts
  */
final class IndexCache(val maxBytes: Long) {
  import IndexCache.Part

  private val parts = new LinkedHashMap[AnyRef, Part](16, 0.75f, true)
  private var bytes = 0L

  /** Returns the part with a key. Loads it if it is not cached. Concurrent calls may load it more
    * than once.
    *
    * @param key must be unique among all parts, and identify a part of class `A`
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

  /** Returns the part with a key if it is cached. */
  def find[A <: Part](key: AnyRef): Option[A] =
    synchronized(Option(parts.get(key))).map(_.asInstanceOf[A])

  /** Adds a part. */
  def put(key: AnyRef, part: Part): Unit = synchronized {
    val before = parts.put(key, part)
    bytes += part.sizeInBytes - (if (before == null) 0L else before.sizeInBytes)
    val eldest = parts.entrySet.iterator
    while (bytes > maxBytes && eldest.hasNext) {
      bytes -= eldest.next().getValue.sizeInBytes
      eldest.remove()
    }
  }

  /** Number of parts. */
  def size: Int = synchronized(parts.size)

  /** Approximate size of all parts in bytes. */
  def numBytes: Long = synchronized(bytes)

  /** Removes all parts. */
  def clear(): Unit = synchronized {
    parts.clear()
    bytes = 0L
  }
}

/** The shared cache, and the interface of cached parts. */
object IndexCache {

  /** A cached object. Immutable. */
  trait Part {

    /** Approximate memory in bytes. Must not change. */
    def sizeInBytes: Long
  }

  /** The cache of this process, which uses at most 1/16 of the heap. */
  lazy val shared: IndexCache = new IndexCache(Runtime.getRuntime.maxMemory / 16)
}

/** Counts index reads, cache hits, and cache misses. Thread-safe. */
final class IndexMeter {

  /** Reads from storage. */
  val reads: ReadMeter = new ReadMeter

  private[index] val hits = new LongAdder
  private[index] val misses = new LongAdder

  /** Number of cache hits. */
  def numHits: Long = hits.sum

  /** Number of cache misses. */
  def numMisses: Long = misses.sum
}
