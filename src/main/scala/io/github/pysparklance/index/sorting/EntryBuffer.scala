// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.sorting

import io.github.pysparklance.core.{Buffer, LongValues, Search}
import io.github.pysparklance.index.spi.{IndexBatch, KeyType, Keys}

/** Collects entries in memory, sorts them, and returns them as blocks. Not thread-safe. Hot code.
  * Reuses its primitive arrays.
  *
  * @param keyType key type of the indexed column
  */
abstract class EntryBuffer private[sorting] (keyType: KeyType) {
  private val nulls = new LongValues
  protected val rows = new LongValues
  private[sorting] val radix = new RadixSort

  /** Adds the live rows of a batch. */
  final def add(batch: IndexBatch): Unit = {
    val keys = keyType.keys(batch.values)
    if (batch.hasNulls)
      batch.foreachLive { row =>
        if (batch.isNull(row)) nulls.append(batch.ids(row)) else add(keys, row, batch.ids(row))
      }
    else batch.foreachLive(row => add(keys, row, batch.ids(row)))
  }

  /** Adds an entry with a non-null key. */
  protected def add(keys: Keys, position: Int, row: Long): Unit

  /** Number of entries. */
  final def numEntries: Int = nulls.numItems + rows.numItems

  /** Memory of the entries in bytes. */
  def sizeInBytes: Long = nulls.sizeInBytes + rows.sizeInBytes

  /** Sorts the entries, and returns a block for each range.
    *
    * @param bounds lower bounds of all ranges except the first, ascending
    * @return the non-empty ranges, with their numbers from 0
    */
  final def blocks(bounds: IndexedSeq[EntryBound]): IndexedSeq[(Int, Array[Byte])] = {
    sort()
    java.util.Arrays.sort(nulls.array, 0, nulls.numItems)
    val ends = bounds.map(positionOf) :+ numEntries
    val starts = 0 +: ends.init
    starts.indices.filter(i => starts(i) < ends(i)).map(i => i -> block(starts(i), ends(i)))
  }

  /** Removes all entries. */
  def clear(): Unit = {
    nulls.clear()
    rows.clear()
  }

  /** Sorts the entries with non-null keys. */
  protected def sort(): Unit

  /** Compares the entry at a position of the sorted non-null entries with a bound. */
  protected def compare(position: Int, bound: EntryBound): Int

  /** Size in bytes of the keys of a block. */
  protected def keyBytes(from: Int, until: Int): Int

  /** Writes keys into a block. */
  protected def writeKeys(from: Int, until: Int, block: Array[Byte], at: Int): Unit

  /** The row at a position of the sorted non-null entries. */
  protected def rowAt(position: Int): Long

  /** Returns the position of the first entry that is not below a bound. */
  private def positionOf(bound: EntryBound): Int = {
    val numNulls = nulls.numItems
    Search.first(0, numEntries) { i =>
      if (i >= numNulls) bound.key.isEmpty || compare(i - numNulls, bound) >= 0
      else bound.key.isEmpty && java.lang.Long.compareUnsigned(nulls.array(i), bound.row) >= 0
    }
  }

  private def block(from: Int, until: Int): Array[Byte] = {
    val numNulls = nulls.numItems
    val (firstNull, lastNull) = (math.min(from, numNulls), math.min(until, numNulls))
    val (first, last) = (math.max(from - numNulls, 0), math.max(until - numNulls, 0))
    val keysAt = EntryBlock.headBytes + 8 * (lastNull - firstNull)
    val rowsAt = keysAt + keyBytes(first, last)
    val block = new Array[Byte](Math.addExact(rowsAt, 8 * (last - first)))
    Buffer.putInt(block, 0, lastNull - firstNull)
    Buffer.putInt(block, 4, last - first)
    var i = firstNull
    while (i < lastNull) {
      Buffer.putLong(block, EntryBlock.headBytes + 8 * (i - firstNull), nulls.array(i))
      i += 1
    }
    writeKeys(first, last, block, keysAt)
    i = first
    while (i < last) {
      Buffer.putLong(block, rowsAt + 8 * (i - first), rowAt(i))
      i += 1
    }
    block
  }
}

/** Creates buffers. */
object EntryBuffer {

  /** Returns an empty buffer.
    *
    * @param keyType key type of the indexed column
    */
  def apply(keyType: KeyType): EntryBuffer =
    if (keyType.isNumber) new NumberBuffer(keyType) else new BytesBuffer(keyType)
}
