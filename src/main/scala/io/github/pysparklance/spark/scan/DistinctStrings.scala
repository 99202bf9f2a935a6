// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan

import io.github.pysparklance.spark.vectors.{DictionaryStringVector, DictionaryStrings, LanceVector}

/** Leaves rows of a column of strings out whose string an earlier row of the same dictionary had. Strings without a
  * dictionary all stay: to find them equal is no less work here than in Spark. Hot code.
  */
final private[scan] class DistinctStrings {
  private var strings: DictionaryStrings = null
  private var isSeen: Array[Boolean] = null
  private var isNullSeen = false
  private var found = new Array[Int](0)
  private var left: Array[Int] = null

  /** Looks at the next batch.
    *
    * @param live positions of the rows in question, ascending; null: all of the vector
    * @return how many are left; `rows` has their positions
    */
  def find(vector: LanceVector, live: Array[Int], numLive: Int): Int = vector match {
    case v: DictionaryStringVector =>
      if (v.strings ne strings) {
        strings = v.strings
        isSeen = new Array[Boolean](strings.values.numItems)
      }
      if (found.length < numLive) found = new Array[Int](numLive)
      left = found
      find(v, live, numLive)
    case _ =>
      left = live
      numLive
  }

  /** Positions of the rows that are left, ascending; null: all of the vector. Valid until the next batch. */
  def rows: Array[Int] = left

  private def find(vector: DictionaryStringVector, live: Array[Int], numLive: Int): Int = {
    val positions = vector.positions
    val isSeen = this.isSeen
    val found = this.found
    val hasNull = vector.hasNull
    var n = 0
    var i = 0
    while (i < numLive) {
      val row = if (live == null) i else live(i)
      if (hasNull && vector.isNullAt(row)) {
        if (!isNullSeen) {
          isNullSeen = true
          found(n) = row
          n += 1
        }
      } else if (!isSeen(positions(row))) {
        isSeen(positions(row)) = true
        found(n) = row
        n += 1
      }
      i += 1
    }
    n
  }
}
