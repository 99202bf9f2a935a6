// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.search

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.metric.CustomTaskMetric
import org.apache.spark.sql.connector.read.{InputPartition, PartitionReaderFactory}
import org.apache.spark.sql.types.StructType

import io.github.pysparklance.spark.scan.ScanPlan
import io.github.pysparklance.table.scan.{MetadataColumn, RowCondition}

/** Reads the columns of the rows that a search found, in the order of the search.
  *
  * @param columns columns of the result
  */
final private[search] class RankedRows(
    source: SearchSource,
    columns: StructType,
    added: AddedColumns
) {
  import RankedRows._

  private val taken: ScanPlan = source.scan(RankedReader.columnsToTake(columns, added))

  /** Returns the rows of each task. */
  def partitions(ranked: IndexedSeq[RankedRow]): Array[InputPartition] =
    ranked.grouped(rowsOfTask).map(rows => partition(rows): InputPartition).toArray

  private def partition(rows: IndexedSeq[RankedRow]): RankedInputPartition = {
    val addresses = RowCondition.in(MetadataColumn.RowAddr, rows.map(_.address))
    val scans = taken.copy(condition = addresses).tasks.flatten
    new RankedInputPartition(scans, rows.toArray)
  }

  /** Whether a result of at most `numRows` rows is small enough to be read on the driver. */
  def isSmall(numRows: Long): Boolean =
    numRows <= rowsOfTask && numRows * taken.estimate.rowBytes <= driverBytes

  /** Reads the rows in this process.
    *
    * @return the rows, and the metrics of reading them
    */
  def read(ranked: IndexedSeq[RankedRow]): (Array[InternalRow], Array[CustomTaskMetric]) =
    if (ranked.isEmpty) (Array.empty, Array.empty)
    else {
      val reader = factory.createReader(partition(ranked))
      try {
        val rows = Iterator.continually(reader).takeWhile(_.next()).map(_.get()).toArray
        (rows, reader.currentMetricsValues())
      } finally reader.close()
    }

  def factory: PartitionReaderFactory = new RankedReaderFactory(
    taken.read,
    taken.store,
    source.table.path,
    taken.schema,
    columns,
    added
  )
}

private object RankedRows {

  /** Number of rows that a task reads. They are in memory until all rows are read. */
  val rowsOfTask = 4096

  /** Maximum bytes of results that are read on the driver. */
  val driverBytes: Long = 8L << 20
}
