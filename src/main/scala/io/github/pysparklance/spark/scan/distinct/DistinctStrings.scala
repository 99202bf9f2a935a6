// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.distinct

import io.github.pysparklance.spark.vectors.{DictionaryStringVector, DictionaryStrings, LanceVector}

/** Leaves rows of a column of strings out whose string an earlier row of the same dictionary had. Hot code. */
final private[scan] class DistinctStrings {
  private var strings: DictionaryStrings = null
  private var isSeen: Array[Boolean] = null

  /** Looks at the next batch.
    *
    * @param rows positions of rows that are not null, ascending; null: the first `n` rows
    * @param found takes the positions of those that are left
    * @return how many are left; -1 for strings without a dictionary: to find them equal is no less work here than in
    *   Spark
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
