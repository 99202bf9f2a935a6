// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.sorting

/** Least-significant-digit radix sort of number pairs, with 11-bit digits. Digits that are equal in
  * all pairs are skipped. Reuses its scratch arrays. Not thread-safe. Hot code.
  */
final private[sorting] class RadixSort {
  import RadixSort._

  private val counts = Array.ofDim[Int](numDigits, numBuckets)
  private var keys = Array.emptyLongArray
  private var values = Array.emptyLongArray

  /** Sorts pairs `[from, until)` by unsigned key. The sort is stable. */
  def sort(a: Array[Long], b: Array[Long], from: Int, until: Int): Unit = {
    val n = until - from
    if (n <= fewPairs) insertionSort(a, b, from, until)
    else if (!isSorted(a, from, until)) {
      if (keys.length < n) {
        keys = new Array[Long](n)
        values = new Array[Long](n)
      }
      count(a, from, until)
      var (x, y, at) = (a, b, from)
      var digit = 0
      while (digit < numDigits) {
        if (!isConstant(digit, x(at), n)) {
          val (toX, toY, toAt) = if (x eq a) (keys, values, 0) else (a, b, from)
          scatter(digit, x, y, at, n, toX, toY, toAt)
          x = toX
          y = toY
          at = toAt
        }
        digit += 1
      }
      if (!(x eq a)) {
        System.arraycopy(keys, 0, a, from, n)
        System.arraycopy(values, 0, b, from, n)
      }
    }
  }

  private def count(a: Array[Long], from: Int, until: Int): Unit = {
    counts.foreach(java.util.Arrays.fill(_, 0))
    val (c0, c1, c2, c3, c4, c5) =
      (counts(0), counts(1), counts(2), counts(3), counts(4), counts(5))
    var i = from
    while (i < until) {
      val key = a(i)
      c0((key & mask).toInt) += 1
      c1((key >>> 11 & mask).toInt) += 1
      c2((key >>> 22 & mask).toInt) += 1
      c3((key >>> 33 & mask).toInt) += 1
      c4((key >>> 44 & mask).toInt) += 1
      c5((key >>> 55).toInt) += 1
      i += 1
    }
  }

  private def isConstant(digit: Int, key: Long, n: Int): Boolean =
    counts(digit)((key >>> (digit * digitBits) & mask).toInt) == n

  private def scatter(
      digit: Int,
      x: Array[Long],
      y: Array[Long],
      at: Int,
      n: Int,
      toX: Array[Long],
      toY: Array[Long],
      toAt: Int
  ): Unit = {
    val ends = counts(digit)
    var sum = toAt
    var bucket = 0
    while (bucket < numBuckets) {
      val count = ends(bucket)
      ends(bucket) = sum
      sum += count
      bucket += 1
    }
    val shift = digit * digitBits
    var i = at
    while (i < at + n) {
      val key = x(i)
      val bucketOfKey = (key >>> shift & mask).toInt
      val target = ends(bucketOfKey)
      ends(bucketOfKey) = target + 1
      toX(target) = key
      toY(target) = y(i)
      i += 1
    }
  }
}

private object RadixSort {
  private val digitBits = 11
  private val numDigits = 6
  private val numBuckets = 1 << digitBits
  private val mask = numBuckets - 1L

  /** Up to this number of pairs, insertion sort is faster. */
  private val fewPairs = 64

  private def insertionSort(a: Array[Long], b: Array[Long], from: Int, until: Int): Unit = {
    var i = from + 1
    while (i < until) {
      val (key, value) = (a(i), b(i))
      var at = i
      while (at > from && java.lang.Long.compareUnsigned(a(at - 1), key) > 0) {
        a(at) = a(at - 1)
        b(at) = b(at - 1)
        at -= 1
      }
      a(at) = key
      b(at) = value
      i += 1
    }
  }

  /** Whether the unsigned keys ascend. */
  private def isSorted(a: Array[Long], from: Int, until: Int): Boolean = {
    var i = from + 1
    while (i < until && java.lang.Long.compareUnsigned(a(i - 1), a(i)) <= 0) i += 1
    i >= until
  }
}
