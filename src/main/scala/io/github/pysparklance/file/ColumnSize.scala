// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file

import io.github.pysparklance.core._

/** Estimates the memory of a part of a column. */
private object ColumnSize {

  /** Returns the number of rows from `from`, at least one, that take at most `maxBytes`. Found by
    * halving `numRows`, so it is not the maximum.
    */
  def rowsWithin(column: Column, from: Int, numRows: Int, maxBytes: Long): Int = {
    var rows = numRows
    while (rows > 1 && bytes(column, from, rows) > maxBytes) rows = (rows + 1) >> 1
    rows
  }

  /** Returns the approximate size in bytes of the slots `[from, from + count)`. */
  def bytes(column: Column, from: Int, count: Int): Long = column match {
    case LeafColumn(v: BinaryValues, _) => v.offsets(from + count) - v.offsets(from) + count * 4L
    case LeafColumn(v: DictionaryValues, _) => count * average(v.items)
    case LeafColumn(v, _) => count * average(v)
    case ConstantColumn(value, _, _) => count * average(value)
    case NullColumn(_) => count.toLong
    case ListColumn(_, offsets, items, _) =>
      bytes(items, offsets(from), offsets(from + count) - offsets(from)) + count * 4L
    case FixedSizeListColumn(_, dimension, items, _) =>
      bytes(items, Math.multiplyExact(from, dimension), Math.multiplyExact(count, dimension))
    case StructColumn(_, children, _) => children.iterator.map(bytes(_, from, count)).sum
  }

  private def average(values: Values): Long = values.sizeInBytes / math.max(1, values.numItems) + 1
}
