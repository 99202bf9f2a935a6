// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.distinct

import org.apache.spark.sql.types.{
  DataType,
  DateType,
  IntegerType,
  LongType,
  StringType,
  TimestampNTZType,
  TimestampType
}

import io.github.pysparklance.spark.vectors.LanceVector

/** Drops rows of a single column whose value occurred in an earlier row of the task. Only supports
  * dictionary strings and integers, for which this costs less than passing the row to Spark. Keeps
  * the first null. Hot code.
  */
final private[scan] class DistinctRows {
  private val strings = new DistinctStrings
  private val integers = new DistinctIntegers
  private var isNullSeen = false
  private var valid = new Array[Int](0)
  private var found = new Array[Int](0)
  private var left: Array[Int] = null

  /** Finds the rows of a batch to keep.
    *
    * @param live positions of the candidate rows, ascending; null for all rows of the vector
    * @return number of kept rows, whose positions are in `rows`
    */
  def find(vector: LanceVector, live: Array[Int], numLive: Int): Int = {
    if (found.length <= numLive) found = new Array[Int](numLive + 1)
    if (vector.hasNull) findValid(vector, live, numLive) else findAll(vector, live, numLive)
  }

  /** Positions of the kept rows, ascending; null for all rows of the vector. Valid until the next
    * batch.
    */
  def rows: Array[Int] = left

  private def findAll(vector: LanceVector, rows: Array[Int], n: Int): Int = {
    val numFound = findIn(vector, rows, n)
    val isSame = numFound < 0 || numFound == n
    left = if (isSame) rows else found
    if (isSame) n else numFound
  }

  private def findIn(vector: LanceVector, rows: Array[Int], n: Int): Int = {
    val numFound = strings.find(vector, rows, n, found)
    if (numFound >= 0) numFound else integers.find(vector, rows, n, found)
  }

  private def findValid(vector: LanceVector, live: Array[Int], numLive: Int): Int = {
    if (valid.length <= numLive) valid = new Array[Int](numLive + 1)
    var n = 0
    var newNull = -1
    var i = 0
    while (i < numLive) {
      val row = if (live == null) i else live(i)
      if (!vector.isNullAt(row)) {
        valid(n) = row
        n += 1
      } else if (!isNullSeen) {
        isNullSeen = true
        newNull = row
      }
      i += 1
    }
    val numValid = findAll(vector, valid, n)
    if (newNull < 0) numValid else inserted(newNull, left, numValid)
  }

  private def inserted(row: Int, into: Array[Int], n: Int): Int = {
    var at = n
    while (at > 0 && into(at - 1) > row) {
      into(at) = into(at - 1)
      at -= 1
    }
    into(at) = row
    n + 1
  }
}

/** Selects supported types. */
private[scan] object DistinctRows {

  /** Whether a type is supported. */
  def takes(dataType: DataType): Boolean = dataType match {
    case _: StringType | IntegerType | LongType | DateType | TimestampType | TimestampNTZType =>
      true
    case _ => false
  }
}
