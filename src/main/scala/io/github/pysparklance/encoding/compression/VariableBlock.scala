// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.compression

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.spi._
import io.github.pysparklance.encoding.value.Messages

/** `Variable` as one block, the form of page dictionaries. Source: format page of the compressive
  * encodings, "Variable", "Block".
  *
  * {{{
  *   u32 = 32 | u32 bytesStart | (n + 1) x u32 offsets from 0 | bytes
  *   u32 = 64 | u32 = 0 | u64 bytesStart | (n + 1) x u64 offsets from 0 | bytes
  *
  *   20000000 18000000 00000000 03000000 08000000 0c000000 7265 64 ...      "red" "green" "blue"
  * }}}
  * Previews of 2.1 wrote a header of `u8 = 32 | u32 n | u32 bytesStart`, or `u8 = 64 | u64 n | u64
  * bytesStart`. It is recognized by a non-zero value in bytes 1 to 3.
  */
private[compression] object VariableBlock extends BlockDecoder {

  def decode(block: Buffer, numValues: Int, out: Values): Unit = {
    val values = out.asInstanceOf[BinaryValues]
    val old = block.length > 3 && (block.u8(1) | block.u8(2) | block.u8(3)) != 0
    val offsetBytes = width(block.u8(0))
    val header = if (old) oldHeader(block, offsetBytes, numValues) else 2 * offsetBytes
    val bytesStart =
      if (offsetBytes == 4) block.u32(header - 4)
      else block.u63(header - 8, "the start of the strings")
    if (bytesStart - header != (numValues + 1L) * offsetBytes || bytesStart > block.length)
      throw new CorruptFileException(
        s"a block of ${block.length} bytes for $numValues strings declares that they start at byte $bytesStart"
      )
    val strings = block.slice(bytesStart, block.length - bytesStart)
    append(block.slice(header.toLong, bytesStart - header), offsetBytes, strings, numValues, values)
  }

  private def width(bits: Int): Int = {
    CorruptFileException.check(
      bits == 32 || bits == 64,
      s"a block of strings with offsets of $bits bits"
    )
    bits / 8
  }

  private def oldHeader(block: Buffer, offsetBytes: Int, numValues: Int): Int = {
    val n = if (offsetBytes == 4) block.u32(1) else block.u63(1, "the number of strings")
    CorruptFileException.check(n == numValues, s"a block of $n strings, expected $numValues")
    1 + 2 * offsetBytes
  }

  private def append(
      offsets: Buffer,
      offsetBytes: Int,
      strings: Buffer,
      numValues: Int,
      out: BinaryValues
  ): Unit = {
    def offset(i: Int): Long = if (offsetBytes == 4) offsets.u32(i * 4) else offsets.i64(i * 8)
    CorruptFileException.check(
      offset(0) == 0,
      s"the first string of a block starts at byte ${offset(0)}"
    )
    val base = out.numBytes
    val at = out.numItems
    out.reserve(numValues)
    out.reserveBytes(base, strings.length)
    var before = 0L
    var i = 1
    while (i <= numValues) {
      val end = offset(i)
      if (end < before || end > strings.length)
        throw new CorruptFileException(
          s"string ${i - 1} of a block starts at byte $before and ends at byte $end of ${strings.length}"
        )
      out.offsets(at + i) = base + end.toInt
      before = end
      i += 1
    }
    System.arraycopy(strings.array, strings.offset, out.bytes, base, before.toInt)
    out.extend(numValues)
  }

  /** Encodes all values as one block with offsets of `offsetBits` bits. */
  def encode(values: BinaryValues, offsetBits: Int): CompressedBlock = {
    val offsetBytes = offsetBits / 8
    val header = 2 * offsetBytes
    val bytesStart = header + (values.numItems + 1L) * offsetBytes
    val bytes = new Array[Byte](Messages.arrayLength(bytesStart + values.numBytes))
    bytes(0) = offsetBits.toByte
    Buffer.putInt(bytes, header - offsetBytes, bytesStart.toInt) // the higher half of a u64 stays 0
    ChunkOffsets.write(values.offsets, 0, values.numItems, 0, bytes, header, offsetBytes)
    System.arraycopy(values.bytes, 0, bytes, bytesStart.toInt, values.numBytes)
    CompressedBlock(Variable.message(offsetBits), Buffer(bytes))
  }
}
