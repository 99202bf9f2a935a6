// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.nearest

import java.util.OptionalLong

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.metric.{CustomMetric, CustomTaskMetric}
import org.apache.spark.sql.connector.read.{
  Batch,
  InputPartition,
  PartitionReaderFactory,
  Scan,
  ScanBuilder,
  Statistics,
  SupportsPushDownRequiredColumns,
  SupportsReportStatistics
}
import org.apache.spark.sql.types.StructType

import io.github.pysparklance.index.vector.{VectorColumn, VectorIndex}
import io.github.pysparklance.spark.common.LanceErrors
import io.github.pysparklance.spark.metrics.TaskMetric
import io.github.pysparklance.spark.scan.ScanPlan
import io.github.pysparklance.spark.scan.task.ScanMetrics
import io.github.pysparklance.table.scan.{MetadataColumn, RowCondition}

/** Reads those columns that a query needs of the rows that a search finds. */
final private[nearest] class NearestScanBuilder(
    source: NearestSource,
    field: VectorColumn,
    index: Option[VectorIndex],
    query: NearestQuery,
    all: StructType
) extends ScanBuilder
    with SupportsPushDownRequiredColumns {
  private var columns = all

  override def pruneColumns(required: StructType): Unit = columns = required

  override def build(): Scan = LanceErrors.translated {
    new NearestScan(source, field, index, query, columns)
  }
}

/** Searches when Spark plans the tasks, which then read the columns of the nearest rows. */
final private[nearest] class NearestScan(
    private val source: NearestSource,
    field: VectorColumn,
    index: Option[VectorIndex],
    private val query: NearestQuery,
    columns: StructType
) extends Scan
    with Batch
    with SupportsReportStatistics {
  import NearestScan._

  private val taken: ScanPlan = source.scan(
    NearestReader.columnsToTake(columns, query.vectors.isBatch)
  )
  private val search = new NearestSearch(SparkSession.active, source, field, index, query)
  private var searchNanos = 0L

  private lazy val ranked: IndexedSeq[RankedRow] = LanceErrors.translated {
    val started = System.nanoTime()
    val found = search.run().zipWithIndex.flatMap { case (rows, queryIndex) =>
      (0 until rows.numRows).map(i =>
        RankedRow(queryIndex, rows.addresses(i), rows.distances(i))
      )
    }
    searchNanos = System.nanoTime() - started
    found
  }

  private lazy val partitions: Array[InputPartition] = LanceErrors.translated {
    ranked.grouped(rowsOfTask).map(rows => partition(rows): InputPartition).toArray
  }

  private def partition(rows: IndexedSeq[RankedRow]): NearestInputPartition = {
    val addresses = RowCondition.in(MetadataColumn.RowAddr, rows.map(_.address))
    val scans = taken.copy(condition = addresses).tasks.flatten
    new NearestInputPartition(scans, rows.toArray)
  }

  /** Whether the result is small enough to be read on the driver. */
  private[nearest] def isSmall: Boolean = maxRows <= rowsOfTask && {
    val rowBytes = taken.estimate.numBytes / math.max(1L, taken.estimate.numRows)
    maxRows * rowBytes <= driverBytes
  }

  private def maxRows: Long = query.parameters.k.toLong * query.vectors.size

  /** Searches and reads the rows in this process.
    *
    * @return the rows, and the metrics of reading them
    */
  private[nearest] def rows(): (Array[InternalRow], Array[CustomTaskMetric]) =
    LanceErrors.translated {
      if (ranked.isEmpty) (Array.empty, Array.empty)
      else {
        val reader = createReaderFactory().createReader(partition(ranked))
        try {
          val rows = Iterator.continually(reader).takeWhile(_.next()).map(_.get()).toArray
          (rows, reader.currentMetricsValues())
        } finally reader.close()
      }
    }

  override def readSchema(): StructType = columns

  override def toBatch: Batch = this

  override def planInputPartitions(): Array[InputPartition] = partitions

  override def createReaderFactory(): PartitionReaderFactory =
    new NearestReaderFactory(taken.read, taken.store, source.table.path, taken.schema, columns)

  override def columnarSupportMode(): Scan.ColumnarSupportMode =
    Scan.ColumnarSupportMode.UNSUPPORTED

  override def estimateStatistics(): Statistics = new Statistics {
    override def numRows(): OptionalLong = OptionalLong.of(maxRows)
    override def sizeInBytes(): OptionalLong =
      OptionalLong.of(math.max(1L, maxRows * readSchema().defaultSize))
  }

  override def description(): String =
    (s"lance ${source.table.path} version ${source.table.version}" +: search.shape)
      .mkString(", ") + s", ${readSchema().catalogString}"

  override def supportedCustomMetrics(): Array[CustomMetric] = NearestMetrics.all

  override def reportDriverMetrics(): Array[CustomTaskMetric] =
    TaskMetric(ScanMetrics.PlanningTime, searchNanos) +:
      NearestMetrics.values(search.statistics, search.meter)

  override def equals(other: Any): Boolean = other match {
    case s: NearestScan => s.identity == identity
    case _ => false
  }

  override def hashCode: Int = identity.hashCode

  private def identity: Seq[Any] = source.identity :+ query :+ columns
}

private object NearestScan {

  /** Rows that a task reads, in memory until all are read. */
  val rowsOfTask = 4096

  /** Size of the results that are read on the driver. */
  val driverBytes: Long = 8L << 20
}

/** A row that was found, for a query. */
final private[nearest] case class RankedRow(queryIndex: Int, address: Long, distance: Float)
