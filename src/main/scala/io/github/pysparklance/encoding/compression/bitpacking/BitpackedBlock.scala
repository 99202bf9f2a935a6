// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.compression.bitpacking

import java.nio.{ByteBuffer, ByteOrder}

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.value.RawValues

/** Unpacks blocks of [[BitpackingKernel]] one after another in the same memory. Hot code:
  * imperative.
  *
  * @param bits bits of a value: 8, 16, 32, or 64
  */
final private[encoding] class BitpackedBlock(bits: Int) {
  import BitpackingKernel.blockValues

  private val bytes = new Array[Byte](blockValues * bits / 8)
  private val view = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN)
  private val shorts = view.asShortBuffer()
  private val ints = view.asIntBuffer()
  private val longs = view.asLongBuffer()

  /** Unpacks the `128 * width` bytes at `at` for [[appendTo]]. */
  def unpack(in: Array[Byte], at: Int, width: Int): Unit =
    BitpackingKernel.unpack(bits, width, in, at, bytes, 0)

  /** Appends values `[from, from + count)` of the unpacked block. */
  def appendTo(from: Int, count: Int, out: Values): Unit = out match {
    case v: IntValues =>
      val to = v.extend(count)
      ints.position(from)
      ints.get(v.array, to, count): Unit
    case v: LongValues =>
      val to = v.extend(count)
      longs.position(from)
      longs.get(v.array, to, count): Unit
    case v: ShortValues =>
      val to = v.extend(count)
      shorts.position(from)
      shorts.get(v.array, to, count): Unit
    case other => RawValues.append(bytes, 0, bits, from, count, other)
  }

  /** Unpacks and appends. Whole blocks of bytes are unpacked directly into the output array. */
  def append(in: Array[Byte], at: Int, width: Int, from: Int, count: Int, out: Values): Unit =
    out match {
      case v: ByteValues if count == blockValues =>
        val to = v.extend(count)
        BitpackingKernel.unpack(bits, width, in, at, v.array, to)
      case _ =>
        unpack(in, at, width)
        appendTo(from, count, out)
    }
}
