// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.core

/** Binary searches for the position where a monotonic condition changes. */
private[pysparklance] object Search {

  /** Returns the last position of `[low, high]` at which `holds` is true.
    *
    * @param holds true up to some position, false after it
    * @return `low` if it is true nowhere or the interval is empty
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

  /** Returns the first position of `[low, high)` at which `holds` is true.
    *
    * @param holds false up to some position, true after it
    * @return `high` if it is true nowhere
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

  /** Returns the last position in `[low, high]` of an ascending array with `sorted(position) <=
    * limit`.
    */
  def lastAtMost(sorted: Array[Long], low: Int, high: Int, limit: Long): Int =
    last(low.toLong, high.toLong)(i => sorted(i.toInt) <= limit).toInt

  /** Returns the last position of an ascending array with `sorted(position) <= limit`. The first
    * element must be at most `limit`.
    */
  def lastAtMost(sorted: Array[Long], limit: Long): Int =
    lastAtMost(sorted, 0, sorted.length - 1, limit)
}
