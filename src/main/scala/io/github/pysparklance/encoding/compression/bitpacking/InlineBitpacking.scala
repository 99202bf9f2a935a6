// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.compression.bitpacking

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.proto.v2_1
import io.github.pysparklance.encoding.proto.v2_1.CompressiveEncoding
import io.github.pysparklance.encoding.spi._
import io.github.pysparklance.encoding.value.{Messages, RawValues}

/** Bit-packed integers with the packed width before each block. Source: message `InlineBitpacking`,
  * format page of the compressive encodings, "InlineBitpacking".
  *
  * {{{
  *   buffer 0   W, one word of T bits | 1024 * W / T words of T bits: one block, see BitpackingKernel
  *
  *   0..1023 as u32, W = 10:   0a000000 | 00000210 01041250 ...   4 + 1280 bytes
  * }}}
  * A chunk has up to 1,024 values and is padded with zeros before packing. T is 8, 16, 32, or 64; W
  * is 0 to T. Used for integers if it saves bytes. Since 2.1; mini-block, and block with up to
  * 1,024 values. Hot code.
  */
object InlineBitpacking {
  import BitpackingKernel.{blockValues, packedBytes}

  def miniBlock(message: v2_1.InlineBitpacking, valueType: ValueType): MiniBlockDecoder =
    new MiniBlock(width(message, valueType))

  def block(message: v2_1.InlineBitpacking, valueType: ValueType): BlockDecoder =
    new Block(width(message, valueType))

  private def width(message: v2_1.InlineBitpacking, valueType: ValueType): Int = {
    Messages.rejectLeafCompression("InlineBitpacking", message.hasValues)
    Messages.integerWidth("InlineBitpacking", message.getUncompressedBitsPerValue, valueType)
  }

  final private class MiniBlock(bits: Int) extends MiniBlockDecoder {
    val numBuffers = 1
    private val reader = new Reader(bits)

    def decode(buffers: Array[Buffer], numValues: Int, from: Int, count: Int, out: Values): Unit = {
      Messages.checkNumBuffers("InlineBitpacking", buffers, 1)
      Messages.checkSlice(numValues, from, count)
      reader.append(buffers(0), numValues, from, count, out)
    }
  }

  final private class Block(bits: Int) extends BlockDecoder {
    private val reader = new Reader(bits)

    def decode(block: Buffer, numValues: Int, out: Values): Unit =
      reader.append(block, numValues, 0, numValues, out)
  }

  final private class Reader(bits: Int) {
    private val block = new BitpackedBlock(bits)

    def append(packed: Buffer, numValues: Int, from: Int, count: Int, out: Values): Unit =
      if (numValues > 0) {
        val width = header(packed)
        if (
          numValues > blockValues || width < 0 || width > bits ||
          packed.length != bits / 8 + packedBytes(width.toInt)
        )
          throw new CorruptFileException(
            s"InlineBitpacking of ${packed.length} bytes for $numValues values of $bits bits packed to $width"
          )
        val at = packed.offset + bits / 8
        block.append(packed.array, at, width.toInt, from, count, out)
      }

    private def header(packed: Buffer): Long = bits match {
      case 8 => packed.u8(0).toLong
      case 16 => packed.u16(0).toLong
      case 32 => packed.u32(0)
      case _ => packed.i64(0)
    }
  }

  /** Returns the bytes of [[encodeMiniBlock]] without encoding.
    *
    * @param widths widths of each 1,024 values, see [[BitpackingKernel.blockWidths]]
    */
  def estimateBytes(widths: Array[Byte], bits: Int): Long = {
    var total = 0L
    widths.foreach(w => total += bits / 8 + packedBytes(w.toInt))
    total
  }

  /** Encodes all values in chunks of 1,024, each with the width that its values need. */
  def encodeMiniBlock(values: Values, bits: Int, widths: Array[Byte]): CompressedMiniBlock = {
    val bytes = new Array[Byte](Messages.arrayLength(estimateBytes(widths, bits)))
    val writer = new Writer(bits)
    val chunks = Vector.newBuilder[MiniBlockChunk]
    var at = 0
    widths.indices.foreach { i =>
      val from = i * blockValues
      val n = math.min(blockValues, values.numItems - from)
      val end = writer.write(values, from, n, widths(i).toInt, bytes, at)
      chunks += MiniBlockChunk(n, Vector(new Buffer(bytes, at, end - at)))
      at = end
    }
    CompressedMiniBlock(message(bits), chunks.result())
  }

  /** Encodes up to 1,024 values as one block. */
  def encodeBlock(values: Values, bits: Int, from: Int, count: Int): Buffer = {
    val width = BitpackingKernel.bitWidth(values, from, count)
    val bytes = new Array[Byte](if (count == 0) 0 else bits / 8 + packedBytes(width))
    if (count > 0) new Writer(bits).write(values, from, count, width, bytes, 0): Unit
    Buffer(bytes)
  }

  def message(bits: Int): CompressiveEncoding =
    CompressiveEncoding.newBuilder
      .setInlineBitpacking(
        v2_1.InlineBitpacking.newBuilder.setUncompressedBitsPerValue(bits.toLong)
      )
      .build

  final private class Writer(bits: Int) {
    private val plain = new Array[Byte](128 * bits)

    /** Writes header and block at `at`. Returns their end. */
    def write(
        values: Values,
        from: Int,
        count: Int,
        width: Int,
        out: Array[Byte],
        at: Int
    ): Int = {
      out(at) = width.toByte // the other bytes of the word stay 0, because the width is at most 64
      RawValues.copy(values, bits, from, count, plain, 0)
      java.util.Arrays.fill(plain, count * (bits / 8), plain.length, 0.toByte)
      BitpackingKernel.pack(bits, width, plain, 0, out, at + bits / 8)
      at + bits / 8 + packedBytes(width)
    }
  }
}
