// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.compression

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.compression.bitpacking.{
  BitpackingKernel,
  InlineBitpacking,
  OutOfLineBitpacking
}
import io.github.pysparklance.encoding.proto.v2_1.CompressiveEncoding
import io.github.pysparklance.encoding.spi.LevelEncoder
import io.github.pysparklance.encoding.value.{Messages, RawValues}

/** Encodes repetition and definition levels: 16-bit values, compressed as one block per chunk with
  * the same encoding for all chunks of a page. Source: format page of the structural encodings,
  * "Level compression".
  */
object LevelEncoders {
  private val bits = 16

  /** Chooses the encoding from all `numLevels` levels of the page, so that it suits every chunk.
    *
    * @param allowsRuns whether the file version supports run-length encoded blocks
    * @param allowsLongRuns whether run lengths can take 16 bits
    */
  def choose(
      levels: Array[Short],
      numLevels: Int,
      allowsRuns: Boolean,
      allowsLongRuns: Boolean = false
  ): LevelEncoder = {
    val width = 32 - Integer.numberOfLeadingZeros(BitpackingKernel.orShorts(levels, 0, numLevels))
    val pays =
      numLevels > BitpackingKernel.blockValues || BitpackingKernel.packedBytes(
        width
      ) < numLevels * 2
    val plainBytes = numLevels * 2L
    val packedBytes =
      if (width < bits && pays) math.min(plainBytes, (numLevels.toLong * width + 7) / 8)
      else plainBytes
    val shortRuns = if (allowsRuns) runBytes(levels, numLevels) else Long.MaxValue
    val longRuns = if (allowsLongRuns) longRunBytes(levels, numLevels) else Long.MaxValue
    if (math.min(shortRuns, longRuns) < packedBytes)
      if (longRuns < shortRuns) LongRuns else ShortRuns
    else if (packedBytes == plainBytes) Plain
    else if (numLevels <= BitpackingKernel.blockValues) Inline
    else new OutOfLine(math.max(width, 1))
  }

  /** Estimates the bytes of runs, with a header per 1,024 levels, because chunks are about that
    * long.
    */
  private def runBytes(levels: Array[Short], numLevels: Int): Long =
    Rle.estimateBytes(ShortValues.wrap(levels, numLevels), bits) +
      (numLevels / BitpackingKernel.blockValues + 1) * 12L

  /** Like [[runBytes]] with 16-bit lengths. Only ends of chunks split such runs. */
  private def longRunBytes(levels: Array[Short], numLevels: Int): Long = {
    val chunks = numLevels / BitpackingKernel.blockValues + 1
    (Rle.numRuns(ShortValues.wrap(levels, numLevels)) + chunks) * 4L + chunks * 12L
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

  final private class OutOfLine(width: Int) extends LevelEncoder {
    val encoding: CompressiveEncoding = OutOfLineBitpacking.message(bits, width)

    def encode(levels: Array[Short], from: Int, count: Int): Buffer =
      OutOfLineBitpacking.encodeBlock(
        ShortValues.wrap(levels, from + count),
        bits,
        width,
        from,
        count
      )
  }

  private object ShortRuns extends Runs(8)

  private object LongRuns extends Runs(16)

  private class Runs(lengthBits: Int) extends LevelEncoder {
    val encoding: CompressiveEncoding = Rle.message(bits, lengthBits)

    def encode(levels: Array[Short], from: Int, count: Int): Buffer =
      Rle.encodeBlock(ShortValues.wrap(levels, from + count), bits, from, count, lengthBits)
  }
}
