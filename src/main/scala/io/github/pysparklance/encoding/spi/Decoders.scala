// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.spi

import io.github.pysparklance.core.{Buffer, Values}

/** Decodes the value buffers of mini-block chunks. One instance serves one page and may keep
  * scratch memory between chunks. Not thread-safe.
  *
  * Source: format page of the compressive encodings, "Decoding contexts".
  */
trait MiniBlockDecoder {

  /** Number of value buffers per chunk. The page's layout must contain the same number. */
  def numBuffers: Int

  /** Appends values `[from, from + count)` of a chunk to `out`.
    *
    * @param buffers the chunk's value buffers, each with the size from the chunk header
    * @param numValues number of values in the chunk
    * @throws CorruptFileException if the buffers do not hold `numValues` values
    */
  def decode(buffers: Array[Buffer], numValues: Int, from: Int, count: Int, out: Values): Unit
}

/** Decodes fixed-width values of full-zip pages, after their control words were removed. */
trait FixedPerValueDecoder {

  /** Bytes of one compressed value; 0 if the page stores none. */
  def bytesPerValue: Int

  /** Appends `count` contiguous values from the start of `bytes` to `out`. */
  def decode(bytes: Buffer, count: Int, out: Values): Unit
}

/** Decodes variable-width values of full-zip pages, after control words and lengths were removed.
  */
trait VariablePerValueDecoder {

  /** Appends the value in `array[offset, offset + length)` to `out`. */
  def decode(array: Array[Byte], offset: Int, length: Int, out: Values): Unit
}

/** Decodes a self-contained block: levels, a dictionary, or children of other encodings. */
trait BlockDecoder {

  /** Returns the number of values if the block's bytes determine it, else a negative number. */
  def impliedValues(block: Buffer): Long = -1L

  /** Appends the `numValues` values of `block` to `out`.
    *
    * @throws CorruptFileException if the block holds a different number of values
    */
  def decode(block: Buffer, numValues: Int, out: Values): Unit
}
