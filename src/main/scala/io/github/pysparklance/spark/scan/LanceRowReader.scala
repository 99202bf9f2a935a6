// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.metric.CustomTaskMetric
import org.apache.spark.sql.connector.read.PartitionReader

import io.github.pysparklance.spark.vectors.LanceRow

/** Returns the batches of a task row by row. See `docs/decisions/0012-rows-of-embeddings.md`. */
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
