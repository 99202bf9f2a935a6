// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.spi

import io.github.pysparklance.core._

/** The values of a flat column by row. Hides whether rows share values.
  *
  * @param values valid as long as the column
  * @param at returns the position of the value of a non-null row
  */
final private[index] class LeafRows private (
    val values: Values,
    val at: Int => Int,
    val numRows: Int,
    validity: Validity
) {
  def isNull(row: Int): Boolean = validity != null && !validity.isValid(row)

  def hasNulls: Boolean = validity != null && validity.hasNulls
}

/** Reads flat columns. */
private[index] object LeafRows {

  /** @throws CorruptFileException if the column is nested or has only nulls */
  def of(column: Column): LeafRows = column match {
    case LeafColumn(DictionaryValues(indices, items), validity) =>
      new LeafRows(items, indices.array(_), indices.numItems, validity)
    case LeafColumn(values, validity) => new LeafRows(values, identity, values.numItems, validity)
    case ConstantColumn(values, numRows, validity) =>
      new LeafRows(values, _ => 0, numRows, validity)
    case other =>
      throw new CorruptFileException(
        s"a column of an index that holds no plain values: ${other.getClass.getSimpleName}"
      )
  }
}
