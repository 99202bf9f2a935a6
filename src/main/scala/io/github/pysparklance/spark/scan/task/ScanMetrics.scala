// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.task

import org.apache.spark.sql.connector.metric.{CustomMetric, CustomSumMetric, CustomTaskMetric}

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

/** Rows left out because a pushed condition is not true for them. */
final class FilteredRowsMetric extends CustomSumMetric {
  def name(): String = ScanMetrics.FilteredRows
  def description(): String = "rows left out by pushed filters"
}

/** Fragments opened; one that is cut counts for each task. */
final class FragmentsReadMetric extends CustomSumMetric {
  def name(): String = ScanMetrics.FragmentsRead
  def description(): String = "fragments read"
}

/** Pages of all columns that rows were read of. A page that is come to again counts again. */
final class PagesReadMetric extends CustomSumMetric {
  def name(): String = ScanMetrics.PagesRead
  def description(): String = "pages read"
}

/** Rows that were not read because the bounds of their pages rule a pushed condition out. */
final class SkippedRowsMetric extends CustomSumMetric {
  def name(): String = ScanMetrics.SkippedRows
  def description(): String = "rows skipped by page statistics"
}

/** Fragments of which no row was read for the same reason; one that is cut counts for each task. */
final class SkippedFragmentsMetric extends CustomSumMetric {
  def name(): String = ScanMetrics.SkippedFragments
  def description(): String = "fragments skipped by page statistics"
}

/** Fragments of the version. */
final class FragmentsTotalMetric extends CustomSumMetric {
  def name(): String = ScanMetrics.FragmentsTotal
  def description(): String = "fragments of the table"
}

/** Fragments that the tasks were given. */
final class FragmentsKeptMetric extends CustomSumMetric {
  def name(): String = ScanMetrics.FragmentsKept
  def description(): String = "fragments kept by planning"
}

/** Time the driver took to plan the tasks. */
final class PlanningTimeMetric extends NanosecondMetric(ScanMetrics.PlanningTime, "planning time")

/** Time the driver took to find rows by indices, part of the planning time. */
final class IndexTimeMetric extends NanosecondMetric(ScanMetrics.IndexTime, "index time")

/** Bytes of index files read from storage. */
final class IndexBytesMetric
    extends ByteMetric(ScanMetrics.IndexBytes, "index bytes read from storage")

/** Parts of index files that were cached in memory. */
final class IndexCacheHitsMetric extends CustomSumMetric {
  def name(): String = ScanMetrics.IndexCacheHits
  def description(): String = "index cache hits"
}

/** Parts of index files that were not cached in memory. */
final class IndexCacheMissesMetric extends CustomSumMetric {
  def name(): String = ScanMetrics.IndexCacheMisses
  def description(): String = "index cache misses"
}

/** Rows that indices selected, to be read by their number. */
final class IndexRowsMetric extends CustomSumMetric {
  def name(): String = ScanMetrics.IndexRows
  def description(): String = "rows selected by indices"
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

  /** All of them, as Spark wants to know them. */
  def all: Array[CustomMetric] = Array(
    new RowsReadMetric,
    new BatchesReadMetric,
    new DeletedRowsSkippedMetric,
    new FilteredRowsMetric,
    new FragmentsReadMetric,
    new PagesReadMetric,
    new SkippedRowsMetric,
    new SkippedFragmentsMetric,
    new FragmentsTotalMetric,
    new FragmentsKeptMetric,
    new PlanningTimeMetric,
    new IndexTimeMetric,
    new IndexBytesMetric,
    new IndexCacheHitsMetric,
    new IndexCacheMissesMetric,
    new IndexRowsMetric,
    new RequestsMetric,
    new BytesReadMetric,
    new IoTimeMetric,
    new DecodeTimeMetric
  )

  val RowsRead = "lanceRowsRead"
  val BatchesRead = "lanceBatchesRead"
  val DeletedRowsSkipped = "lanceDeletedRowsSkipped"
  val FilteredRows = "lanceFilteredRows"
  val FragmentsRead = "lanceFragmentsRead"
  val PagesRead = "lancePagesRead"
  val SkippedRows = "lanceSkippedRows"
  val SkippedFragments = "lanceSkippedFragments"
  val FragmentsTotal = "lanceFragmentsTotal"
  val FragmentsKept = "lanceFragmentsKept"
  val PlanningTime = "lancePlanningTime"
  val IndexTime = "lanceIndexTime"
  val IndexBytes = "lanceIndexBytes"
  val IndexCacheHits = "lanceIndexCacheHits"
  val IndexCacheMisses = "lanceIndexCacheMisses"
  val IndexRows = "lanceIndexRows"
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
  var filteredRows = 0L
  var fragments = 0L
  var pages = 0L
  var skippedRows = 0L
  var skippedFragments = 0L
  var decodeNanos = 0L

  def values: Array[CustomTaskMetric] = Array(
    TaskMetric(ScanMetrics.RowsRead, rows),
    TaskMetric(ScanMetrics.BatchesRead, batches),
    TaskMetric(ScanMetrics.DeletedRowsSkipped, deletedRows),
    TaskMetric(ScanMetrics.FilteredRows, filteredRows),
    TaskMetric(ScanMetrics.FragmentsRead, fragments),
    TaskMetric(ScanMetrics.PagesRead, pages),
    TaskMetric(ScanMetrics.SkippedRows, skippedRows),
    TaskMetric(ScanMetrics.SkippedFragments, skippedFragments),
    TaskMetric(ScanMetrics.Requests, meter.requests),
    TaskMetric(ScanMetrics.BytesRead, meter.bytes),
    TaskMetric(ScanMetrics.IoTime, meter.nanos),
    TaskMetric(ScanMetrics.DecodeTime, decodeNanos)
  )
}
