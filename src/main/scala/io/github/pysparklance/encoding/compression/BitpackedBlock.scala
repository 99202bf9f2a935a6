// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.compression

import java.nio.{ByteBuffer, ByteOrder}

import io.github.pysparklance.core._

/** Takes blocks of [[BitpackingKernel]] apart, one after another in the same memory. Hot code: imperative.
  *
  * @param bits of a value: 8, 16, 32 or 64
  */
final private[encoding] class BitpackedBlock(bits: Int) {
  import BitpackingKernel.blockValues

  // 64-bit values as such, others as bytes with views that are made once
  private val longs = new Array[Long](if (bits == 64) blockValues else 0)
  private val bytes = new Array[Byte](if (bits == 64) 0 else blockValues * bits / 8)
  private val view = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN)
  private val shorts = view.asShortBuffer()
  private val ints = view.asIntBuffer()

  /** Unpacks the `128 * width` bytes at `at`, for [[appendTo]]. */
  def unpack(in: Array[Byte], at: Int, width: Int): Unit =
    if (bits == 64) BitpackingKernel.unpackLongs(width, in, at, longs, 0)
    else BitpackingKernel.unpack(bits, width, in, at, bytes, 0)

  /** Appends values `[from, from + count)` of the unpacked block. */
  def appendTo(from: Int, count: Int, out: Values): Unit = out match {
    case v: IntValues =>
      val to = v.extend(count)
      ints.get(from, v.array, to, count): Unit
    case v: LongValues =>
      val to = v.extend(count)
      System.arraycopy(longs, from, v.array, to, count)
    case v: ShortValues =>
      val to = v.extend(count)
      shorts.get(from, v.array, to, count): Unit
    case other => RawValues.append(bytes, 0, bits, from, count, other)
  }

  /** Both at once, without the way through memory of its own where a whole block is wanted. */
  def append(in: Array[Byte], at: Int, width: Int, from: Int, count: Int, out: Values): Unit =
    out match {
      case v: LongValues if count == blockValues =>
        val to = v.extend(count)
        BitpackingKernel.unpackLongs(width, in, at, v.array, to)
      case v: ByteValues if count == blockValues =>
        val to = v.extend(count)
        BitpackingKernel.unpack(bits, width, in, at, v.array, to)
      case _ =>
        unpack(in, at, width)
        appendTo(from, count, out)
    }
}
