// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.v2_0

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.compression.bitpacking.{BitpackedBlock, BitpackingKernel}
import io.github.pysparklance.encoding.proto.{v2_0 => pb}
import io.github.pysparklance.encoding.spi._

/** Bit-packed unsigned integers in blocks of 1,024. Source: message `BitpackedForNonNeg`,
  * encodings_v2_0.proto; the blocks have the layout of `BitpackingKernel`.
  *
  * {{{
  *   | block 0, 128 * w bytes | block 1 | ... |      the last one padded with zeros; w = compressed_bits_per_value
  * }}}
  * No release writes it in 2.0 pages by default. Hot code.
  */
object BitpackedForNonNeg {
  import BitpackingKernel.{blockValues, packedBytes}

  def decoder(
      message: pb.BitpackedForNonNeg,
      numValues: Long,
      valueType: ValueType,
      chooser: ArrayChooser
  ): ArrayDecoder = {
    val (width, bits) = Bitpacked.widths(
      "BitpackedForNonNeg",
      message.getCompressedBitsPerValue,
      message.getUncompressedBitsPerValue,
      valueType
    )
    val position = chooser.position(message.getBuffer)
    val size = chooser.sizeBytes(position)
    CorruptFileException.check(
      numValues >= 0 &&
        (width == 0 || numValues <= size / packedBytes(width) * blockValues),
      s"BitpackedForNonNeg of $size bytes for $numValues values of $width bits"
    )
    new Node(position, width, bits)
  }

  final private class Node(position: Int, width: Int, bits: Int) extends ArrayDecoder {
    val buffers: IndexedSeq[Int] = IndexedSeq(position)
    def bitsPerValue: Long = width.toLong
    def yieldsNulls: Boolean = false

    def read(values: RowRange): ArrayRead = {
      val from = values.from / blockValues
      val until = (values.until + blockValues - 1) / blockValues
      val range =
        PageRange(position, from * packedBytes(width), (until - from) * packedBytes(width))
      new Read(range, (values.from % blockValues).toInt, width, bits)
    }
  }

  final private class Read(range: PageRange, first: Int, width: Int, bits: Int) extends ArrayRead {
    private var buffer: Buffer = if (range.length == 0) Buffer.empty else null
    private var at = first
    private val unpacked = new BitpackedBlock(bits)
    private var unpackedBlock = -1

    def needs: IndexedSeq[PageRange] = if (buffer == null) IndexedSeq(range) else IndexedSeq.empty
    def isLast: Boolean = true
    def supply(bytes: IndexedSeq[Buffer]): Unit = buffer = bytes.head

    def decode(numValues: Int, out: NullableValues): Unit = {
      out.values.reserve(numValues)
      val end = at + numValues
      while (at < end) {
        val block = at / blockValues
        if (block != unpackedBlock) unpack(block)
        val n = math.min(end, (block + 1) * blockValues) - at
        unpacked.appendTo(at % blockValues, n, out.values)
        at += n
      }
    }

    private def unpack(block: Int): Unit = {
      val bytes = buffer.slice(block.toLong * packedBytes(width), packedBytes(width).toLong)
      unpacked.unpack(bytes.array, bytes.offset, width)
      unpackedBlock = block
    }
  }
}
