// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan

import java.util.OptionalLong

import org.apache.spark.sql.connector.metric.CustomMetric
import org.apache.spark.sql.connector.read.{
  Batch,
  InputPartition,
  PartitionReaderFactory,
  Scan,
  Statistics,
  SupportsReportStatistics
}
import org.apache.spark.sql.types.StructType

import io.github.pysparklance.spark.common.LanceErrors
import io.github.pysparklance.table.FragmentScan

/** Reads columns of one version of a table. Scans of the same columns and version are equal, so that Spark reuses
  * their results.
  */
final class LanceScan private[scan] (private val plan: ScanPlan)
    extends Scan
    with Batch
    with SupportsReportStatistics {

  private lazy val tasks = LanceErrors.translated(plan.tasks)

  override def readSchema(): StructType = plan.schema

  override def toBatch: Batch = this

  override def planInputPartitions(): Array[InputPartition] =
    tasks.map(t => LanceInputPartition(t): InputPartition).toArray

  override def createReaderFactory(): PartitionReaderFactory =
    new LanceReaderFactory(plan.store, plan.fields, plan.metadata, plan.options)

  override def columnarSupportMode(): Scan.ColumnarSupportMode = Scan.ColumnarSupportMode.SUPPORTED

  override def estimateStatistics(): Statistics = new Statistics {
    override def sizeInBytes(): OptionalLong = OptionalLong.of(math.max(1L, plan.numBytes))
    override def numRows(): OptionalLong = OptionalLong.of(plan.numRows)
  }

  override def supportedCustomMetrics(): Array[CustomMetric] = Array(
    new RowsReadMetric,
    new BatchesReadMetric,
    new DeletedRowsSkippedMetric,
    new FragmentsReadMetric,
    new RequestsMetric,
    new BytesReadMetric,
    new IoTimeMetric,
    new DecodeTimeMetric
  )

  override def description(): String = {
    val table = plan.table
    val condition = plan.condition.fold("")(c => s", where $c")
    val window = if (plan.window == RowWindow.all) "" else s", ${plan.window}"
    s"lance ${table.path} version ${table.version}, ${table.fragments.length} fragments, " +
      s"${readSchema().catalogString}$condition$window"
  }

  private def identity: ScanPlan = plan.copy(table = null, store = null)

  private def source: (String, Long) = (plan.table.path, plan.table.version)

  override def equals(other: Any): Boolean = other match {
    case s: LanceScan => source == s.source && identity == s.identity
    case _ => false
  }

  override def hashCode: Int = (source, identity).hashCode
}

/** What one task reads, in scan order. */
final private[scan] case class LanceInputPartition(scans: IndexedSeq[FragmentScan])
    extends InputPartition
