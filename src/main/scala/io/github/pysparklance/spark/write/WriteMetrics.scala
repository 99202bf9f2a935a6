// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.write

import org.apache.spark.sql.connector.metric.{CustomMetric, CustomSumMetric}

import io.github.pysparklance.spark.metrics.{ByteMetric, NanosecondMetric}

/** Rows written. */
final class RowsWrittenMetric extends CustomSumMetric {
  def name(): String = WriteMetrics.RowsWritten
  def description(): String = "rows written"
}

/** Data files written. */
final class FilesWrittenMetric extends CustomSumMetric {
  def name(): String = WriteMetrics.FilesWritten
  def description(): String = "files written"
}

/** Size of the data files. */
final class BytesWrittenMetric extends ByteMetric(WriteMetrics.BytesWritten, "bytes written")

/** Time for encoding and writing, without buffering rows. */
final class EncodeTimeMetric
    extends NanosecondMetric(WriteMetrics.EncodeTime, "encode and write time")

/** Names of the metrics of a write. */
private[spark] object WriteMetrics {
  val RowsWritten = "lanceRowsWritten"
  val FilesWritten = "lanceFilesWritten"
  val BytesWritten = "lanceBytesWritten"
  val EncodeTime = "lanceEncodeTime"

  /** The metrics of all writes. */
  def all: Array[CustomMetric] =
    Array(
      new RowsWrittenMetric,
      new FilesWrittenMetric,
      new BytesWrittenMetric,
      new EncodeTimeMetric
    )

  /** Names of metrics that Spark adds to the output metrics of the task. */
  val TaskRecords = "recordsWritten"
  val TaskBytes = "bytesWritten"
}
