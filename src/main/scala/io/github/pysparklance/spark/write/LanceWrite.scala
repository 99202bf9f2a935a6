// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.write

import org.apache.spark.sql.connector.distributions.Distribution
import org.apache.spark.sql.connector.expressions.SortOrder
import org.apache.spark.sql.connector.metric.{CustomMetric, CustomTaskMetric}
import org.apache.spark.sql.connector.write.streaming.StreamingWrite
import org.apache.spark.sql.connector.write.{BatchWrite, RequiresDistributionAndOrdering}

import io.github.pysparklance.spark.common.LanceErrors
import io.github.pysparklance.spark.shim.ReportingWrite

/** A write with the distribution and the order of its rows. */
abstract private[spark] class DistributedWrite(wanted: RowDistribution)
    extends RequiresDistributionAndOrdering {
  private val shuffles = wanted.mode != RowDistribution.Unchanged

  final override def requiredDistribution(): Distribution = wanted.distribution

  final override def distributionStrictlyRequired(): Boolean = wanted.isStrict

  final override def requiredOrdering(): Array[SortOrder] = wanted.order.toArray

  final override def requiredNumPartitions(): Int = wanted.numPartitions.getOrElse(0)

  final override def advisoryPartitionSizeInBytes(): Long =
    if (shuffles && wanted.numPartitions.isEmpty) wanted.partitionBytes else 0L
}

/** A planned write in Spark's plan and UI. */
final private class LanceWrite(plan: WritePlan) extends DistributedWrite(plan.options.distribution)
    with ReportingWrite {
  private val record = new CommitRecord

  override def description(): String =
    s"lance ${plan.location.path}, files of version ${plan.fileVersion}"

  override def toBatch: BatchWrite = new LanceBatchWrite(plan, record)

  /** Spark calls this in continuous mode. Micro-batches have a write of their own. */
  override def toStreaming: StreamingWrite = throw LanceErrors.rejected(
    s"${plan.location.path}: streaming writes in continuous mode are not supported; use a micro-batch " +
      "trigger, such as Trigger.ProcessingTime"
  )

  override def supportedCustomMetrics(): Array[CustomMetric] =
    WriteMetrics.all ++ driverMetrics(CommitRecord.metrics)

  override def reportDriverMetrics(): Array[CustomTaskMetric] = record.values
}
