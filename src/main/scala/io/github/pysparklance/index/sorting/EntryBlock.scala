// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.sorting

import io.github.pysparklance.core.Buffer
import io.github.pysparklance.index.spi.KeySlot

/** Sorted entries as little-endian bytes, which tasks exchange in a shuffle.
  *
  * {{{
  *   numNulls: i32   numKeys: i32   rows of nulls: i64[numNulls]
  *   numbers   keys: i64[numKeys]                                            rows: i64[numKeys]
  *   bytes     offsets: i32[numKeys + 1], the first 0   bytes of the keys    rows: i64[numKeys]
  * }}}
  */
object EntryBlock {
  private[sorting] val headBytes = 8

  /** Reads a block.
    *
    * @param isNumber whether the keys are numbers
    */
  def read(block: Array[Byte], isNumber: Boolean): SortedEntries =
    if (isNumber) new NumberEntries(block) else new BytesEntries(block)

  abstract private class BlockEntries(block: Array[Byte]) extends SortedEntries {
    protected val numNulls: Int = Buffer.intAt(block, 0)
    protected val numKeys: Int = Buffer.intAt(block, 4)
    protected val keysAt: Int = headBytes + 8 * numNulls
    private val rowsAt = block.length - 8 * numKeys
    private var at = -1 - numNulls
    final val key = new KeySlot

    /** Reads the key at a position into the slot. */
    protected def read(i: Int): Unit

    final def next(): Boolean = {
      at += 1
      at < numKeys && {
        if (at >= 0) read(at)
        true
      }
    }

    final def isNull: Boolean = at < 0

    final def row: Long =
      if (at < 0) Buffer.longAt(block, keysAt + 8 * at) else Buffer.longAt(block, rowsAt + 8 * at)

    final def close(): Unit = ()
  }

  final private class NumberEntries(block: Array[Byte]) extends BlockEntries(block) {
    protected def read(i: Int): Unit = key.number = Buffer.longAt(block, keysAt + 8 * i)
  }

  final private class BytesEntries(block: Array[Byte]) extends BlockEntries(block) {
    private val bytesAt = keysAt + 4 * (numKeys + 1)

    protected def read(i: Int): Unit = {
      val offset = keysAt + 4 * i
      key.setBytes(
        block,
        bytesAt + Buffer.intAt(block, offset),
        bytesAt + Buffer.intAt(block, offset + 4)
      )
    }
  }
}
