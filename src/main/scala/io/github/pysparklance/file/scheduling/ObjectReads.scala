// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.scheduling

import scala.collection.mutable
import scala.util.Try

import io.github.pysparklance.core.ByteRange
import io.github.pysparklance.storage.spi.{FileStore, RangeReader}

/** Reads ranges of many objects, such as blobs, in rounds. The bytes of a round are limited by the
  * budget of the task. While the bytes of one round are used, the next round is read:
  *
  * {{{
  *   round 1   | request | await, use | end
  *   round 2             | request    | await, use | end
  * }}}
  * An object stays open as long as rounds use it. Not thread-safe.
  *
  * @param sizes known object sizes, by path
  */
final private[pysparklance] class ObjectReads(
    store: FileStore,
    sizes: Map[String, Long],
    scheduler: ReadScheduler
) extends AutoCloseable {
  import ObjectReads._

  final private class OpenObject(val reader: RangeReader) {
    val reads: FileReads = share.file(reader, 1)
    var lastUse = 0
  }

  private val share = scheduler.share()
  private val maxBytes = scheduler.budget.totalBytes

  /** Open objects, in the order of their last use. */
  private val objects = mutable.LinkedHashMap.empty[String, OpenObject]
  private var round = 0
  private var numInspected = 0
  private var heldBytes = 0L

  /** Whether a round may be requested before the bytes of the previous one are used. */
  def readsAhead: Boolean = scheduler.readsAhead

  /** Returns the size of an object whose ranges are requested next. */
  def size(path: String): Long = use(path).reader.size

  /** Returns the size of an object without requesting its ranges. */
  def inspect(path: String): Long = {
    numInspected += 1
    if (numInspected % maxObjects == 0) endRound()
    size(path)
  }

  /** Starts a round of requests. */
  def start(): Round = new Round

  /** Requests that are submitted together by [[submit]]. */
  final class Round private[ObjectReads] {
    private var numBytes = 0L
    private var numObjects = 0

    /** Whether more requests fit in this round. */
    def hasRoom: Boolean = numBytes < maxBytes && numObjects < maxObjects

    /** Requests a range. Nothing is read before [[submit]].
      *
      * @param isOwn whether the object usually contains bytes of a single row
      */
    def request(path: String, range: ByteRange, isOwn: Boolean): RangeRequest = {
      if (isOwn) numObjects += 1
      hold(range.length)
      use(path).reads.request(range)
    }

    private def hold(bytes: Long): Unit = {
      numBytes += bytes
      ObjectReads.this.hold(bytes)
    }

    /** Starts to read the requested ranges. Requests of the previous round may still be awaited. */
    def submit(): Unit = {
      objects.valuesIterator.foreach(_.reads.submit())
      endRound()
    }

    /** Called when the bytes are no longer used. */
    def end(): Unit = {
      hold(-numBytes)
      objects.valuesIterator.foreach(_.reads.forgetDone())
    }
  }

  /** Number of reads whose bytes are referenced. */
  private[scheduling] def numReferenced: Int =
    objects.valuesIterator.map(_.reads.numReferenced).sum

  private def hold(bytes: Long): Unit = {
    heldBytes += bytes
    scheduler.add(bytes)
  }

  /** Closes objects that neither this round nor the previous one used, except for a few. */
  private def endRound(): Unit = {
    round += 1
    val old = objects.iterator.filter(_._2.lastUse < round - 2).map(_._1).toIndexedSeq
    old.dropRight(keptOpen).foreach(close)
  }

  private def use(path: String): OpenObject = {
    val opened = objects.remove(path).getOrElse {
      new OpenObject(sizes.get(path).fold(store.open(path))(store.open(path, _)))
    }
    opened.lastUse = round
    objects(path) = opened
    opened
  }

  private def close(path: String): Unit = objects.remove(path).foreach { opened =>
    opened.reads.close()
    opened.reader.close()
  }

  /** Cancels reads that have not started, and closes all objects. */
  def close(): Unit = {
    hold(-heldBytes)
    val failures =
      objects.keys.toIndexedSeq.flatMap(path => Try(close(path)).failed.toOption)
    failures.headOption.foreach(throw _)
  }
}

private object ObjectReads {

  /** Approximate number of single-row objects that one round reads. */
  private val maxObjects = 64

  /** Number of unused objects that stay open, because objects with bytes of many rows are used by
    * many rounds.
    */
  private val keptOpen = 8
}
