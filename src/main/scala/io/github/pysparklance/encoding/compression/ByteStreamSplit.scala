// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.compression

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.proto.v2_1
import io.github.pysparklance.encoding.proto.v2_1.CompressiveEncoding
import io.github.pysparklance.encoding.spi._

/** The first byte of every value, then the second of every value, and so on; it helps a compressor
  * around it. Source: message `ByteStreamSplit`, format page of the compressive encodings,
  * "ByteStreamSplit".
  *
  * {{{
  *   f32 1 2 3 4   00000000 00000000 80004080 3f404040
  * }}}
  * Values of 32 or 64 bits. Picked only under a compressor. Since 2.1; mini-block only. Hot code:
  * imperative.
  */
object ByteStreamSplit {

  def miniBlock(message: v2_1.ByteStreamSplit, valueType: ValueType): MiniBlockDecoder = {
    val bits = Messages.flatBits("ByteStreamSplit", message.getValues)
    Messages.fixedWidth("ByteStreamSplit", bits.toLong, valueType)
    CorruptFileException.check(bits == 32 || bits == 64, s"ByteStreamSplit of $bits bits a value")
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

  private def joinInts(
      in: Array[Byte],
      at: Int,
      n: Int,
      out: Array[Int],
      to: Int,
      count: Int
  ): Unit = {
    var i = 0
    while (i < count) {
      val p = at + i
      out(to + i) =
        (in(p) & 0xff) | (in(p + n) & 0xff) << 8 | (in(p + 2 * n) & 0xff) << 16 | in(
          p + 3 * n
        ) << 24
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
    var i = 0
    while (i < count) {
      val p = at + i
      val low = (in(p) & 0xff) | (in(p + n) & 0xff) << 8 | (in(p + 2 * n) & 0xff) << 16 | in(
        p + 3 * n
      ) << 24
      val q = p + 4 * n
      val high = (in(q) & 0xff) | (in(q + n) & 0xff) << 8 | (in(q + 2 * n) & 0xff) << 16 | in(
        q + 3 * n
      ) << 24
      out(to + i) = (low & 0xffffffffL) | high.toLong << 32
      i += 1
    }
  }

  /** All values as chunks of 4 KiB.
    *
    * @param bits 32 or 64
    */
  def encodeMiniBlock(values: Values, bits: Int): CompressedMiniBlock =
    encodeMiniBlock(values, bits, Flat.maxChunkValues / (bits / 8))

  /** All values as chunks.
    *
    * @param bits 32 or 64
    * @param perChunk values of a chunk, a power of two
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

  /** Bits of entropy of a byte at the same place of the first values, averaged over the places.
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
