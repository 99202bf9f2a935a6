// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.core

/** Binary searches for the place where a condition begins or ceases to hold. */
private[pysparklance] object Search {

  /** The last position of `[low, high]` at which a condition holds that holds up to some position.
    *
    * @return `low` when it holds nowhere, and when there are no positions
    */
  def last(low: Long, high: Long)(holds: Long => Boolean): Long = {
    var from = low
    var to = high
    while (from < to) {
      val middle = (from + to + 1) >>> 1
      if (holds(middle)) from = middle else to = middle - 1
    }
    from
  }

  /** The first position of `[low, high)` at which a condition holds that holds from some position on.
    *
    * @return `high` if it holds nowhere
    */
  def first(low: Int, high: Int)(holds: Int => Boolean): Int = {
    var from = low
    var to = high
    while (from < to) {
      val middle = (from + to) >>> 1
      if (holds(middle)) to = middle else from = middle + 1
    }
    from
  }

  /** The last position with `sorted(position) <= limit`, numbers in ascending order. */
  def lastAtMost(sorted: Array[Long], low: Int, high: Int, limit: Long): Int =
    last(low.toLong, high.toLong)(i => sorted(i.toInt) <= limit).toInt

  /** The last of all `sorted` numbers, the first of which is at most `limit`. */
  def lastAtMost(sorted: Array[Long], limit: Long): Int =
    lastAtMost(sorted, 0, sorted.length - 1, limit)
}
