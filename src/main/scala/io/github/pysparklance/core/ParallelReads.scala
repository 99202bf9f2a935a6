// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.core

import scala.util.Try

/** Reads the items of a list with growing read-ahead. While requests are sequential, each read
  * fetches twice as many items as the one before, in parallel. The maximum is 64 items, or 8 for
  * each thread if that is less. Keeps the last items
  * fetched and the one before them.
  *
  * If an item cannot be read, its request fails, not an earlier one. Thread-safe.
  *
  * @param items items in the order of the requests
  * @param threads number of items read in parallel
  */
final class ParallelReads[A, B](items: IndexedSeq[A], threads: Int = 8)(read: A => B) {
  private var from = 0
  private var window = IndexedSeq.empty[Try[B]]
  private var before = Option.empty[Try[B]]

  /** Returns the item at a position. */
  def apply(position: Int): B = synchronized {
    if (position == from - 1 && before.isDefined) before.get.get
    else {
      if (position < from || position >= from + window.length) move(position)
      window(position - from).get
    }
  }

  private def move(position: Int): Unit = {
    val goesOn = position == from + window.length
    val maxItems = math.min(ParallelReads.maxItems, ParallelReads.itemsOfThread * threads)
    val length = if (goesOn) math.min(2 * window.length, maxItems) else 1
    before = if (goesOn) window.lastOption else None
    from = position
    window = IndexedSeq.empty
    window = Workers.map(items.slice(position, position + math.max(1, length)), threads) { item =>
      Try(read(item))
    }
  }
}

object ParallelReads {

  private val maxItems = 64

  /** With fewer threads, because the items are large, fewer items are kept. */
  private val itemsOfThread = 8
}
