// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.task

import io.github.pysparklance.core.Field
import io.github.pysparklance.spark.filter.RowFilter
import io.github.pysparklance.table.scan.ComputedColumn

/** The work of every task of a scan on its rows. It is sent to the executors and is part of the equality of scans.
  *
  * @param fields the fields to project, cut down to the children that are read
  * @param computed the computed columns to append behind them
  * @param filter drops rows for which it is not true
  * @param sample drops rows that it does not draw
  * @param limit number of rows after which a task may stop
  * @param top lets a task return only its first rows in an order
  * @param isDistinct whether a task may return each value once; for a single column
  */
final private[scan] case class ReadTask(
    fields: IndexedSeq[Field],
    computed: IndexedSeq[ComputedColumn],
    filter: Option[RowFilter],
    sample: Option[RowSample],
    limit: Option[Long],
    top: Option[TopRows],
    isDistinct: Boolean,
    options: ReadOptions
) {

  /** Whether the task returns rows one by one rather than columnar batches. */
  def isRowByRow: Boolean = options.embeddingsAsRows && EmbeddingRows.areCheaper(fields)

  /** All computed columns that the task reads: those of the output, the filter, and the order. */
  def allComputed: IndexedSeq[ComputedColumn] =
    computed ++ filter.fold(IndexedSeq.empty[ComputedColumn])(_.computed) ++
      top.fold(IndexedSeq.empty[ComputedColumn])(_.computed)
}
