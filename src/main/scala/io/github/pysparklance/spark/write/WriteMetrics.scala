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

/** Bytes of the data files. */
final class BytesWrittenMetric extends ByteMetric(WriteMetrics.BytesWritten, "bytes written")

/** Time spent encoding and writing, without gathering rows. */
final class EncodeTimeMetric
    extends NanosecondMetric(WriteMetrics.EncodeTime, "encode and write time")

/** What a write counts, task by task. */
private[spark] object WriteMetrics {
  val RowsWritten = "lanceRowsWritten"
  val FilesWritten = "lanceFilesWritten"
  val BytesWritten = "lanceBytesWritten"
  val EncodeTime = "lanceEncodeTime"

  /** What every write shows of its tasks. */
  def all: Array[CustomMetric] =
    Array(
      new RowsWrittenMetric,
      new FilesWrittenMetric,
      new BytesWrittenMetric,
      new EncodeTimeMetric
    )

  /** Names under which Spark takes a number over into the metrics of the task. */
  val TaskRecords = "recordsWritten"
  val TaskBytes = "bytesWritten"
}
