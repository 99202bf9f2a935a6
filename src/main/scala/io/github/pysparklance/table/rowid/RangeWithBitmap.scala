// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.rowid

import com.google.protobuf.ByteString

import io.github.pysparklance.core.Buffer
import io.github.pysparklance.table.proto

/** The integers of a range whose bits are set. Hot code: imperative.
  *
  * {{{
  *   start 5, end 15, bitmap  0b00001101 0b00000010      5 7 8 14
  * }}}
  * Bit `i` is bit `i % 8`, from the least significant one, of byte `i / 8`. Bits past the end are
  * 0.
  *
  * Source: message `U64Segment.RangeWithBitmap`, rowids.proto.
  *
  * @param words the bitmap, little endian
  */
final private[rowid] class RangeWithBitmap private (start: Long, span: Long, words: Array[Long])
    extends U64Segment {
  import RangeWithBitmap._

  /** Number of bits set before each block of words, followed by the total. */
  private val ranks: Array[Long] = {
    val r = new Array[Long]((words.length + blockWords - 1) / blockWords + 1)
    var i = 0
    while (i < words.length) {
      r(i / blockWords + 1) += java.lang.Long.bitCount(words(i))
      i += 1
    }
    i = 1
    while (i < r.length) {
      r(i) += r(i - 1)
      i += 1
    }
    r
  }

  def numValues: Long = ranks(ranks.length - 1)

  def apply(i: Long): Long = start + position(i)

  /** Returns the position of the set bit with `i` set bits before it. */
  private def position(i: Long): Long = {
    var low = 0
    var high = ranks.length - 1
    while (high - low > 1) {
      val middle = (low + high) >>> 1
      if (ranks(middle) <= i) low = middle else high = middle
    }
    var left = i - ranks(low)
    var word = low * blockWords
    while (left >= java.lang.Long.bitCount(words(word))) {
      left -= java.lang.Long.bitCount(words(word))
      word += 1
    }
    var bits = words(word)
    while (left > 0) {
      bits &= bits - 1
      left -= 1
    }
    word * 64L + java.lang.Long.numberOfTrailingZeros(bits)
  }

  def fill(from: Long, out: Array[Long], at: Int, numWanted: Int): Unit =
    if (numWanted > 0) {
      val first = position(from)
      var word = (first >>> 6).toInt
      var bits = words(word) & (-1L << (first & 63))
      var i = 0
      while (i < numWanted) {
        while (bits == 0) {
          word += 1
          bits = words(word)
        }
        out(at + i) = start + word * 64L + java.lang.Long.numberOfTrailingZeros(bits)
        bits &= bits - 1
        i += 1
      }
    }

  def bounds: (Long, Long) = (apply(0), apply(numValues - 1))

  protected def indexOf(value: Long): Long = {
    val bit = value - start
    if (bit < 0 || bit >= span || (words((bit >>> 6).toInt) >>> (bit & 63) & 1L) == 0) -1L
    else {
      val word = (bit >>> 6).toInt
      var rank = ranks(word / blockWords)
      var w = word / blockWords * blockWords
      while (w < word) {
        rank += java.lang.Long.bitCount(words(w))
        w += 1
      }
      rank + java.lang.Long.bitCount(words(word) & ((1L << (bit & 63)) - 1))
    }
  }

  def toMessage: proto.U64Segment = {
    val bytes = new Array[Byte](words.length * 8)
    words.indices.foreach(i => Buffer.putLong(bytes, i * 8, words(i)))
    val m = proto.U64Segment.RangeWithBitmap
      .newBuilder()
      .setStart(start)
      .setEnd(start + span)
      .setBitmap(ByteString.copyFrom(bytes, 0, ((span + 7) / 8).toInt))
    proto.U64Segment.newBuilder().setRangeWithBitmap(m).build()
  }
}

private[rowid] object RangeWithBitmap {
  private val blockWords = 8

  def decode(m: proto.U64Segment.RangeWithBitmap): RangeWithBitmap = {
    val span = U64Segment.span(m.getStart, m.getEnd)
    val bitmap = m.getBitmap
    U64Segment.check(
      bitmap.size == span / 8 + (if (span % 8 == 0) 0 else 1),
      s"a bitmap of ${bitmap.size} bytes for a range of $span"
    )
    val bytes = new Array[Byte]((bitmap.size + 7) / 8 * 8)
    bitmap.copyTo(bytes, 0)
    val words = new Array[Long](bytes.length / 8)
    words.indices.foreach(i => words(i) = Buffer.longAt(bytes, i * 8))
    U64Segment.check(
      span % 64 == 0 || words(words.length - 1) >>> (span % 64) == 0,
      "a bitmap with bits past the end of its range"
    )
    new RangeWithBitmap(m.getStart, span, words)
  }

  /** @param values strictly ascending, not empty, in a range that fits a bitmap */
  def encode(values: Array[Long]): RangeWithBitmap = {
    val start = values(0)
    val span = values(values.length - 1) - start + 1
    val words = new Array[Long](((span + 63) / 64).toInt)
    var i = 0
    while (i < values.length) {
      val bit = values(i) - start
      words((bit >>> 6).toInt) |= 1L << (bit & 63)
      i += 1
    }
    new RangeWithBitmap(start, span, words)
  }
}
