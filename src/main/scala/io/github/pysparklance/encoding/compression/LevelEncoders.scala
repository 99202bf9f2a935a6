// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.compression

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.proto.v2_1.CompressiveEncoding
import io.github.pysparklance.encoding.spi.LevelEncoder

/** Repetition and definition levels: 16-bit values that are compressed as one block for each chunk, all chunks of a page in
  * the same encoding. Source: format page of the structural encodings, "Level compression".
  */
object LevelEncoders {
  private val bits = 16

  /** Chosen from all `numLevels` levels of the page, so that no chunk needs more. */
  def choose(levels: Array[Short], numLevels: Int): LevelEncoder = {
    val width = 32 - Integer.numberOfLeadingZeros(BitpackingKernel.orShorts(levels, 0, numLevels))
    val pays = numLevels > BitpackingKernel.blockValues || BitpackingKernel.packedBytes(width) < numLevels * 2
    if (width >= bits || !pays) Plain
    else if (numLevels <= BitpackingKernel.blockValues) Inline
    else new OutOfLine(math.max(width, 1))
  }

  private object Plain extends LevelEncoder {
    val encoding: CompressiveEncoding = Messages.flat(bits)

    def encode(levels: Array[Short], from: Int, count: Int): Buffer = {
      val bytes = new Array[Byte](count * 2)
      RawValues.copy(ShortValues.wrap(levels, from + count), bits, from, count, bytes, 0)
      Buffer(bytes)
    }
  }

  private object Inline extends LevelEncoder {
    val encoding: CompressiveEncoding = InlineBitpacking.message(bits)

    def encode(levels: Array[Short], from: Int, count: Int): Buffer =
      InlineBitpacking.encodeBlock(ShortValues.wrap(levels, from + count), bits, from, count)
  }

  private final class OutOfLine(width: Int) extends LevelEncoder {
    val encoding: CompressiveEncoding = OutOfLineBitpacking.message(bits, width)

    def encode(levels: Array[Short], from: Int, count: Int): Buffer =
      OutOfLineBitpacking.encodeBlock(ShortValues.wrap(levels, from + count), bits, width, from, count)
  }
}
