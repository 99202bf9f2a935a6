// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.scalar

import io.github.pysparklance.core._
import io.github.pysparklance.index.cache.IndexCache
import io.github.pysparklance.index.spi._

/** A page of a BTREE index in memory. Nulls come first, and values ascend.
  *
  * @param numNulls number of null rows
  */
final private[scalar] class PageRows private (
    keys: Keys,
    ids: Array[Long],
    numNulls: Int,
    val sizeInBytes: Long
) extends IndexCache.Part {

  /** Appends the rows with a value within the ranges. */
  def find(ranges: KeyRanges, found: LongValues): Unit = if (numNulls < ids.length) {
    val (from, until) = ranges.overlapping(keys(numNulls), keys(ids.length - 1))
    (from until until).foreach { i =>
      val range = ranges.ranges(i)
      val end = first(row =>
        range.high.exists { high =>
          val order = keys.compare(row, high)
          order > 0 || order == 0 && !range.includesHigh
        }
      )
      var row = first(row =>
        range.low.forall { low =>
          val order = keys.compare(row, low)
          order > 0 || order == 0 && range.includesLow
        }
      )
      while (row < end) {
        found.append(ids(row))
        row += 1
      }
    }
  }

  /** The null rows. */
  def nulls: Iterator[Long] = ids.iterator.take(numNulls)

  /** The rows that are not null, in the order of their values. */
  def values(isAscending: Boolean): Iterator[Long] = valued(isAscending).map(ids(_))

  /** The rows of [[values]], with their values. */
  def entries(isAscending: Boolean): Iterator[(Key, Long)] =
    valued(isAscending).map(row => (keys(row), ids(row)))

  private def valued(isAscending: Boolean): Iterator[Int] = {
    val rows = if (isAscending) numNulls until ids.length else ids.length - 1 to numNulls by -1
    rows.iterator
  }

  /** Number of runs of consecutive row numbers. */
  def numRuns: Int = {
    var runs = math.min(ids.length, 1)
    var row = 1
    while (row < ids.length) {
      if (ids(row) != ids(row - 1) + 1) runs += 1
      row += 1
    }
    runs
  }

  /** Returns the first row for which a monotonic condition holds. */
  private def first(holds: Int => Boolean): Int = Search.first(numNulls, ids.length)(holds)
}

/** Builds pages. */
private[scalar] object PageRows {

  /** Copies rows from batches whose arrays are reused. */
  final class Builder(keyType: KeyType, logicalType: LogicalType) {
    private val values =
      Values.allocate(Field(0, "values", logicalType, nullable = true).valueType)
    private val validity = new Validity
    private val ids = new LongValues

    def append(keys: Column, numbers: Column): Unit = {
      keys match {
        case NullColumn(numRows) =>
          values.appendFiller(numRows)
          validity.appendNulls(numRows)
        case LeafColumn(all, valid) if !all.isInstanceOf[DictionaryValues] =>
          values.appendFrom(all, 0, all.numItems)
          if (valid == null) validity.appendValid(all.numItems)
          else validity.appendFrom(valid, 0, all.numItems)
        case _ =>
          val rows = LeafRows.of(keys)
          var row = 0
          while (row < rows.numRows) {
            if (rows.isNull(row)) values.appendFiller(1)
            else values.appendFrom(rows.values, rows.at(row), 1)
            validity.append(!rows.isNull(row))
            row += 1
          }
      }
      Numbers.append(numbers, ids)
    }

    /** Returns the rows.
      *
      * @param page lookup entry of the page
      * @throws CorruptFileException if the rows contradict the entry
      */
    def result(page: LookupPage): PageRows = {
      val keys = keyType.keys(LeafColumn(values, if (validity.hasNulls) validity else null))
      val check = new PageCheck(page)
      check.add(keys)
      new PageRows(
        keys,
        java.util.Arrays.copyOf(ids.array, ids.numItems),
        check.finish(),
        values.sizeInBytes + ids.numItems * 9L + 200L
      )
    }
  }
}
