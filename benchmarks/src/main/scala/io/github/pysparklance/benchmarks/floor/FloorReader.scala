// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.benchmarks.floor

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.read.{InputPartition, PartitionReader, PartitionReaderFactory}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}

final private case class FloorPartition(key: FloorKey, columns: StructType, index: Int)
    extends InputPartition

private object FloorReaderFactory extends PartitionReaderFactory {

  override def supportColumnarReads(partition: InputPartition): Boolean = true

  override def createReader(partition: InputPartition): PartitionReader[InternalRow] =
    throw new UnsupportedOperationException("the floor has batches only")

  override def createColumnarReader(partition: InputPartition): PartitionReader[ColumnarBatch] =
    partition match {
      case FloorPartition(key, columns, index) =>
        new FloorReader(FloorData.of(key).batches(columns, index))
      case other => throw new IllegalArgumentException(other.toString)
    }
}

final private class FloorReader(batches: Iterator[ColumnarBatch])
    extends PartitionReader[ColumnarBatch] {
  private var batch: ColumnarBatch = _

  override def next(): Boolean = {
    val more = batches.hasNext
    if (more) batch = batches.next()
    more
  }

  override def get(): ColumnarBatch = batch
  override def close(): Unit = ()
}

/** A batch that does not own its vectors. Each scan has its own batch, because a batch has a single
  * mutable row.
  */
final private class KeptBatch(columns: Array[ColumnVector], numRows: Int)
    extends ColumnarBatch(columns, numRows) {
  override def close(): Unit = ()
  override def closeIfFreeable(): Unit = ()
}
