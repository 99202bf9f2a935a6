// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan

import org.apache.spark.sql.connector.metric.{CustomSumMetric, CustomTaskMetric}

import io.github.pysparklance.spark.metrics.{ByteMetric, NanosecondMetric, TaskMetric}
import io.github.pysparklance.storage.ReadMeter

/** Rows handed to Spark. */
final class RowsReadMetric extends CustomSumMetric {
  def name(): String = ScanMetrics.RowsRead
  def description(): String = "rows read"
}

/** Batches handed to Spark. */
final class BatchesReadMetric extends CustomSumMetric {
  def name(): String = ScanMetrics.BatchesRead
  def description(): String = "batches read"
}

/** Rows left out because they are deleted. */
final class DeletedRowsSkippedMetric extends CustomSumMetric {
  def name(): String = ScanMetrics.DeletedRowsSkipped
  def description(): String = "deleted rows skipped"
}

/** Fragments opened; one that is cut counts for each task. */
final class FragmentsReadMetric extends CustomSumMetric {
  def name(): String = ScanMetrics.FragmentsRead
  def description(): String = "fragments read"
}

/** Requests to storage for data. */
final class RequestsMetric extends CustomSumMetric {
  def name(): String = ScanMetrics.Requests
  def description(): String = "storage requests"
}

/** Bytes read from storage. */
final class BytesReadMetric extends ByteMetric(ScanMetrics.BytesRead, "bytes read from storage")

/** Time that reads from storage took, in the background for the most part. */
final class IoTimeMetric extends NanosecondMetric(ScanMetrics.IoTime, "storage time")

/** Time the tasks spent decoding, and waiting for what was not read in time. */
final class DecodeTimeMetric extends NanosecondMetric(ScanMetrics.DecodeTime, "decode time")

/** What a scan counts, task by task. */
private[scan] object ScanMetrics {
  val RowsRead = "lanceRowsRead"
  val BatchesRead = "lanceBatchesRead"
  val DeletedRowsSkipped = "lanceDeletedRowsSkipped"
  val FragmentsRead = "lanceFragmentsRead"
  val Requests = "lanceRequests"
  val BytesRead = "lanceBytesRead"
  val IoTime = "lanceIoTime"
  val DecodeTime = "lanceDecodeTime"
}

/** The counters of one task. Not thread-safe, but for the meter.
  *
  * @param meter counts what is read from storage
  */
final private[scan] class ScanCounters(meter: ReadMeter) {
  var rows = 0L
  var batches = 0L
  var deletedRows = 0L
  var fragments = 0L
  var decodeNanos = 0L

  def values: Array[CustomTaskMetric] = Array(
    TaskMetric(ScanMetrics.RowsRead, rows),
    TaskMetric(ScanMetrics.BatchesRead, batches),
    TaskMetric(ScanMetrics.DeletedRowsSkipped, deletedRows),
    TaskMetric(ScanMetrics.FragmentsRead, fragments),
    TaskMetric(ScanMetrics.Requests, meter.requests),
    TaskMetric(ScanMetrics.BytesRead, meter.bytes),
    TaskMetric(ScanMetrics.IoTime, meter.nanos),
    TaskMetric(ScanMetrics.DecodeTime, decodeNanos)
  )
}
