// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.value

import java.nio.{ByteBuffer, ByteOrder}

import io.github.pysparklance.core._

/** Converts fixed-width values between little-endian bytes and the arrays of [[Values]]. Hot code:
  * imperative, bulk copies.
  */
object RawValues {

  /** Returns the bytes of `numItems` values. Single bits fill bytes from the lowest bit up. */
  def numBytes(numItems: Long, bitsPerValue: Int): Long =
    if (bitsPerValue == 1) (numItems + 7) >> 3 else numItems * (bitsPerValue >> 3)

  /** Appends `count` values to `out`, starting `from` values after byte `at` of `array`. The caller
    * has checked the bounds.
    *
    * @param bitsPerValue 1 or a multiple of 8, the width of `out`
    */
  def append(
      array: Array[Byte],
      at: Int,
      bitsPerValue: Int,
      from: Int,
      count: Int,
      out: Values
  ): Unit = out match {
    case v: IntValues =>
      val to = v.extend(count)
      view(array, at + from * 4, count * 4).asIntBuffer().get(v.array, to, count): Unit
    case v: LongValues =>
      val to = v.extend(count)
      view(array, at + from * 8, count * 8).asLongBuffer().get(v.array, to, count): Unit
    case v: ShortValues =>
      val to = v.extend(count)
      view(array, at + from * 2, count * 2).asShortBuffer().get(v.array, to, count): Unit
    case v: ByteValues =>
      val to = v.extend(count)
      if (bitsPerValue == 1) expandBits(array, at * 8L + from, count, v.array, to)
      else System.arraycopy(array, at + from, v.array, to, count)
    case v: WideValues =>
      val to = v.extend(count)
      System.arraycopy(array, at + from * v.bytesPerValue, v.bytes, to, count * v.bytesPerValue)
    case other => throw mismatch(other)
  }

  /** Writes `values(from until from + count)` to `array` at index `at`. */
  def copy(
      values: Values,
      bitsPerValue: Int,
      from: Int,
      count: Int,
      array: Array[Byte],
      at: Int
  ): Unit = values match {
    case v: IntValues => view(array, at, count * 4).asIntBuffer().put(v.array, from, count): Unit
    case v: LongValues => view(array, at, count * 8).asLongBuffer().put(v.array, from, count): Unit
    case v: ShortValues =>
      view(array, at, count * 2).asShortBuffer().put(v.array, from, count): Unit
    case v: ByteValues =>
      if (bitsPerValue == 1) collectBits(v.array, from, count, array, at)
      else System.arraycopy(v.array, from, array, at, count)
    case v: WideValues =>
      System.arraycopy(
        v.bytes,
        from * v.bytesPerValue,
        array,
        at,
        count * v.bytesPerValue
      )
    case other => throw mismatch(other)
  }

  private def view(array: Array[Byte], at: Int, numBytes: Int): ByteBuffer =
    ByteBuffer.wrap(array, at, numBytes).slice().order(ByteOrder.LITTLE_ENDIAN)

  /** The bits of each byte value as eight bytes of 0 or 1, lowest bit first. A lookup takes two
    * thirds of the time of computing them.
    */
  private val spreadBits: Array[Long] =
    Array.tabulate(256)(b => (0 until 8).map(k => (b >> k & 1L) << (8 * k)).sum)

  /** Writes one byte, 0 or 1, for each of `count` bits from `firstBit` on. */
  private def expandBits(
      in: Array[Byte],
      firstBit: Long,
      count: Int,
      out: Array[Byte],
      to: Int
  ): Unit = {
    val spread = spreadBits
    var bit = firstBit
    var o = to
    val end = to + count
    while (o < end && (bit & 7) != 0) {
      out(o) = ((in((bit >> 3).toInt) >> (bit & 7).toInt) & 1).toByte
      bit += 1
      o += 1
    }
    var i = (bit >> 3).toInt
    while (o + 8 <= end) {
      Buffer.putLong(out, o, spread(in(i) & 0xff))
      i += 1
      o += 8
    }
    bit = i * 8L
    while (o < end) {
      out(o) = ((in((bit >> 3).toInt) >> (bit & 7).toInt) & 1).toByte
      bit += 1
      o += 1
    }
  }

  /** The inverse of [[expandBits]]. Starts at the first bit of a byte. */
  private def collectBits(
      in: Array[Byte],
      from: Int,
      count: Int,
      out: Array[Byte],
      to: Int
  ): Unit = {
    var i = 0
    while (i < count) {
      val n = math.min(8, count - i)
      var byte = 0
      var j = 0
      while (j < n) {
        byte |= (in(from + i + j) & 1) << j
        j += 1
      }
      out(to + (i >> 3)) = byte.toByte
      i += 8
    }
  }

  private def mismatch(values: Values): Throwable =
    new CorruptFileException(
      s"fixed-width values, expected ${values.getClass.getSimpleName}"
    )
}
