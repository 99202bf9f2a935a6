// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.distinct

import io.github.pysparklance.spark.vectors.LanceVector

/** Drops rows of an integer column whose value occurred in an earlier row. Uses a bitmap over the
  * range of values. If the range is too wide, all rows are kept. Hot code.
  */
final private[scan] class DistinctIntegers {
  import DistinctIntegers._

  private var values = new Array[Long](0)
  private var words = new Array[Long](0) // bit i: whether value first + i occurred
  private var first = 0L // a multiple of 64
  private var numSeen = 0L

  /** Finds the rows of a batch to keep.
    *
    * @param rows positions of non-null rows, ascending; null for the first `n` rows
    * @param found receives the positions of the kept rows
    * @return number of kept rows; -1 for all of them
    */
  def find(vector: LanceVector, rows: Array[Int], n: Int, found: Array[Int]): Int = {
    if (values.length < n) values = new Array[Long](n)
    if (n > 0 && vector.copyIntegers(rows, n, values) && isCovered(n)) mark(rows, n, found) else -1
  }

  private def mark(rows: Array[Int], n: Int, found: Array[Int]): Int = {
    val values = this.values
    val words = this.words
    val first = this.first
    var left = 0
    var i = 0
    while (i < n) {
      val bit = values(i) - first
      val at = (bit >>> 6).toInt
      val word = words(at)
      found(left) = if (rows == null) i else rows(i)
      left += 1 - ((word >>> bit) & 1L).toInt
      words(at) = word | (1L << bit)
      i += 1
    }
    left
  }

  /** Extends the bitmap to the range of a batch, if that pays off. */
  private def isCovered(n: Int): Boolean = {
    var min = values(0)
    var max = min
    var i = 1
    while (i < n) {
      min = math.min(min, values(i))
      max = math.max(max, values(i))
      i += 1
    }
    numSeen += n
    val from = min & -64L
    isWithin(min, max) || grows(from, max) || startsAnew(from, max, n)
  }

  private def isWithin(min: Long, max: Long): Boolean =
    min >= first && max - first >= 0 && (max - first) >>> 6 < words.length

  /** Extends the bitmap to the range of the batch, within a limit that is proportional to the rows
    * seen. Adds spare words on the side on which values grow.
    */
  private def grows(from: Long, max: Long): Boolean = {
    val isEmpty = words.length == 0
    val least = if (isEmpty) from else math.min(first, from)
    val needed = numWords(least, if (isEmpty) max else math.max(last, max))
    val most = math.min(maxWords, numSeen * wordsPerRow)
    val fits = needed <= most
    if (fits) {
      val spare = math.min(most - needed, words.length.toLong)
      val below = least - (spare << 6)
      val start = if (isEmpty || least == first || below > least) least else below
      val grown = new Array[Long]((needed + spare).toInt)
      if (!isEmpty) {
        val at = ((first - start) >>> 6).toInt
        // Words after the greatest long are empty.
        System.arraycopy(words, 0, grown, at, math.min(words.length, grown.length - at))
      }
      words = grown
      first = start
    }
    fits
  }

  private def last: Long = {
    val last = first + (words.length.toLong << 6) - 1
    if (last < first) Long.MaxValue else last
  }

  /** Clears the bitmap if values have moved to another range, as in a sorted column. */
  private def startsAnew(from: Long, max: Long, n: Int): Boolean = {
    val needed = numWords(from, max)
    val pays = needed <= n
    if (pays) {
      words = new Array[Long](needed.toInt)
      first = from
    }
    pays
  }
}

private object DistinctIntegers {

  /** 8 MiB, for a range of 67 million values. */
  private val maxWords = 1L << 20

  private val wordsPerRow = 16L

  /** Number of words for a range of values; `Long.MaxValue` if the range overflows a long. */
  private def numWords(start: Long, end: Long): Long = {
    val range = end - start
    if (range < 0) Long.MaxValue else (range >>> 6) + 1
  }
}
