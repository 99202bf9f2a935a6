// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.compression.bitpacking

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.proto.v2_1
import io.github.pysparklance.encoding.proto.v2_1.CompressiveEncoding
import io.github.pysparklance.encoding.spi._
import io.github.pysparklance.encoding.value.{Messages, RawValues}

/** Bit-packed integers with one packed width W for all blocks, stored in the message. Source:
  * message `OutOfLineBitpacking`, format page of the compressive encodings, "OutOfLineBitpacking".
  *
  * {{{
  *   | block 0, 128 * W bytes | block 1 | ... | the last n % 1024 values: plain, T / 8 bytes each,
  *                                              or padded with zeros and packed, 128 * W bytes
  *   u16 levels 0 1 0 1 ..., W = 1:   1024 values   0000ffff 0000ffff ...    128 bytes
  *                                    20 values     0000 0100 0000 0100 ...   40 bytes, plain
  * }}}
  * Only the length shows the form of the last values. If both forms have the same length, they are
  * plain. T is 8, 16, 32, or 64. Used for blocks (levels, dictionary items) of more than 1,024
  * values. Since 2.1; block only. Hot code.
  */
object OutOfLineBitpacking {
  import BitpackingKernel.{blockValues, packedBytes}

  def block(message: v2_1.OutOfLineBitpacking, valueType: ValueType): BlockDecoder = {
    val bits = Messages.integerWidth(
      "OutOfLineBitpacking",
      message.getUncompressedBitsPerValue,
      valueType
    )
    val width = Messages.flatBits("OutOfLineBitpacking", message.getValues)
    CorruptFileException.check(width <= bits, s"OutOfLineBitpacking of $bits bits packed to $width")
    new Block(bits, width)
  }

  final private class Block(bits: Int, width: Int) extends BlockDecoder {
    private val unpacked = new BitpackedBlock(bits)

    def decode(block: Buffer, numValues: Int, out: Values): Unit = {
      val blocks = numValues / blockValues
      val tail = numValues % blockValues
      val blockBytes = blocks.toLong * packedBytes(width)
      val plain = block.length == blockBytes + tail * (bits / 8)
      if (!plain && block.length != blockBytes + packedBytes(width))
        throw new CorruptFileException(
          s"OutOfLineBitpacking of ${block.length} bytes for $numValues values of $bits bits packed to $width"
        )
      out.reserve(numValues)
      var at = block.offset
      var i = 0
      while (i < blocks) {
        unpacked.append(block.array, at, width, 0, blockValues, out)
        at += packedBytes(width)
        i += 1
      }
      if (plain) RawValues.append(block.array, at, bits, 0, tail, out)
      else unpacked.append(block.array, at, width, 0, tail, out)
    }
  }

  /** Packs `values[from, from + count)` to `width` bits, which all of them fit. Stores the last
    * values plain if that is shorter.
    */
  def encodeBlock(values: Values, bits: Int, width: Int, from: Int, count: Int): Buffer = {
    val blocks = count / blockValues
    val tail = count % blockValues
    val padded = tail > 0 && width * (blockValues - tail) < (bits - width) * tail
    val tailBytes = if (padded) packedBytes(width) else tail * (bits / 8)
    val bytes =
      new Array[Byte](Messages.arrayLength(blocks.toLong * packedBytes(width) + tailBytes))
    val plain = new Array[Byte](128 * bits)
    var at = 0
    var i = 0
    while (i < blocks) {
      RawValues.copy(values, bits, from + i * blockValues, blockValues, plain, 0)
      BitpackingKernel.pack(bits, width, plain, 0, bytes, at)
      at += packedBytes(width)
      i += 1
    }
    if (padded) {
      RawValues.copy(values, bits, from + blocks * blockValues, tail, plain, 0)
      java.util.Arrays.fill(plain, tail * (bits / 8), plain.length, 0.toByte)
      BitpackingKernel.pack(bits, width, plain, 0, bytes, at)
    } else RawValues.copy(values, bits, from + blocks * blockValues, tail, bytes, at)
    Buffer(bytes)
  }

  def message(bits: Int, width: Int): CompressiveEncoding =
    CompressiveEncoding.newBuilder
      .setOutOfLineBitpacking(
        v2_1.OutOfLineBitpacking.newBuilder
          .setUncompressedBitsPerValue(bits.toLong)
          .setValues(Messages.flat(width))
      )
      .build
}
