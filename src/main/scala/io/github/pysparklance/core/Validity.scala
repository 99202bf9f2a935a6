// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.core

/** A validity bitmap: one bit per item, 1 = valid, least significant bit first, in 64-bit words.
  * Grows by appending and is reused after [[clear]]. Hot code: imperative.
  */
final class Validity extends Serializable {
  private var bits: Array[Long] = Validity.noWords
  private var count: Int = 0
  private var nulls: Int = 0

  /** Number of items appended since the last [[clear]]. */
  def numItems: Int = count

  def numNulls: Int = nulls

  def hasNulls: Boolean = nulls != 0

  /** The words. Bits from [[numItems]] on are 0. Valid until the next append. */
  def words: Array[Long] = bits

  def isValid(item: Int): Boolean = ((bits(item >> 6) >>> item) & 1L) != 0

  def clear(): Unit = {
    java.util.Arrays.fill(bits, 0, (count + 63) >> 6, 0L)
    count = 0
    nulls = 0
  }

  /** Ensures capacity for `more` items. */
  def reserve(more: Int): Unit = {
    val wanted = (count.toLong + more + 63) >> 6
    if (wanted > bits.length) {
      bits = java.util.Arrays.copyOf(bits, Values.grownCapacity(bits.length, wanted))
    }
  }

  def append(valid: Boolean): Unit = {
    reserve(1)
    if (valid) bits(count >> 6) |= 1L << count
    else nulls += 1
    count += 1
  }

  def appendValid(numItems: Int): Unit = {
    reserve(numItems)
    var at = count
    val end = count + numItems
    while (at < end && (at & 63) != 0) {
      bits(at >> 6) |= 1L << at
      at += 1
    }
    val fullWords = (end - at) >> 6
    if (fullWords > 0) {
      java.util.Arrays.fill(bits, at >> 6, (at >> 6) + fullWords, -1L)
      at += fullWords << 6
    }
    while (at < end) {
      bits(at >> 6) |= 1L << at
      at += 1
    }
    count = end
  }

  def appendNulls(numItems: Int): Unit = {
    reserve(numItems)
    count += numItems
    nulls += numItems
  }

  /** Appends one item per level in `levels(from until until)`. An item is valid if its level is at
    * most `maxValid`.
    */
  def appendLevels(levels: Array[Short], from: Int, until: Int, maxValid: Int): Unit = {
    reserve(until - from)
    var i = from
    var at = count
    var valid = 0
    while (i < until && (at & 63) != 0) {
      val ok = (levels(i) - maxValid - 1) >>> 31
      bits(at >> 6) |= ok.toLong << at
      valid += ok
      i += 1
      at += 1
    }
    while (until - i >= 64) {
      val word = sixtyFourLevels(levels, i, maxValid + 1)
      bits(at >> 6) = word
      valid += java.lang.Long.bitCount(word)
      i += 64
      at += 64
    }
    if (i < until) {
      var word = 0L
      var j = 0
      while (i + j < until) {
        word |= ((levels(i + j) - maxValid - 1) >>> 31).toLong << j
        j += 1
      }
      bits(at >> 6) = word
      valid += java.lang.Long.bitCount(word)
      at += j
    }
    nulls += (until - from) - valid
    count = at
  }

  /** Returns one bit for each of 64 levels from `from` on, set if the level is below `tooHigh`. */
  private def sixtyFourLevels(levels: Array[Short], from: Int, tooHigh: Int): Long = {
    var word = 0L
    var j = 0
    while (j < 64) {
      word |= eightLevels(levels, from + j, tooHigh).toLong << j
      j += 8
    }
    word
  }

  /** Returns one bit for each of eight levels from `at` on, set if the level is below `tooHigh`.
    * Unrolled for speed.
    */
  private def eightLevels(levels: Array[Short], at: Int, tooHigh: Int): Int =
    (levels(at) - tooHigh) >>> 31 |
      ((levels(at + 1) - tooHigh) >>> 31) << 1 |
      ((levels(at + 2) - tooHigh) >>> 31) << 2 |
      ((levels(at + 3) - tooHigh) >>> 31) << 3 |
      ((levels(at + 4) - tooHigh) >>> 31) << 4 |
      ((levels(at + 5) - tooHigh) >>> 31) << 5 |
      ((levels(at + 6) - tooHigh) >>> 31) << 6 |
      ((levels(at + 7) - tooHigh) >>> 31) << 7

  /** Appends `numItems` bits of `bitmap` from bit `firstBit` on. Bitmaps are least significant bit
    * first, 1 = valid.
    */
  def appendBitmap(bitmap: Buffer, firstBit: Long, numItems: Int): Unit = {
    CorruptFileException.check(
      firstBit >= 0 && numItems <= bitmap.length * 8L - firstBit,
      s"bits [$firstBit, ${firstBit + numItems}) exceed a validity bitmap of ${bitmap.length} bytes"
    )
    reserve(numItems)
    var bit = firstBit
    var left = numItems
    while (left > 0) {
      val n = math.min(64, left)
      appendWord(bitmapWord(bitmap, bit, n), n)
      bit += n
      left -= n
    }
  }

  /** Returns `n` bits (1 to 64) of `bitmap` from bit `from` on, the first one lowest. */
  private def bitmapWord(bitmap: Buffer, from: Long, n: Int): Long = {
    val array = bitmap.array
    val shift = (from & 7).toInt
    var at = bitmap.offset + (from >> 3).toInt
    val last = bitmap.offset + ((from + n - 1) >> 3).toInt
    if (at + 8 <= array.length && shift + n <= 64) (Buffer.longAt(array, at) >>> shift) & lowBits(n)
    else {
      var word = (array(at) & 0xffL) >>> shift
      var have = 8 - shift
      while (at < last) {
        at += 1
        word |= (array(at) & 0xffL) << have
        have += 8
      }
      word & lowBits(n)
    }
  }

  /** Appends `other(from until from + numItems)`. */
  def appendFrom(other: Validity, from: Int, numItems: Int): Unit = {
    reserve(numItems)
    var item = from
    var left = numItems
    while (left > 0) {
      val n = math.min(64, left)
      appendWord(other.word(item, n), n)
      item += n
      left -= n
    }
  }

  /** Returns the bits of items `[from, from + n)`, the first one lowest. `n` is 1 to 64. */
  private def word(from: Int, n: Int): Long = {
    val low = bits(from >> 6) >>> from
    val high = if ((from & 63) + n > 64) bits((from >> 6) + 1) << -from else 0L
    (low | high) & lowBits(n)
  }

  /** Appends the lowest `n` bits (1 to 64) of `word`. Its higher bits must be 0, and the capacity
    * must suffice.
    */
  private def appendWord(word: Long, n: Int): Unit = {
    bits(count >> 6) |= word << count
    if ((count & 63) + n > 64) bits((count >> 6) + 1) = word >>> -count
    nulls += n - java.lang.Long.bitCount(word)
    count += n
  }

  private def lowBits(n: Int): Long = -1L >>> (64 - n)
}

object Validity {
  private val noWords = new Array[Long](0)

  def allValid(numItems: Int): Validity = {
    val v = new Validity
    v.appendValid(numItems)
    v
  }

  /** Creates a bitmap from one flag per item. */
  def of(flags: Boolean*): Validity = {
    val v = new Validity
    flags.foreach(v.append)
    v
  }
}
