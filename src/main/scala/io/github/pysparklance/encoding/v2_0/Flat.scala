// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.v2_0

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.proto.{v2_0 => pb}
import io.github.pysparklance.encoding.spi._
import io.github.pysparklance.encoding.value.RawValues

/** Contiguous fixed-width values. Source: message `Flat`, encodings_v2_0.proto.
  *
  * {{{
  *   8 bits and more   | value 0 | value 1 | ...   bitsPerValue / 8 bytes each, little endian
  *   1 bit             t f t t f f f t | t         8d 01: lowest bit first
  *   compression       the whole buffer is one unit, see Compression
  * }}}
  * The leaf encoding of most 2.0 pages. Single bits are never compressed, even if the message
  * declares a compression. Hot code.
  */
object Flat {

  def decoder(
      message: pb.Flat,
      numValues: Long,
      valueType: ValueType,
      chooser: ArrayChooser
  ): ArrayDecoder = {
    val bits = message.getBitsPerValue
    valueType match {
      case FixedWidth(expected) if expected == bits && (bits == 1 || bits % 8 == 0) => ()
      case other => throw Trees.contradiction(s"Flat of $bits bits per value", other)
    }
    val position = chooser.position(message.getBuffer)
    val isPlain = bits == 1 || !Compression.isUsed(message)
    if (isPlain) new Plain(position, chooser.sizeBytes(position), bits.toInt, numValues)
    else new Compressed(message.getCompression, position, bits.toInt, numValues)
  }

  /** Checks that values fit a buffer.
    *
    * @throws CorruptFileException if they do not
    */
  private def checkSize(numValues: Long, bits: Int, sizeBytes: Long): Unit =
    CorruptFileException.check(
      numValues >= 0 && numValues <= sizeBytes * 8 / bits,
      s"Flat of $sizeBytes bytes for $numValues values of $bits bits"
    )

  final private class Plain(position: Int, sizeBytes: Long, bits: Int, numValues: Long)
      extends ArrayDecoder {
    if (numValues != ArrayChooser.Unknown) checkSize(numValues, bits, sizeBytes)

    val buffers: IndexedSeq[Int] = IndexedSeq(position)
    def bitsPerValue: Long = bits.toLong
    def yieldsNulls: Boolean = false

    def read(values: RowRange): ArrayRead = {
      checkSize(values.until, bits, sizeBytes)
      val from = values.from * bits / 8
      val until = (values.until * bits + 7) / 8
      new Read(
        bits,
        PageRange(position, from, until - from),
        if (bits == 1) (values.from & 7).toInt else 0
      )
    }
  }

  final private class Compressed(
      compression: pb.Compression,
      position: Int,
      bits: Int,
      numValues: Long
  ) extends ArrayDecoder {
    private var plain: Buffer = null

    val buffers: IndexedSeq[Int] = IndexedSeq(position)
    override def head: IndexedSeq[Int] = buffers
    def bitsPerValue: Long = 0
    def yieldsNulls: Boolean = false

    override def open(buffers: Array[Buffer]): Unit = {
      val most = if (numValues == ArrayChooser.Unknown) Long.MaxValue else numValues * (bits / 8)
      plain = Compression.decompress(compression, buffers(position), most)
      if (numValues != ArrayChooser.Unknown) checkSize(numValues, bits, plain.length.toLong)
    }

    def read(values: RowRange): ArrayRead = {
      checkSize(values.until, bits, plain.length.toLong)
      val width = bits / 8
      val read = new Read(bits, PageRange(position, 0, 0), 0)
      read.supply(plain.slice(values.from * width, values.numRows * width))
      read
    }
  }

  /** Reads values.
    *
    * @param firstBit position of the first value in the first byte
    */
  final private class Read(bits: Int, range: PageRange, firstBit: Int) extends ArrayRead {
    private var buffer: Buffer = if (range.length == 0) Buffer.empty else null
    private var at = firstBit

    def needs: IndexedSeq[PageRange] = if (buffer == null) IndexedSeq(range) else IndexedSeq.empty
    def isLast: Boolean = true
    def supply(bytes: IndexedSeq[Buffer]): Unit = supply(bytes.head)
    def supply(bytes: Buffer): Unit = buffer = bytes

    def decode(numValues: Int, out: NullableValues): Unit = {
      RawValues.append(buffer.array, buffer.offset, bits, at, numValues, out.values)
      at += numValues
    }

    override def bytes(numValues: Int): Buffer = {
      val width = bits / 8
      val slice = buffer.slice(at.toLong * width, numValues.toLong * width)
      at += numValues
      slice
    }

    def appendBits(numValues: Int, out: Validity): Unit = {
      out.appendBitmap(buffer, at.toLong, numValues)
      at += numValues
    }
  }

  /** A bitmap that is read with the values it belongs to. */
  final class Bitmap(encoding: pb.ArrayEncoding, numValues: Long, chooser: ArrayChooser) {
    private val plain = Trees.withoutNoNulls(encoding)
    if (!plain.hasFlat) throw new UnsupportedFeatureException(s"a bitmap as ${Trees.name(plain)}")
    val decoder: ArrayDecoder =
      Flat.decoder(plain.getFlat, numValues, FixedWidth(1), chooser)

    /** Appends the next bits of a read from [[decoder]]. */
    def append(read: ArrayRead, numValues: Int, out: Validity): Unit =
      read.asInstanceOf[Read].appendBits(numValues, out)
  }

  /** Encodes fixed-width values. The page may share their array. */
  def encode(values: Values, bitsPerValue: Int, buffers: PageBuffers): pb.ArrayEncoding =
    message(bitsPerValue, buffers.add(raw(values, bitsPerValue)), None)

  private def raw(values: Values, bitsPerValue: Int): Buffer = values match {
    case v: ByteValues if bitsPerValue == 8 => new Buffer(v.array, 0, v.numItems)
    case v: WideValues => new Buffer(v.bytes, 0, Math.multiplyExact(v.numItems, v.bytesPerValue))
    case v =>
      val bytes = new Array[Byte](
        Math.toIntExact(RawValues.numBytes(v.numItems.toLong, bitsPerValue))
      )
      RawValues.copy(v, bitsPerValue, 0, v.numItems, bytes, 0)
      Buffer(bytes)
  }

  /** Encodes one bit per item, 1 = valid. */
  def encodeBits(validity: Validity, buffers: PageBuffers): pb.ArrayEncoding = {
    val bytes = new Array[Byte]((validity.numItems + 7) >> 3)
    val words = validity.words
    var i = 0
    while (i < bytes.length) {
      bytes(i) = (words(i >> 3) >>> ((i & 7) << 3)).toByte
      i += 1
    }
    message(1, buffers.add(Buffer(bytes)), None)
  }

  /** Encodes a buffer of bytes, which the caller has compressed with `compression`, if any. */
  def encodeBytes(
      bytes: Buffer,
      compression: Option[pb.Compression],
      buffers: PageBuffers
  ): pb.ArrayEncoding = message(8, buffers.add(bytes), compression)

  private[v2_0] def message(
      bitsPerValue: Int,
      buffer: pb.Buffer,
      compression: Option[pb.Compression]
  ): pb.ArrayEncoding = {
    val flat = pb.Flat.newBuilder().setBitsPerValue(bitsPerValue.toLong).setBuffer(buffer)
    compression.foreach(flat.setCompression)
    pb.ArrayEncoding.newBuilder().setFlat(flat).build()
  }
}
