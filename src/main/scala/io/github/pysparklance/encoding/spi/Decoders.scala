// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.spi

import io.github.pysparklance.core.{Buffer, Values}

/** Turns the value buffers of one mini-block chunk into values. One instance serves one page and may keep scratch
  * memory between chunks; not thread-safe.
  *
  * Source: format page of the compressive encodings, "Decoding contexts".
  */
trait MiniBlockDecoder {

  /** Value buffers a chunk has; the page's layout has to say the same number. */
  def numBuffers: Int

  /** Appends values `[from, from + count)` of a chunk to `out`.
    *
    * @param buffers the chunk's value buffers, each cut to the size that the chunk header gives
    * @param numValues values in the chunk
    * @throws CorruptFileException when the buffers do not hold `numValues` values
    */
  def decode(buffers: Array[Buffer], numValues: Int, from: Int, count: Int, out: Values): Unit
}

/** Turns values of equal width, as full-zip pages hold them once their control words are gone, into values. */
trait FixedPerValueDecoder {

  /** Bytes of one compressed value; 0 when the page stores none. */
  def bytesPerValue: Int

  /** Appends `count` values, which lie back to back in `bytes` from its start, to `out`. */
  def decode(bytes: Buffer, count: Int, out: Values): Unit
}

/** Turns values of any width, as full-zip pages hold them once control word and length are gone, into values. */
trait VariablePerValueDecoder {

  /** Appends the one value that `array[offset, offset + length)` holds to `out`. */
  def decode(array: Array[Byte], offset: Int, length: Int, out: Values): Unit
}

/** Turns one self-contained block (levels, a dictionary, children of other encodings) into values. */
trait BlockDecoder {

  /** How many values the block holds, where its bytes alone say so; negative where they do not. */
  def impliedValues(block: Buffer): Long = -1L

  /** Appends the `numValues` values of `block` to `out`.
    *
    * @throws CorruptFileException when the block holds another number of them
    */
  def decode(block: Buffer, numValues: Int, out: Values): Unit
}
