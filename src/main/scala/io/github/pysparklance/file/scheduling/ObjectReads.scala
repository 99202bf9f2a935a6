// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.scheduling

import scala.collection.mutable

import io.github.pysparklance.core.ByteRange
import io.github.pysparklance.storage.spi.{FileStore, RangeReader}

/** Reads ranges of many objects, such as those that hold blobs, in rounds. A round has as many bytes as the budget of the
  * task allows. While the bytes of one round are used, the next round is read:
  * {{{
  *   round 1   | request | await, use | end
  *   round 2             | request    | await, use | end
  * }}}
  * An object is opened once for as long as rounds use it. Used by one thread.
  *
  * @param sizes of objects that are known, by path
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

  /** In the order of their last use. */
  private val objects = mutable.LinkedHashMap.empty[String, OpenObject]
  private var round = 0
  private var numInspected = 0
  private var heldBytes = 0L

  /** Whether a round may be requested before the bytes of the one before are used. */
  def readsAhead: Boolean = scheduler.readsAhead

  /** Returns the size of an object. Its ranges are requested next. */
  def size(path: String): Long = use(path).reader.size

  /** Returns the size of an object. None of its ranges is requested. */
  def inspect(path: String): Long = {
    numInspected += 1
    if (numInspected % maxObjects == 0) endRound()
    size(path)
  }

  /** Starts a round of requests. */
  def start(): Round = new Round

  /** Requests that are made together, up to [[submit]]. */
  final class Round private[ObjectReads] {
    private var numBytes = 0L
    private var numObjects = 0

    /** Whether more requests belong into this round. */
    def hasRoom: Boolean = numBytes < maxBytes && numObjects < maxObjects

    /** Requests a range; nothing is read before [[submit]].
      *
      * @param isOwn whether no other row has bytes in the object, as a rule
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

    /** Starts to read the requested ranges. Requests of the round before may still be awaited. */
    def submit(): Unit = {
      objects.valuesIterator.foreach(_.reads.submit())
      endRound()
    }

    /** Called when the bytes are not used any more. */
    def end(): Unit = hold(-numBytes)
  }

  private def hold(bytes: Long): Unit = {
    heldBytes += bytes
    scheduler.add(bytes)
  }

  /** Closes objects that neither this round nor the one before used, but for a few. */
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

  /** Cancels the reads that have not begun. */
  def close(): Unit = {
    hold(-heldBytes)
    objects.keys.toIndexedSeq.foreach(close)
  }
}

private object ObjectReads {

  /** Objects of its own that one round reads from, about. */
  private val maxObjects = 64

  /** Files that hold bytes of many rows are used by one round after the other. */
  private val keptOpen = 8
}
