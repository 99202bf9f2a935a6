// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.spi

import io.github.pysparklance.core._

/** The values of a column without structure by row, whether each row has its own or rows share them.
  *
  * @param values valid as long as the column is
  * @param at the value of a row that is not null
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

private[index] object LeafRows {

  /** @throws CorruptFileException when the column has structure, or nulls alone */
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
