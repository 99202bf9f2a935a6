// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.compression

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.proto.v2_1
import io.github.pysparklance.encoding.proto.v2_1.CompressiveEncoding
import io.github.pysparklance.encoding.spi._
import io.github.pysparklance.encoding.value.Messages

/** Strings and binaries as offsets and bytes. Source: message `Variable`, format page of the
  * compressive encodings, "Variable".
  *
  * {{{
  *   mini-block   (n + 1) offsets from the start of this buffer | bytes | 48.. up to a multiple of the offset width
  *                14000000 15000000 17000000 17000000 1b000000 | 61 62 62 64 64 64 64 | 48      "a" "bb" "" "dddd"
  *   block        see VariableBlock
  *   per value    the bytes alone; the full-zip page stores the length before them
  * }}}
  * Offsets have 32 or 64 bits. The writer fills chunks up to 4,096 bytes including offsets, or up
  * to the size in the field's metadata. Since 2.1. Hot code: imperative.
  */
object Variable {
  private val padding = 0x48.toByte

  /** Target size of a chunk in bytes, including offsets. */
  private[encoding] val targetChunkBytes = 4096

  def miniBlock(message: v2_1.Variable, valueType: ValueType): MiniBlockDecoder = {
    requireVariable(valueType)
    new MiniBlock(offsetBits(message) / 8)
  }

  def perValue(message: v2_1.Variable, valueType: ValueType): VariablePerValueDecoder = {
    requireVariable(valueType)
    offsetBits(message): Unit
    PerValue
  }

  def block(message: v2_1.Variable, valueType: ValueType): BlockDecoder = {
    requireVariable(valueType)
    offsetBits(message): Unit // only checked: the block's header determines the width
    VariableBlock
  }

  private[compression] def requireVariable(valueType: ValueType): Unit = valueType match {
    case VariableWidth(_) =>
    case other => throw Messages.contradiction("Variable", other)
  }

  private[compression] def offsetBits(message: v2_1.Variable): Int = {
    Messages.rejectLeafCompression("Variable", message.hasValues)
    val bits = Messages.flatBits("Variable offsets", message.getOffsets)
    CorruptFileException.check(bits == 32 || bits == 64, s"Variable with offsets of $bits bits")
    bits
  }

  final private class MiniBlock(offsetBytes: Int) extends MiniBlockDecoder {
    val numBuffers = 1

    def decode(buffers: Array[Buffer], numValues: Int, from: Int, count: Int, out: Values): Unit = {
      Messages.checkNumBuffers("Variable", buffers, 1)
      val buffer = buffers(0)
      val values = out.asInstanceOf[BinaryValues]
      values.reserve(count)
      val base = values.numBytes
      val first = ChunkOffsets.read(
        buffer,
        offsetBytes,
        numValues,
        from,
        count,
        values.offsets,
        values.numItems,
        base
      )
      val numBytes = values.offsets(values.numItems + count) - base
      values.reserveBytes(base, numBytes)
      System.arraycopy(buffer.array, buffer.offset + first, values.bytes, base, numBytes)
      values.extend(count)
    }
  }

  private object PerValue extends VariablePerValueDecoder {
    def decode(array: Array[Byte], offset: Int, length: Int, out: Values): Unit =
      out.asInstanceOf[BinaryValues].append(array, offset, length)
  }

  def message(offsetBits: Int): CompressiveEncoding =
    CompressiveEncoding.newBuilder
      .setVariable(v2_1.Variable.newBuilder.setOffsets(Messages.flat(offsetBits)))
      .build

  /** Encodes all values in chunks.
    *
    * @param chunkBytes target size of a chunk, including offsets
    */
  def encodeMiniBlock(
      values: BinaryValues,
      offsetBits: Int,
      chunkBytes: Int = targetChunkBytes
  ): CompressedMiniBlock = {
    val offsetBytes = offsetBits / 8
    val chunks = Vector.newBuilder[MiniBlockChunk]
    var from = 0
    while (from < values.numItems) {
      val n = chunkValues(values, from, offsetBytes, chunkBytes)
      chunks += MiniBlockChunk(n, Vector(encodeChunk(values, from, n, offsetBytes)))
      from += n
    }
    CompressedMiniBlock(message(offsetBits), chunks.result())
  }

  /** Returns the number of values from `from` on for one chunk: all remaining values if they fit,
    * else the largest power of two that fits, but at least two.
    */
  private def chunkValues(
      values: BinaryValues,
      from: Int,
      offsetBytes: Int,
      chunkBytes: Int
  ): Int = {
    val left = values.numItems - from
    def fits(n: Int): Boolean =
      values.offsets(from + n) - values.offsets(from) + (n + 1L) * offsetBytes <= chunkBytes
    if (left <= 2) left
    else {
      var n = 2
      while (2 * n <= left && 2 * n <= Flat.maxChunkValues && fits(2 * n)) n *= 2
      if (left < 2 * n && left <= Flat.maxChunkValues && fits(left)) left else n
    }
  }

  private def encodeChunk(values: BinaryValues, from: Int, count: Int, offsetBytes: Int): Buffer = {
    val first = values.offsets(from)
    val numBytes = values.offsets(from + count) - first
    val header = (count + 1) * offsetBytes
    val total = (header.toLong + numBytes + offsetBytes - 1) / offsetBytes * offsetBytes
    val bytes = new Array[Byte](Messages.arrayLength(total))
    ChunkOffsets.write(values.offsets, from, count, header, bytes, 0, offsetBytes)
    System.arraycopy(values.bytes, first, bytes, header, numBytes)
    java.util.Arrays.fill(bytes, header + numBytes, bytes.length, padding)
    Buffer(bytes)
  }

  /** Encodes all values as one block. */
  def encodeBlock(values: BinaryValues, offsetBits: Int): CompressedBlock =
    VariableBlock.encode(values, offsetBits)
}
