// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.core

import scala.util.Try

/** Reads items of a list, mostly one after the other: as long as that goes on, more and more of the next ones are read
  * in parallel. Keeps the items that were read last and the one before them.
  *
  * An item that cannot be read fails when it is requested. Thread-safe.
  *
  * @param items in the order of the requests
  * @param threads items that are read at a time
  */
final class ParallelReads[A, B](items: IndexedSeq[A], threads: Int = 8)(read: A => B) {
  private var from = 0
  private var window = IndexedSeq.empty[Try[B]]
  private var before = Option.empty[Try[B]]

  /** The item at a position. */
  def apply(position: Int): B = synchronized {
    if (position == from - 1 && before.isDefined) before.get.get
    else {
      if (position < from || position >= from + window.length) move(position)
      window(position - from).get
    }
  }

  private def move(position: Int): Unit = {
    val goesOn = position == from + window.length
    val length = if (goesOn) math.min(2 * window.length, ParallelReads.maxItems) else 1
    before = if (goesOn) window.lastOption else None
    from = position
    window = IndexedSeq.empty
    window = Workers.map(items.slice(position, position + math.max(1, length)), threads) { item =>
      Try(read(item))
    }
  }
}

object ParallelReads {

  /** Items read in parallel at most. */
  private val maxItems = 64
}
