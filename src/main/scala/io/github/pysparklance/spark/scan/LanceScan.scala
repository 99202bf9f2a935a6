// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan

import java.util
import java.util.OptionalLong

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.connector.expressions.NamedReference
import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.connector.read.colstats.ColumnStatistics
import org.apache.spark.sql.connector.read.{
  PartitionReaderFactory,
  Scan,
  Statistics,
  SupportsReportStatistics,
  SupportsRuntimeV2Filtering
}
import org.apache.spark.sql.types.StructType

import io.github.pysparklance.core.Optional
import io.github.pysparklance.spark.common.KeptStatistics
import io.github.pysparklance.table.FragmentScan

/** Reads columns of one version of a table. Scans of the same columns and version are equal, so that Spark reuses
  * their results; filters of the run time Spark compares itself.
  */
final class LanceScan private[scan] (scanPlan: ScanPlan, runtime: RuntimeFilters)
    extends PlannedScan(scanPlan)
    with SupportsReportStatistics
    with SupportsRuntimeV2Filtering {

  private var filtered = Option.empty[RuntimeFilters.Filtered]

  override def readSchema(): StructType = plan.schema

  /** Keys of joins whose other side is known before this one is read. */
  override def filterAttributes(): Array[NamedReference] = runtime.attributes(plan)

  override def filter(predicates: Array[Predicate]): Unit =
    filtered = Some(timed(runtime.apply(plan, predicates.toSeq)))

  /** The same tasks or fewer, as Spark has made up its mind about their number. */
  override private[scan] def plannedTasks: IndexedSeq[IndexedSeq[FragmentScan]] =
    filtered.fold(tasks)(_.of(tasks))

  override def createReaderFactory(): PartitionReaderFactory =
    new LanceReaderFactory(filtered.fold(plan.read)(f => plan.read.copy(filter = f.filter)))

  override def columnarSupportMode(): Scan.ColumnarSupportMode =
    if (plan.read.isRowByRow) Scan.ColumnarSupportMode.UNSUPPORTED
    else Scan.ColumnarSupportMode.SUPPORTED

  override def estimateStatistics(): Statistics = new Statistics {
    override def sizeInBytes(): OptionalLong = OptionalLong.of(math.max(1L, plan.numBytes))
    override def numRows(): OptionalLong = OptionalLong.of(plan.numRows)
    override def columnStats(): util.Map[NamedReference, ColumnStatistics] =
      KeptStatistics.of(plan.table.manifest.config, plan.table.schema, readSchema()).asJava
  }

  /** The same for whom a value that comes once may stand for all of its kind; none: that saves nothing. */
  private[scan] def distinct: Option[LanceScan] =
    Optional.when(filtered.isEmpty && plan.takesDistinct) {
      new LanceScan(plan.copy(isDistinct = true), runtime)
    }

  override def equals(other: Any): Boolean = other match {
    case s: LanceScan => source == s.source && identity == s.identity
    case _ => false
  }

  override def hashCode: Int = (source, identity).hashCode
}
