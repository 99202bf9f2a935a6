// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.task

import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.types.StructType

import io.github.pysparklance.core.Field
import io.github.pysparklance.spark.filter.RowFilter
import io.github.pysparklance.spark.types.{MetadataFields, SparkTypes}
import io.github.pysparklance.table.scan.ComputedColumn

/** The work of each task of a scan. Serialized to the executors, and part of the equality of scans.
  *
  * @param fields fields to return, pruned to the requested children
  * @param computed computed columns, which follow the fields
  * @param filter drops rows for which it is false or null
  * @param sample drops rows that are not in the sample
  * @param limit number of rows after which a task may stop
  * @param top allows a task to return only its first rows in an order
  * @param isDistinct whether a task may drop duplicates of a single column
  */
final private[spark] case class ReadTask(
    fields: IndexedSeq[Field],
    computed: IndexedSeq[ComputedColumn],
    filter: Option[RowFilter],
    sample: Option[RowSample],
    limit: Option[Long],
    top: Option[TopRows],
    isDistinct: Boolean,
    options: ReadOptions
) {

  /** The schema of the returned rows. */
  @transient lazy val schema: StructType = StructType(
    SparkTypes.structType(fields, options.types).fields ++ computed.map(MetadataFields.structField)
  )

  /** Whether the task returns rows instead of columnar batches. */
  def isRowByRow: Boolean = options.embeddingsAsRows && EmbeddingRows.areCheaper(fields)

  /** Whether the partitions of a scan with this work return columnar batches. */
  def columnarSupportMode: Scan.ColumnarSupportMode =
    if (isRowByRow) Scan.ColumnarSupportMode.UNSUPPORTED
    else Scan.ColumnarSupportMode.SUPPORTED

  /** All computed columns that the task reads, for the output, the filter, and the order. */
  def allComputed: IndexedSeq[ComputedColumn] =
    computed ++ filter.fold(IndexedSeq.empty[ComputedColumn])(_.computed) ++
      top.fold(IndexedSeq.empty[ComputedColumn])(_.computed)
}
