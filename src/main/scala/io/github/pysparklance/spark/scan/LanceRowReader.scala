// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.metric.CustomTaskMetric
import org.apache.spark.sql.connector.read.PartitionReader

import io.github.pysparklance.core.{Field, LogicalType}
import io.github.pysparklance.spark.vectors.LanceRow

/** The batches of a task row by row. See `docs/decisions/0012-rows-of-embeddings.md`. */
final private class LanceRowReader(batches: LancePartitionReader)
    extends PartitionReader[InternalRow] {
  private var row: LanceRow = null
  private var numRows = 0
  private var position = 0

  override def next(): Boolean = {
    position += 1
    if (position < numRows) {
      row.moveTo(position)
      true
    } else nextBatch()
  }

  private def nextBatch(): Boolean = batches.next() && {
    val batch = batches.get()
    row = LanceRow(batch)
    numRows = batch.numRows
    position = 0
    row.moveTo(0)
    true
  }

  override def get(): InternalRow = row

  override def currentMetricsValues(): Array[CustomTaskMetric] = batches.currentMetricsValues()

  override def close(): Unit = batches.close()
}

private[scan] object LanceRowReader {

  /** Values of a list from which on copying it at once pays for what calls of rows cost the other columns. */
  private val leastDimension = 64

  /** Whether a scan of the fields had better answer rows: it has embeddings, and nothing nested beside them, whose
    * values in batches Spark's interpreted expressions must not see, as nulls get lost.
    */
  def pays(fields: IndexedSeq[Field]): Boolean =
    fields.exists(dimension(_) >= leastDimension) &&
      fields.forall(f => dimension(f) > 0 || isAtomic(f))

  /** Floats of a list of a fixed size, 0 for other fields. */
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
