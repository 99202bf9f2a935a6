// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.sorting

import io.github.pysparklance.index.spi.KeySlot

/** Iterates over keys and rows in ascending order: nulls first, then by key, then by row. Not
  * thread-safe.
  */
trait SortedEntries extends AutoCloseable {

  /** Moves to the next entry. Returns `false` at the end. */
  def next(): Boolean

  def isNull: Boolean

  /** The key of an entry that is not null. Valid until the next call of [[next]]. */
  def key: KeySlot

  /** The row address or row id that the index stores. */
  def row: Long
}

/** Merges sorted entries. */
object SortedEntries {

  /** Merges sorted entries.
    *
    * @param isNumber whether the keys are numbers
    */
  def merged(inputs: IndexedSeq[SortedEntries], isNumber: Boolean): SortedEntries =
    if (inputs.length == 1) inputs.head else new MergedEntries(inputs.toArray, isNumber)
}

/** Merges sorted entries with a binary heap of the inputs. Hot code: does not allocate per entry.
  */
final private class MergedEntries(inputs: Array[SortedEntries], isNumber: Boolean)
    extends SortedEntries {
  private val heap = new Array[SortedEntries](inputs.length)
  private var size = 0
  private var isStarted = false

  def next(): Boolean = {
    if (isStarted) {
      if (!heap(0).next()) {
        size -= 1
        heap(0) = heap(size)
        heap(size) = null
      }
    } else {
      isStarted = true
      inputs.foreach { input =>
        if (input.next()) {
          heap(size) = input
          size += 1
        }
      }
      (size / 2 - 1 to 0 by -1).foreach(siftDown)
    }
    size > 0 && {
      siftDown(0)
      true
    }
  }

  private def siftDown(from: Int): Unit = {
    val moved = if (from < size) heap(from) else null
    var at = from
    var child = 2 * at + 1
    while (child < size) {
      if (child + 1 < size && isBefore(heap(child + 1), heap(child))) child += 1
      if (isBefore(heap(child), moved)) {
        heap(at) = heap(child)
        at = child
        child = 2 * at + 1
      } else child = size
    }
    if (at < size) heap(at) = moved
  }

  private def isBefore(a: SortedEntries, b: SortedEntries): Boolean =
    if (a.isNull || b.isNull)
      if (a.isNull && b.isNull) isRowBefore(a, b) else a.isNull
    else if (isNumber) {
      val (x, y) = (a.key.number, b.key.number)
      x < y || x == y && isRowBefore(a, b)
    } else {
      val order = a.key.compareBytes(b.key)
      order < 0 || order == 0 && isRowBefore(a, b)
    }

  private def isRowBefore(a: SortedEntries, b: SortedEntries): Boolean =
    java.lang.Long.compareUnsigned(a.row, b.row) < 0

  def isNull: Boolean = heap(0).isNull
  def key: KeySlot = heap(0).key
  def row: Long = heap(0).row
  def close(): Unit = inputs.foreach(_.close())
}
