// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.v2_0

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.proto.{v2_0 => pb}
import io.github.pysparklance.encoding.spi._

/** Contiguous bit-packed integers. Source: message `Bitpacked`, encodings_v2_0.proto.
  *
  * {{{
  *   value i is the bits [i * w, (i + 1) * w) of the buffer, lowest first; w = compressed_bits_per_value
  *   signed: the highest of them is the sign, else zeros are above
  *
  *   5 bits   1 2 3 4   41 0c 02
  * }}}
  * No release writes it in 2.0 pages by default. Hot code.
  */
object Bitpacked {

  def decoder(
      message: pb.Bitpacked,
      numValues: Long,
      valueType: ValueType,
      chooser: ArrayChooser
  ): ArrayDecoder = {
    val (width, _) = widths(
      "Bitpacked",
      message.getCompressedBitsPerValue,
      message.getUncompressedBitsPerValue,
      valueType
    )
    val position = chooser.position(message.getBuffer)
    val size = chooser.sizeBytes(position)
    CorruptFileException.check(
      width > 0 && numValues >= 0 && numValues <= size * 8 / width,
      s"Bitpacked of $size bytes for $numValues values of $width bits"
    )
    new Node(position, width, message.getSigned)
  }

  private[v2_0] def widths(
      name: String,
      compressed: Long,
      uncompressed: Long,
      valueType: ValueType
  ): (Int, Int) = valueType match {
    case FixedWidth(bits)
        if bits == uncompressed && (bits == 8 || bits == 16 || bits == 32 || bits == 64) =>
      CorruptFileException.check(
        compressed >= 0 && compressed <= bits,
        s"$name of $bits bits in ${java.lang.Long.toUnsignedString(compressed)}"
      )
      (compressed.toInt, bits)
    case other => throw Trees.contradiction(s"$name of $uncompressed bits per value", other)
  }

  final private class Node(position: Int, width: Int, isSigned: Boolean) extends ArrayDecoder {
    val buffers: IndexedSeq[Int] = IndexedSeq(position)
    def bitsPerValue: Long = width.toLong
    def yieldsNulls: Boolean = false

    def read(values: RowRange): ArrayRead = {
      val from = values.from * width / 8
      val until = (values.until * width + 7) / 8
      val range = PageRange(position, from, until - from)
      new Read(range, (values.from * width - from * 8).toInt, width, isSigned)
    }
  }

  final private class Read(
      range: PageRange,
      firstBit: Int,
      width: Int,
      isSigned: Boolean
  ) extends ArrayRead {
    private var buffer: Buffer = if (range.length == 0) Buffer.empty else null
    private var bit = firstBit.toLong

    def needs: IndexedSeq[PageRange] = if (buffer == null) IndexedSeq(range) else IndexedSeq.empty
    def isLast: Boolean = true
    def supply(bytes: IndexedSeq[Buffer]): Unit = buffer = bytes.head

    def decode(numValues: Int, out: NullableValues): Unit = {
      var i = 0
      out.values match {
        case v: ByteValues =>
          val to = v.extend(numValues)
          while (i < numValues) { v.array(to + i) = next().toByte; i += 1 }
        case v: ShortValues =>
          val to = v.extend(numValues)
          while (i < numValues) { v.array(to + i) = next().toShort; i += 1 }
        case v: IntValues =>
          val to = v.extend(numValues)
          while (i < numValues) { v.array(to + i) = next().toInt; i += 1 }
        case v: LongValues =>
          val to = v.extend(numValues)
          while (i < numValues) { v.array(to + i) = next(); i += 1 }
        case other =>
          throw new CorruptFileException(s"Bitpacked for ${other.getClass.getSimpleName}")
      }
    }

    /** Returns the next value, sign-extended to 64 bits. */
    private def next(): Long = {
      val first = (bit >>> 3).toInt
      val shift = (bit & 7).toInt
      val last = ((bit + width - 1) >>> 3).toInt
      val array = buffer.array
      val offset = buffer.offset
      var word = (buffer.u8(first) & 0xffL) >>> shift
      buffer.u8(last): Unit // checks the bounds of this and all bytes before it
      var have = 8 - shift
      var at = first + 1
      while (at <= last) {
        word |= (array(offset + at) & 0xffL) << have
        have += 8
        at += 1
      }
      bit += width
      val free = 64 - width
      if (isSigned) (word << free) >> free else (word << free) >>> free
    }
  }
}
