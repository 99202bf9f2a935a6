// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.nearest

import java.util.OptionalLong

import org.apache.spark.sql.SparkSession
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

  private lazy val partitions: Array[InputPartition] = LanceErrors.translated {
    val started = System.nanoTime()
    val ranked = search.run().zipWithIndex.flatMap { case (found, queryIndex) =>
      (0 until found.numRows).map(i =>
        RankedRow(queryIndex, found.addresses(i), found.distances(i))
      )
    }
    searchNanos = System.nanoTime() - started
    ranked.grouped(rowsOfTask).map(rows => partition(rows): InputPartition).toArray
  }

  private def partition(rows: IndexedSeq[RankedRow]): NearestInputPartition = {
    val addresses = RowCondition.in(MetadataColumn.RowAddr, rows.map(_.address))
    val scans = taken.copy(condition = addresses).tasks.flatten
    new NearestInputPartition(scans, rows.toArray)
  }

  override def readSchema(): StructType = columns

  override def toBatch: Batch = this

  override def planInputPartitions(): Array[InputPartition] = partitions

  override def createReaderFactory(): PartitionReaderFactory =
    new NearestReaderFactory(taken.read, taken.store, source.table.path, taken.schema, columns)

  override def columnarSupportMode(): Scan.ColumnarSupportMode =
    Scan.ColumnarSupportMode.UNSUPPORTED

  override def estimateStatistics(): Statistics = new Statistics {
    private val rows = query.parameters.k.toLong * query.vectors.size
    override def numRows(): OptionalLong = OptionalLong.of(rows)
    override def sizeInBytes(): OptionalLong =
      OptionalLong.of(math.max(1L, rows * readSchema().defaultSize))
  }

  override def description(): String =
    (s"lance ${source.table.path} version ${source.table.version}" +: search.shape)
      .mkString(", ") + s", ${readSchema().catalogString}"

  override def supportedCustomMetrics(): Array[CustomMetric] = ScanMetrics.all

  override def reportDriverMetrics(): Array[CustomTaskMetric] =
    Array(TaskMetric(ScanMetrics.PlanningTime, searchNanos))

  override def equals(other: Any): Boolean = other match {
    case s: NearestScan => s.identity == identity
    case _ => false
  }

  override def hashCode: Int = identity.hashCode

  private def identity: Seq[Any] = Seq(source.rows, source.options, query, columns)
}

private object NearestScan {

  /** Rows that a task reads, in memory until all are read. */
  val rowsOfTask = 4096
}

/** A row that was found, for a query. */
final private[nearest] case class RankedRow(queryIndex: Int, address: Long, distance: Float)
