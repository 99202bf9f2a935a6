// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.write

import org.apache.spark.sql.connector.distributions.Distribution
import org.apache.spark.sql.connector.expressions.SortOrder
import org.apache.spark.sql.connector.metric.{CustomMetric, CustomTaskMetric}
import org.apache.spark.sql.connector.write.{BatchWrite, RequiresDistributionAndOrdering}

import io.github.pysparklance.spark.shim.ReportingWrite

/** A planned write in Spark's plan and UI, with the required distribution of its rows. */
final private class LanceWrite(plan: WritePlan) extends RequiresDistributionAndOrdering
    with ReportingWrite {
  private val wanted = plan.options.distribution
  private val shuffles = wanted.mode != RowDistribution.AsItIs
  private val record = new CommitRecord

  override def description(): String =
    s"lance ${plan.location.path}, files of version ${plan.fileVersion}"

  override def toBatch: BatchWrite = new LanceBatchWrite(plan, record)

  override def requiredDistribution(): Distribution = wanted.distribution

  override def distributionStrictlyRequired(): Boolean = wanted.isStrict

  override def requiredOrdering(): Array[SortOrder] = wanted.order.toArray

  override def requiredNumPartitions(): Int = wanted.numPartitions.getOrElse(0)

  override def advisoryPartitionSizeInBytes(): Long =
    if (shuffles && wanted.numPartitions.isEmpty) wanted.partitionBytes else 0L

  override def supportedCustomMetrics(): Array[CustomMetric] =
    WriteMetrics.all ++ driverMetrics(CommitRecord.metrics)

  override def reportDriverMetrics(): Array[CustomTaskMetric] = record.values
}
