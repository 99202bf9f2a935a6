// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan

import java.util.OptionalLong

import org.apache.spark.sql.connector.read.{
  InputPartition,
  PartitionReaderFactory,
  Scan,
  Statistics,
  SupportsReportStatistics
}
import org.apache.spark.sql.types.StructType

import io.github.pysparklance.spark.scan.push.{PushedAggregate, PushedAggregates}

/** Counts rows, and computes minimum and maximum values of columns. Each task returns one row, and
  * Spark merges these rows. There is at least one task, because the count of an empty table is 0.
  */
final class LanceAggregateScan private[scan] (
    scanPlan: ScanPlan,
    private val aggregates: IndexedSeq[PushedAggregate]
) extends PlannedScan(scanPlan)
    with SupportsReportStatistics {

  override def readSchema(): StructType = PushedAggregates.schema(aggregates)

  override def planInputPartitions(): Array[InputPartition] = {
    val planned = super.planInputPartitions()
    if (planned.nonEmpty) planned else Array(LanceInputPartition(IndexedSeq.empty))
  }

  override private[scan] def extras: Seq[String] = Seq(aggregates.mkString("computes ", ", ", ""))

  override def createReaderFactory(): PartitionReaderFactory =
    new AggregateReaderFactory(plan.read, plan.store, plan.table.path, aggregates)

  override def columnarSupportMode(): Scan.ColumnarSupportMode =
    Scan.ColumnarSupportMode.UNSUPPORTED

  override def estimateStatistics(): Statistics = new Statistics {
    private val rows = math.max(1, tasks.length).toLong
    override def sizeInBytes(): OptionalLong = OptionalLong.of(readSchema().defaultSize * rows)
    override def numRows(): OptionalLong = OptionalLong.of(rows)
  }

  override def equals(other: Any): Boolean = other match {
    case s: LanceAggregateScan =>
      plan.identity == s.plan.identity && aggregates == s.aggregates
    case _ => false
  }

  override def hashCode: Int = (plan.identity, aggregates).hashCode
}
