// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.distinct

import io.github.pysparklance.spark.vectors.LanceVector

/** Leaves rows of a column of integers out whose value an earlier row had, as far as a bit for each value of their
  * range tells: integers of a wide range, far apart, all stay. Hot code.
  */
final private[scan] class DistinctIntegers {
  import DistinctIntegers._

  private var values = new Array[Long](0)
  private var words = new Array[Long](0) // bit i: whether value first + i was seen
  private var first = 0L // a multiple of 64
  private var numSeen = 0L

  /** Looks at the next batch.
    *
    * @param rows positions of rows that are not null, ascending; null: the first `n` rows
    * @param found takes the positions of those that are left
    * @return how many are left; -1: all of them
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

  /** Makes room for a bit of each value between the least and the greatest of a batch, if that pays. */
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

  /** Room is made for what was seen so far and the batch, and as much again on the side where values go on, in
    * proportion to the rows that were looked at.
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
        // Words behind the greatest of all longs are empty.
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

  /** Forgets what was seen, for values that have moved on: as in a column that is sorted. */
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

  /** 8 MiB, for values in a range of 67 million. */
  private val maxWords = 1L << 20

  private val wordsPerRow = 16L

  /** Words of a bit for each value; too many for any array where the range is none of a long. */
  private def numWords(start: Long, end: Long): Long = {
    val range = end - start
    if (range < 0) Long.MaxValue else (range >>> 6) + 1
  }
}
