// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.compression

import java.util.Arrays

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.proto.v2_1
import io.github.pysparklance.encoding.proto.v2_1.CompressiveEncoding
import io.github.pysparklance.encoding.spi._
import io.github.pysparklance.encoding.value.{Messages, RawValues}

/** The first bytes of all values, then the second bytes, and so on, which helps a compressor around
  * it. Source: message `ByteStreamSplit`, format page of the compressive encodings,
  * "ByteStreamSplit".
  *
  * {{{
  *   f32 1 2 3 4   00000000 00000000 80004080 3f404040
  * }}}
  * For values of 32 or 64 bits. The writer uses it only inside a compressor. Since 2.1; mini-block
  * only. Hot code: imperative.
  */
object ByteStreamSplit {

  def miniBlock(message: v2_1.ByteStreamSplit, valueType: ValueType): MiniBlockDecoder = {
    val bits = Messages.flatBits("ByteStreamSplit", message.getValues)
    Messages.fixedWidth("ByteStreamSplit", bits.toLong, valueType)
    CorruptFileException.check(bits == 32 || bits == 64, s"ByteStreamSplit of $bits bits per value")
    new MiniBlock(bits / 8)
  }

  final private class MiniBlock(bytesPerValue: Int) extends MiniBlockDecoder {
    val numBuffers = 1

    def decode(buffers: Array[Buffer], numValues: Int, from: Int, count: Int, out: Values): Unit = {
      Messages.checkNumBuffers("ByteStreamSplit", buffers, 1)
      Messages.checkSlice(numValues, from, count)
      val buffer = buffers(0)
      Messages.checkLength(
        "ByteStreamSplit",
        buffer.length,
        numValues.toLong,
        numValues.toLong * bytesPerValue
      )
      out match {
        case v: IntValues =>
          val to = v.extend(count)
          joinInts(buffer.array, buffer.offset + from, numValues, v.array, to, count)
        case v: LongValues =>
          val to = v.extend(count)
          joinLongs(buffer.array, buffer.offset + from, numValues, v.array, to, count)
        case other =>
          throw new CorruptFileException(s"ByteStreamSplit for ${other.getClass.getSimpleName}")
      }
    }
  }

  // Processes eight values at a time: a long holds eight bytes of a stream, and bytes are
  // transposed between longs.

  private val Bytes = 0x00ff00ff00ff00ffL
  private val Pairs = 0x0000ffff0000ffffL
  private val Lower = 0xffffffffL

  /** Eight 32-bit numbers from four streams of `n` bytes, two numbers per long: 0 and 4, 1 and 5,
    * and so on. The JIT compiler removes the allocation, because no object escapes its loop.
    */
  final private class Joined(in: Array[Byte], at: Int, n: Int) {
    private[this] val a = Buffer.longAt(in, at)
    private[this] val b = Buffer.longAt(in, at + n)
    private[this] val c = Buffer.longAt(in, at + 2 * n)
    private[this] val d = Buffer.longAt(in, at + 3 * n)
    private[this] val evenAB = (a & Bytes) | (b & Bytes) << 8
    private[this] val oddAB = (a >>> 8 & Bytes) | (b & ~Bytes)
    private[this] val evenCD = (c & Bytes) | (d & Bytes) << 8
    private[this] val oddCD = (c >>> 8 & Bytes) | (d & ~Bytes)
    val v04: Long = (evenAB & Pairs) | (evenCD & Pairs) << 16
    val v15: Long = (oddAB & Pairs) | (oddCD & Pairs) << 16
    val v26: Long = (evenAB >>> 16 & Pairs) | (evenCD & ~Pairs)
    val v37: Long = (oddAB >>> 16 & Pairs) | (oddCD & ~Pairs)
  }

  private def joinInts(
      in: Array[Byte],
      at: Int,
      n: Int,
      out: Array[Int],
      to: Int,
      count: Int
  ): Unit = {
    val whole = count & ~7
    var i = 0
    while (i < whole) {
      val v = new Joined(in, at + i, n)
      val o = to + i
      out(o) = v.v04.toInt
      out(o + 1) = v.v15.toInt
      out(o + 2) = v.v26.toInt
      out(o + 3) = v.v37.toInt
      out(o + 4) = (v.v04 >>> 32).toInt
      out(o + 5) = (v.v15 >>> 32).toInt
      out(o + 6) = (v.v26 >>> 32).toInt
      out(o + 7) = (v.v37 >>> 32).toInt
      i += 8
    }
    while (i < count) {
      out(to + i) = intAt(in, at + i, n)
      i += 1
    }
  }

  private def joinLongs(
      in: Array[Byte],
      at: Int,
      n: Int,
      out: Array[Long],
      to: Int,
      count: Int
  ): Unit = {
    val areSmall =
      (4 until 8).forall(stream => isZero(in, at + stream * n, count)) // common for keys
    val whole = count & ~7
    if (areSmall) joinLowHalves(in, at, n, out, to, whole)
    else joinWhole(in, at, n, out, to, whole)
    var i = whole
    while (i < count) {
      val p = at + i
      out(to + i) = (intAt(in, p, n) & Lower) | intAt(in, p + 4 * n, n).toLong << 32
      i += 1
    }
  }

  private def joinLowHalves(
      in: Array[Byte],
      at: Int,
      n: Int,
      out: Array[Long],
      to: Int,
      count: Int
  ): Unit = {
    var i = 0
    while (i < count) {
      val low = new Joined(in, at + i, n)
      val o = to + i
      out(o) = low.v04 & Lower
      out(o + 1) = low.v15 & Lower
      out(o + 2) = low.v26 & Lower
      out(o + 3) = low.v37 & Lower
      out(o + 4) = low.v04 >>> 32
      out(o + 5) = low.v15 >>> 32
      out(o + 6) = low.v26 >>> 32
      out(o + 7) = low.v37 >>> 32
      i += 8
    }
  }

  private def joinWhole(
      in: Array[Byte],
      at: Int,
      n: Int,
      out: Array[Long],
      to: Int,
      count: Int
  ): Unit = {
    var i = 0
    while (i < count) {
      val p = at + i
      val a = Buffer.longAt(in, p)
      val b = Buffer.longAt(in, p + n)
      val c = Buffer.longAt(in, p + 2 * n)
      val d = Buffer.longAt(in, p + 3 * n)
      val e = Buffer.longAt(in, p + 4 * n)
      val f = Buffer.longAt(in, p + 5 * n)
      val g = Buffer.longAt(in, p + 6 * n)
      val h = Buffer.longAt(in, p + 7 * n)
      // Transposes halves of longs, then quarters, then bytes.
      val ae0 = (a & Lower) | e << 32
      val ae4 = a >>> 32 | (e & ~Lower)
      val bf0 = (b & Lower) | f << 32
      val bf4 = b >>> 32 | (f & ~Lower)
      val cg0 = (c & Lower) | g << 32
      val cg4 = c >>> 32 | (g & ~Lower)
      val dh0 = (d & Lower) | h << 32
      val dh4 = d >>> 32 | (h & ~Lower)
      val aceg0 = (ae0 & Pairs) | (cg0 & Pairs) << 16
      val aceg2 = (ae0 >>> 16 & Pairs) | (cg0 & ~Pairs)
      val bdfh0 = (bf0 & Pairs) | (dh0 & Pairs) << 16
      val bdfh2 = (bf0 >>> 16 & Pairs) | (dh0 & ~Pairs)
      val aceg4 = (ae4 & Pairs) | (cg4 & Pairs) << 16
      val aceg6 = (ae4 >>> 16 & Pairs) | (cg4 & ~Pairs)
      val bdfh4 = (bf4 & Pairs) | (dh4 & Pairs) << 16
      val bdfh6 = (bf4 >>> 16 & Pairs) | (dh4 & ~Pairs)
      val o = to + i
      out(o) = (aceg0 & Bytes) | (bdfh0 & Bytes) << 8
      out(o + 1) = (aceg0 >>> 8 & Bytes) | (bdfh0 & ~Bytes)
      out(o + 2) = (aceg2 & Bytes) | (bdfh2 & Bytes) << 8
      out(o + 3) = (aceg2 >>> 8 & Bytes) | (bdfh2 & ~Bytes)
      out(o + 4) = (aceg4 & Bytes) | (bdfh4 & Bytes) << 8
      out(o + 5) = (aceg4 >>> 8 & Bytes) | (bdfh4 & ~Bytes)
      out(o + 6) = (aceg6 & Bytes) | (bdfh6 & Bytes) << 8
      out(o + 7) = (aceg6 >>> 8 & Bytes) | (bdfh6 & ~Bytes)
      i += 8
    }
  }

  private val zeros = new Array[Byte](4096)

  private def isZero(bytes: Array[Byte], from: Int, count: Int): Boolean = {
    val end = from + count
    var at = from
    var same = true
    while (same && at < end) {
      val n = math.min(zeros.length, end - at)
      same = Arrays.equals(bytes, at, at + n, zeros, 0, n)
      at += n
    }
    same
  }

  /** Returns the value whose first byte is at `at`, from four streams of `n` bytes. */
  private def intAt(in: Array[Byte], at: Int, n: Int): Int =
    (in(at) & 0xff) | (in(at + n) & 0xff) << 8 | (in(at + 2 * n) & 0xff) << 16 |
      in(at + 3 * n) << 24

  /** Encodes all values in chunks of 4 KiB.
    *
    * @param bits 32 or 64
    */
  def encodeMiniBlock(values: Values, bits: Int): CompressedMiniBlock =
    encodeMiniBlock(values, bits, Flat.maxChunkValues / (bits / 8))

  /** Encodes all values in chunks.
    *
    * @param bits 32 or 64
    * @param perChunk number of values per chunk, a power of two
    */
  def encodeMiniBlock(values: Values, bits: Int, perChunk: Int): CompressedMiniBlock = {
    val bytesPerValue = bits / 8
    val plain = Flat.plainBytes(values, bits)
    val bytes = new Array[Byte](plain.length)
    val chunks = Vector.newBuilder[MiniBlockChunk]
    var from = 0
    while (from < values.numItems) {
      val n = math.min(perChunk, values.numItems - from)
      val at = from * bytesPerValue
      var j = 0
      while (j < bytesPerValue) {
        var i = 0
        while (i < n) {
          bytes(at + j * n + i) = plain(at + i * bytesPerValue + j)
          i += 1
        }
        j += 1
      }
      chunks += MiniBlockChunk(n, Vector(new Buffer(bytes, at, n * bytesPerValue)))
      from += n
    }
    CompressedMiniBlock(message(bits), chunks.result())
  }

  private val entropySample = 64

  /** Returns the entropy per byte in bits, estimated from the first 64 values. Averages the entropy
    * of each byte position.
    *
    * @param bits 32 or 64
    */
  def entropy(values: Values, bits: Int): Double = {
    val bytesPerValue = bits / 8
    val n = math.min(entropySample, values.numItems)
    val bytes = new Array[Byte](n * bytesPerValue)
    RawValues.copy(values, bits, 0, n, bytes, 0)
    val places = (0 until bytesPerValue).map { j =>
      val seen = new Array[Int](256)
      (0 until n).foreach(i => seen(bytes(i * bytesPerValue + j) & 0xff) += 1)
      seen.iterator.filter(_ > 0).map { c =>
        val share = c.toDouble / n
        -share * math.log(share) / math.log(2)
      }.sum
    }
    places.sum / bytesPerValue
  }

  private def message(bits: Int): CompressiveEncoding =
    CompressiveEncoding.newBuilder
      .setByteStreamSplit(v2_1.ByteStreamSplit.newBuilder.setValues(Messages.flat(bits)))
      .build
}
