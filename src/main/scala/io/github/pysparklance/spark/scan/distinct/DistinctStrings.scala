// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.distinct

import io.github.pysparklance.spark.vectors.{DictionaryStringVector, DictionaryStrings, LanceVector}

/** Drops rows of a string column whose string occurred in an earlier row with the same dictionary.
  * Hot code.
  */
final private[scan] class DistinctStrings {
  private var strings: DictionaryStrings = null
  private var isSeen: Array[Boolean] = null

  /** Finds the rows of a batch to keep.
    *
    * @param rows positions of non-null rows, ascending; null for the first `n` rows
    * @param found receives the positions of the kept rows
    * @return number of kept rows; -1 without a dictionary, because comparing strings is as
    *   expensive here as in Spark
    */
  def find(vector: LanceVector, rows: Array[Int], n: Int, found: Array[Int]): Int = vector match {
    case v: DictionaryStringVector =>
      if (v.strings ne strings) {
        strings = v.strings
        isSeen = new Array[Boolean](strings.values.numItems)
      }
      find(v.positions, rows, n, found)
    case _ => -1
  }

  private def find(positions: Array[Int], rows: Array[Int], n: Int, found: Array[Int]): Int = {
    val isSeen = this.isSeen
    var left = 0
    var i = 0
    while (i < n) {
      val row = if (rows == null) i else rows(i)
      if (!isSeen(positions(row))) {
        isSeen(positions(row)) = true
        found(left) = row
        left += 1
      }
      i += 1
    }
    left
  }
}
