// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.task

import io.github.pysparklance.core.{Field, LogicalType}

/** Selects the scans that return rows instead of columnar batches. See
  * `docs/decisions/0012-rows-of-embeddings.md`.
  */
private[scan] object EmbeddingRows {

  /** Minimum length of lists for which copying a whole list saves more than row-wise calls cost for
    * the other columns.
    */
  private val leastDimension = 64

  /** Whether rows are cheaper than batches: there are embeddings and no other nested values. Other
    * nested values need batches, because Spark's interpreted expressions lose their nulls in rows.
    */
  def areCheaper(fields: IndexedSeq[Field]): Boolean =
    fields.exists(dimension(_) >= leastDimension) &&
      fields.forall(f => dimension(f) > 0 || isAtomic(f))

  /** Dimension of a fixed-size list of floats; 0 for other fields. */
  private def dimension(field: Field): Int = field.logicalType match {
    case LogicalType.FixedSizeList(item, dimension) if isFloating(item) => dimension
    case _ => 0
  }

  private def isAtomic(field: Field): Boolean =
    field.children.isEmpty && (field.logicalType match {
      case LogicalType.FixedSizeList(_, _) => false
      case _ => true
    })

  private def isFloating(item: LogicalType): Boolean = item match {
    case LogicalType.Float | LogicalType.Double => true
    case LogicalType.HalfFloat | LogicalType.BFloat16 => true
    case _ => false
  }
}
