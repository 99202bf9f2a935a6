// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan

import java.util
import java.util.OptionalLong

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.connector.expressions.{NamedReference, SortOrder}
import org.apache.spark.sql.connector.metric.CustomTaskMetric
import org.apache.spark.sql.connector.read.colstats.ColumnStatistics
import org.apache.spark.sql.connector.read.partitioning.{Partitioning, UnknownPartitioning}
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream
import org.apache.spark.sql.connector.read.{
  Batch,
  PartitionReaderFactory,
  Scan,
  Statistics,
  SupportsReportOrdering,
  SupportsReportPartitioning,
  SupportsReportStatistics,
  SupportsRuntimeV2Filtering
}
import org.apache.spark.sql.types.StructType

import io.github.pysparklance.spark.common.{LanceErrors, StoredColumnStatistics}
import io.github.pysparklance.table.scan.FragmentScan

/** Reads columns of a version of a table. Scans of the same columns and version are equal, so that
  * Spark can reuse their results. Spark compares runtime filters itself.
  */
final class LanceScan private[scan] (
    scanPlan: ScanPlan,
    runtime: RuntimeFilters,
    streams: ScanStreams
) extends PlannedScan(scanPlan)
    with SupportsReportStatistics
    with SupportsReportPartitioning
    with SupportsReportOrdering
    with SupportsRuntimeV2Filtering {

  private var filtered = Option.empty[RuntimeFilters.Filtered]

  override def readSchema(): StructType = plan.schema

  override def toBatch: Batch = {
    LanceErrors.translated(streams.checkBatch())
    this
  }

  /** Whether this is the scan of a stream, which reads other versions than the one of the plan. */
  private var isStream = false

  override def toMicroBatchStream(checkpointLocation: String): MicroBatchStream = {
    isStream = true
    LanceErrors.translated(streams.stream(plan.read, checkpointLocation))
  }

  override def reportDriverMetrics(): Array[CustomTaskMetric] =
    if (isStream) Array.empty else super.reportDriverMetrics()

  override def description(): String =
    if (isStream) s"lance ${plan.table.path} stream, ${readSchema().catalogString}"
    else super.description()

  /** Join keys for which Spark may pass runtime filters. */
  override def filterAttributes(): Array[NamedReference] = runtime.attributes(plan)

  override def filter(predicates: Array[Predicate]): Unit =
    filtered = Some(timed(runtime.apply(plan, predicates.toSeq)))

  /** Whether the keys of joins on a column are looked up in an index. */
  private[scan] def hasIndexOn(path: Seq[String]): Boolean = runtime.hasIndexOn(plan, path)

  /** Whether no filter, limit, sample, or deduplication removes rows. */
  private[scan] def readsAllRows: Boolean =
    !plan.isCut && plan.condition.isEmpty && plan.read.filter.isEmpty && !plan.read.isDistinct

  /** Whether the scan has a limit, an offset, or a sample. */
  private[scan] def isCut: Boolean = plan.isCut

  /** Returns the same tasks or fewer, because Spark has already fixed their number. */
  override private[scan] def plannedTasks: IndexedSeq[IndexedSeq[FragmentScan]] =
    filtered.fold(grouped)(_.of(grouped))

  private lazy val grouping = KeyGrouping.of(plan, tasks)

  private lazy val grouped = grouping.fold(tasks)(_.split(tasks))

  override private[scan] def partition(task: IndexedSeq[FragmentScan]): LanceInputPartition =
    grouping.fold(super.partition(task))(_.partition(task))

  override def outputPartitioning(): Partitioning = LanceErrors.translated {
    grouping.fold[Partitioning](new UnknownPartitioning(0))(_.partitioning(grouped.length))
  }

  override def outputOrdering(): Array[SortOrder] =
    LanceErrors.translated(grouping.fold(Array.empty[SortOrder])(_.ordering))

  override private[scan] def indexed: Seq[IndexedRows] =
    super.indexed ++ filtered.flatMap(_.indexed)

  override def createReaderFactory(): PartitionReaderFactory =
    new LanceReaderFactory(
      filtered.fold(plan.read)(f => plan.read.copy(filter = f.filter)),
      plan.store,
      plan.table.path
    )

  override def columnarSupportMode(): Scan.ColumnarSupportMode = plan.read.columnarSupportMode

  override def estimateStatistics(): Statistics = new Statistics {
    override def sizeInBytes(): OptionalLong = OptionalLong.of(math.max(1L, plan.estimate.numBytes))
    override def numRows(): OptionalLong = OptionalLong.of(plan.estimate.numRows)
    override def columnStats(): util.Map[NamedReference, ColumnStatistics] =
      StoredColumnStatistics.of(plan.table.manifest.config, plan.table.schema, readSchema()).asJava
  }

  /** Whether Spark depends on the tasks of this scan, because it applied runtime filters, or joins
    * by the partition keys.
    */
  private def isFixed: Boolean = filtered.isDefined || grouping.isDefined

  /** Returns a copy of this scan that drops duplicates in a task, or `None` if that would not pay
    * off.
    */
  private[scan] def distinct: Option[LanceScan] =
    if (isFixed) None else plan.distinct.map(new LanceScan(_, runtime, streams))

  /** Returns this scan for a filter that Spark evaluates on its rows, or `None` if no index
    * applies.
    *
    * @param filter condition over the columns of this scan, bound by position
    */
  private[scan] def below(filter: Expression): Option[LanceScan] =
    if (isFixed) None else plan.below(filter).map(new LanceScan(_, runtime, streams))

  override def equals(other: Any): Boolean = other match {
    case s: LanceScan => plan.identity == s.plan.identity
    case _ => false
  }

  override def hashCode: Int = plan.identity.hashCode
}
