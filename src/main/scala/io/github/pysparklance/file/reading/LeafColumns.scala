// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.reading

import io.github.pysparklance.core._

/** Creates columns from the values of one leaf. */
private[file] object LeafColumns {

  /** Returns values as a column; nested values become nested columns. */
  def apply(values: Values, validity: Validity): Column = values match {
    case lists: FixedSizeListValues =>
      FixedSizeListColumn(
        lists.numItems,
        lists.dimension,
        LeafColumns(lists.items, lists.itemValidity),
        validity
      )
    case packed: PackedStructValues =>
      StructColumn(packed.numItems, packed.children.map(LeafColumns(_, null)), validity)
    case plain => LeafColumn(plain, validity)
  }
}
