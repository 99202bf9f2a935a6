// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.compression.bitpacking

import io.github.pysparklance.core._

/** Blocks of 1,024 bit-packed integers, used by `InlineBitpacking` and `OutOfLineBitpacking`.
  * Source: format page of the compressive encodings, "Bit packing".
  *
  * {{{
  *   T bits a value unpacked, W packed; 1024 / T lanes of T rows
  *   row r, lane l  is value  (0 4 2 6 1 5 3 7)(r / 8) * 16 + (r % 8) * 128 + l
  *   lane l         is a stream of its T values in row order, W bits each; word k of it is stored at word k * lanes + l
  * }}}
  * A row and a word of all lanes have 128 bytes each, so a packed block has 128 * W bytes. Values
  * are unsigned. `project/BitpackingSource.scala` generates the methods for each width,
  * `Bitpacking8` to `Bitpacking64`. Hot code.
  */
object BitpackingKernel {

  /** Number of values in a block. */
  val blockValues = 1024

  def packedBytes(width: Int): Int = 128 * width

  /** Unpacks `128 * width` bytes at `inAt` to `128 * bits` bytes at `outAt`. Bounds are checked
    * only by array accesses.
    */
  def unpack(
      bits: Int,
      width: Int,
      in: Array[Byte],
      inAt: Int,
      out: Array[Byte],
      outAt: Int
  ): Unit =
    if (width == 0) java.util.Arrays.fill(out, outAt, outAt + 128 * bits, 0.toByte)
    else
      bits match {
        case 8 => Bitpacking8.unpack(in, inAt, width, out, outAt)
        case 16 => Bitpacking16.unpack(in, inAt, width, out, outAt)
        case 32 => Bitpacking32.unpack(in, inAt, width, out, outAt)
        case 64 => Bitpacking64.unpack(in, inAt, width, out, outAt)
      }

  /** The inverse of [[unpack]]. Drops higher bits of the values. */
  def pack(bits: Int, width: Int, in: Array[Byte], inAt: Int, out: Array[Byte], outAt: Int): Unit =
    if (width != 0)
      bits match {
        case 8 => Bitpacking8.pack(in, inAt, width, out, outAt)
        case 16 => Bitpacking16.pack(in, inAt, width, out, outAt)
        case 32 => Bitpacking32.pack(in, inAt, width, out, outAt)
        case 64 => Bitpacking64.pack(in, inAt, width, out, outAt)
      }

  /** Returns the bits needed for the largest of `values[from, from + count)` as unsigned numbers.
    */
  def bitWidth(values: Values, from: Int, count: Int): Int = {
    val until = from + count
    var i = from
    values match {
      case v: IntValues =>
        val a = v.array
        var or = 0
        while (i < until) { or |= a(i); i += 1 }
        32 - Integer.numberOfLeadingZeros(or)
      case v: LongValues =>
        val a = v.array
        var or = 0L
        while (i < until) { or |= a(i); i += 1 }
        64 - java.lang.Long.numberOfLeadingZeros(or)
      case v: ShortValues => 32 - Integer.numberOfLeadingZeros(orShorts(v.array, from, until))
      case v: ByteValues =>
        val a = v.array
        var or = 0
        while (i < until) { or |= a(i); i += 1 }
        32 - Integer.numberOfLeadingZeros(or & 0xff)
      case other =>
        throw new IllegalArgumentException(s"no integers: ${other.getClass.getSimpleName}")
    }
  }

  /** Returns the width of each block of 1,024 values. */
  def blockWidths(values: Values): Array[Byte] = {
    val numItems = values.numItems
    Array.tabulate((numItems + blockValues - 1) / blockValues) { i =>
      val from = i * blockValues
      bitWidth(values, from, math.min(blockValues, numItems - from)).toByte
    }
  }

  /** Returns the bitwise OR of `shorts[from, until)` as an unsigned number. */
  def orShorts(shorts: Array[Short], from: Int, until: Int): Int = {
    var or = 0
    var i = from
    while (i < until) {
      or |= shorts(i)
      i += 1
    }
    or & 0xffff
  }
}
