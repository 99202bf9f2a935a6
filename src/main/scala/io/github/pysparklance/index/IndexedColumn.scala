// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index

import io.github.pysparklance.core.Field
import io.github.pysparklance.table.scan.MetadataColumn

/** The column that an index is built from. */
trait IndexedColumn extends Serializable {

  /** Path from the top-level column to the indexed field, through structs. */
  def way: IndexedSeq[Field]

  /** The metadata column whose values segments store. */
  def rowColumn: MetadataColumn

  /** Number of rows that are read together. */
  def batchRows: Int = IndexedColumn.defaultBatchRows
}

object IndexedColumn {
  val defaultBatchRows: Int = 8192
}
