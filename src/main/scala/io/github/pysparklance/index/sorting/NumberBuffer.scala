// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.sorting

import io.github.pysparklance.core.{Buffer, LongValues}
import io.github.pysparklance.index.spi.{KeyType, Keys, NumberKey}

/** Collects entries with numeric keys. The sign bit is flipped so that they can be sorted as
  * unsigned numbers.
  */
final private class NumberBuffer(keyType: KeyType) extends EntryBuffer(keyType) {
  private val numbers = new LongValues

  protected def add(keys: Keys, position: Int, row: Long): Unit = {
    numbers.append(keys.number(position) ^ Long.MinValue)
    rows.append(row)
  }

  override def sizeInBytes: Long = super.sizeInBytes + numbers.sizeInBytes

  override def clear(): Unit = {
    super.clear()
    numbers.clear()
  }

  protected def sort(): Unit = {
    radix.sort(rows.array, numbers.array, 0, rows.numItems)
    radix.sort(numbers.array, rows.array, 0, rows.numItems)
  }

  protected def compare(position: Int, bound: EntryBound): Int = {
    val byKey = NumberKey(number(position)).compare(bound.key.get)
    if (byKey != 0) byKey else java.lang.Long.compareUnsigned(rowAt(position), bound.row)
  }

  protected def keyBytes(from: Int, until: Int): Int = 8 * (until - from)

  protected def writeKeys(from: Int, until: Int, block: Array[Byte], at: Int): Unit = {
    var i = from
    while (i < until) {
      Buffer.putLong(block, at + 8 * (i - from), number(i))
      i += 1
    }
  }

  protected def rowAt(position: Int): Long = rows.array(position)

  private def number(position: Int): Long = numbers.array(position) ^ Long.MinValue
}
