// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.search

import java.util.OptionalLong

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.expressions.{NamedReference, SortDirection, SortOrder}
import org.apache.spark.sql.connector.metric.{CustomMetric, CustomTaskMetric}
import org.apache.spark.sql.connector.read.{
  Batch,
  InputPartition,
  PartitionReaderFactory,
  Scan,
  ScanBuilder,
  Statistics,
  SupportsPushDownLimit,
  SupportsPushDownRequiredColumns,
  SupportsPushDownTopN,
  SupportsReportStatistics
}
import org.apache.spark.sql.types.StructType

import io.github.pysparklance.spark.common.LanceErrors
import io.github.pysparklance.spark.metrics.TaskMetric
import io.github.pysparklance.spark.scan.task.ScanMetrics

/** Prunes the columns of a search result, and limits a search of all matching rows to the best
  * ones.
  */
final private[search] class SearchScanBuilder(source: SearchSource, all: RowQuery)
    extends ScanBuilder
    with SupportsPushDownRequiredColumns
    with SupportsPushDownLimit
    with SupportsPushDownTopN {
  private var query = all
  private var columns = query.added.around(source.columns)

  override def pruneColumns(required: StructType): Unit = columns = required

  override def pushLimit(limit: Int): Boolean = {
    val fewer = if (limit > 0) query.first(limit) else None
    fewer.foreach(q => query = q)
    fewer.isDefined
  }

  override def pushTopN(orders: Array[SortOrder], limit: Int): Boolean =
    orders.length == 1 && isByScore(orders.head) && pushLimit(limit)

  private def isByScore(order: SortOrder): Boolean = order.expression match {
    case column: NamedReference =>
      column.fieldNames.sameElements(Seq(AddedColumns.score)) &&
      order.direction == SortDirection.DESCENDING
    case _ => false
  }

  /** Spark limits and sorts the rows again. */
  override def isPartiallyPushed: Boolean = true

  override def build(): Scan = LanceErrors.translated(new SearchScan(source, query, columns))
}

/** Runs the search when Spark plans the tasks. The tasks read the columns of the found rows. */
final private[scan] class SearchScan(
    private val source: SearchSource,
    private val query: RowQuery,
    columns: StructType
) extends Scan
    with Batch
    with SupportsReportStatistics {

  private val result = new RankedRows(source, columns, query.added)
  private val search = query.search(SparkSession.active, source, None)
  private var searchNanos = 0L

  private lazy val ranked: IndexedSeq[RankedRow] = LanceErrors.translated {
    val started = System.nanoTime()
    val found = search.run()
    searchNanos = System.nanoTime() - started
    found
  }

  private lazy val partitions: Array[InputPartition] =
    LanceErrors.translated(result.partitions(ranked))

  /** Whether the result is small enough to be read on the driver. */
  def isSmall: Boolean = result.isSmall(query.maxRows)

  /** Searches and reads the rows in this process.
    *
    * @return the rows, and the metrics of reading them
    */
  def rows(): (Array[InternalRow], Array[CustomTaskMetric]) =
    LanceErrors.translated(result.read(ranked))

  /** The name of the operator that searches on the driver. */
  def operator: String = query.operator

  override def readSchema(): StructType = columns

  override def toBatch: Batch = this

  override def planInputPartitions(): Array[InputPartition] = partitions

  override def createReaderFactory(): PartitionReaderFactory = result.factory

  override def columnarSupportMode(): Scan.ColumnarSupportMode =
    Scan.ColumnarSupportMode.UNSUPPORTED

  override def estimateStatistics(): Statistics = new Statistics {
    override def numRows(): OptionalLong = OptionalLong.of(query.maxRows)
    override def sizeInBytes(): OptionalLong =
      OptionalLong.of(math.max(1L, query.maxRows * readSchema().defaultSize))
  }

  override def description(): String =
    (s"lance ${source.table.path} version ${source.table.version}" +: search.shape)
      .mkString(", ") + s", ${readSchema().catalogString}"

  override def supportedCustomMetrics(): Array[CustomMetric] = ScanMetrics.all ++ search.metrics

  override def reportDriverMetrics(): Array[CustomTaskMetric] =
    TaskMetric(ScanMetrics.PlanningTime, searchNanos) +: search.metricValues

  override def equals(other: Any): Boolean = other match {
    case s: SearchScan => s.identity == identity
    case _ => false
  }

  override def hashCode: Int = identity.hashCode

  private val identity: Seq[Any] = source.identity(query.filter) :+ query :+ columns
}
