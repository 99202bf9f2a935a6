// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text.segment

import io.github.pysparklance.core.{Buffer, CorruptFileException}

/** Reads numbers of posting lists. Hot code: imperative.
  *
  * A packed vector has 32 rows of 4 or 8 lanes. Value `i` is in lane `i % lanes`, row `i / lanes`.
  * A lane is a stream of 32-bit words, lowest bits first; word `k` of lane `l` is number `k * lanes
  * + l`.
  *
  * Source: format page of indices, "Postings".
  */
private[segment] object BitUnpacking {

  /** Number of bytes of a packed vector. */
  def numBytes(width: Int, lanes: Int): Int = 4 * lanes * width

  /** Unpacks `32 * lanes` numbers of `width` bits.
    *
    * @param at position of the first byte. The array must contain all bytes
    */
  def unpack(bytes: Array[Byte], at: Int, width: Int, lanes: Int, out: Array[Int], outAt: Int)
      : Unit =
    if (width == 0) java.util.Arrays.fill(out, outAt, outAt + 32 * lanes, 0)
    else {
      var lane = 0
      while (lane < lanes) {
        unpackFour(bytes, at + 4 * lane, width, lanes, out, outAt + lane)
        lane += 4
      }
    }

  /** Unpacks four adjacent lanes, without a loop over them. */
  private def unpackFour(
      bytes: Array[Byte],
      at: Int,
      width: Int,
      lanes: Int,
      out: Array[Int],
      outAt: Int
  ): Unit = {
    val mask = -1 >>> (32 - width)
    val wordBytes = 4 * lanes
    var bit = 0
    var to = outAt
    val end = outAt + 32 * lanes
    while (to < end) {
      val shift = bit & 31
      val word = at + (bit >>> 5) * wordBytes
      var a = Buffer.intAt(bytes, word) >>> shift
      var b = Buffer.intAt(bytes, word + 4) >>> shift
      var c = Buffer.intAt(bytes, word + 8) >>> shift
      var d = Buffer.intAt(bytes, word + 12) >>> shift
      if (shift + width > 32) {
        val next = word + wordBytes
        val left = 32 - shift
        a |= Buffer.intAt(bytes, next) << left
        b |= Buffer.intAt(bytes, next + 4) << left
        c |= Buffer.intAt(bytes, next + 8) << left
        d |= Buffer.intAt(bytes, next + 12) << left
      }
      out(to) = a & mask
      out(to + 1) = b & mask
      out(to + 2) = c & mask
      out(to + 3) = d & mask
      bit += width
      to += lanes
    }
  }
}

/** Reads bytes within bounds.
  *
  * @param at position of the next byte
  * @param end position after the last byte
  */
final private[segment] class ByteCursor(bytes: Array[Byte], var at: Int, val end: Int) {

  def u8(): Int = {
    need(1)
    at += 1
    bytes(at - 1) & 0xff
  }

  def i32(): Int = {
    need(4)
    at += 4
    Buffer.intAt(bytes, at - 4)
  }

  /** Reads a number with 7 bits per byte, lowest bits first. */
  def leb(): Int = {
    var value = 0L
    var shift = 0
    var isLast = false
    while (!isLast) {
      val b = u8()
      value |= (b & 0x7fL) << shift
      isLast = b < 0x80
      shift += 7
      if (shift > 63 && !isLast) corrupt("a number of more than 9 bytes")
    }
    if (value < 0 || value > 0xffffffffL) corrupt(s"the number $value")
    value.toInt
  }

  /** Returns the position of a packed vector, and moves past it.
    *
    * @param width number of bits of a value
    */
  def packed(width: Int, lanes: Int): Int = {
    if (width > 32) corrupt(s"values of $width bits")
    val numBytes = BitUnpacking.numBytes(width, lanes)
    need(numBytes)
    at += numBytes
    at - numBytes
  }

  def need(numBytes: Int): Unit =
    if (numBytes > end - at) corrupt(s"${end - at} bytes where $numBytes are needed")

  private def corrupt(what: String): Nothing =
    throw new CorruptFileException(s"a posting block has $what")
}
