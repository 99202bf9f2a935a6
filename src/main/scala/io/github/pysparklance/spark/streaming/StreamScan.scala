// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.streaming

import org.apache.spark.sql.connector.metric.CustomMetric
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.types.StructType

import io.github.pysparklance.spark.scan.task.{ReadTask, ScanMetrics}

/** The columns that micro-batches read, for plans and metrics.
  *
  * @param name name of the table, for plans
  * @param conditions conditions that select changes, in SQL
  */
private[streaming] class StreamScan(
    name: String,
    read: ReadTask,
    conditions: Seq[String] = Nil
) extends Scan {

  override def readSchema(): StructType = read.schema

  override def columnarSupportMode(): Scan.ColumnarSupportMode = read.columnarSupportMode

  override def supportedCustomMetrics(): Array[CustomMetric] = ScanMetrics.all

  override def description(): String = {
    val where = (conditions ++ read.filter.map(_.sql)).mkString(" AND ")
    s"lance $name stream, ${readSchema().catalogString}" +
      (if (where.isEmpty) "" else s", where $where")
  }
}
