// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.task

import org.apache.spark.sql.connector.metric.{CustomMetric, CustomSumMetric, CustomTaskMetric}

import io.github.pysparklance.index.cache.IndexMeter
import io.github.pysparklance.spark.metrics.{ByteMetric, NanosecondMetric, TaskMetric}
import io.github.pysparklance.storage.ReadMeter

/** Rows returned to Spark. */
final class RowsReadMetric extends CustomSumMetric {
  def name(): String = ScanMetrics.RowsRead
  def description(): String = "rows read"
}

/** Batches returned to Spark. */
final class BatchesReadMetric extends CustomSumMetric {
  def name(): String = ScanMetrics.BatchesRead
  def description(): String = "batches read"
}

/** Skipped deleted rows. */
final class DeletedRowsSkippedMetric extends CustomSumMetric {
  def name(): String = ScanMetrics.DeletedRowsSkipped
  def description(): String = "deleted rows skipped"
}

/** Rows for which a pushed filter is false or null. */
final class FilteredRowsMetric extends CustomSumMetric {
  def name(): String = ScanMetrics.FilteredRows
  def description(): String = "rows left out by pushed filters"
}

/** Opened fragments. A fragment that was split counts once for each task. */
final class FragmentsReadMetric extends CustomSumMetric {
  def name(): String = ScanMetrics.FragmentsRead
  def description(): String = "fragments read"
}

/** Pages of all columns that were read. A page that is read twice counts twice. */
final class PagesReadMetric extends CustomSumMetric {
  def name(): String = ScanMetrics.PagesRead
  def description(): String = "pages read"
}

/** Rows that were skipped because of the statistics of their pages. */
final class SkippedRowsMetric extends CustomSumMetric {
  def name(): String = ScanMetrics.SkippedRows
  def description(): String = "rows skipped by page statistics"
}

/** Fragments that were skipped because of page statistics. A fragment that was split counts once
  * for each task.
  */
final class SkippedFragmentsMetric extends CustomSumMetric {
  def name(): String = ScanMetrics.SkippedFragments
  def description(): String = "fragments skipped by page statistics"
}

/** Fragments of the version. */
final class FragmentsTotalMetric extends CustomSumMetric {
  def name(): String = ScanMetrics.FragmentsTotal
  def description(): String = "fragments of the table"
}

/** Fragments assigned to tasks. */
final class FragmentsKeptMetric extends CustomSumMetric {
  def name(): String = ScanMetrics.FragmentsKept
  def description(): String = "fragments kept by planning"
}

/** Planning time on the driver. */
final class PlanningTimeMetric extends NanosecondMetric(ScanMetrics.PlanningTime, "planning time")

/** Time for index searches on the driver, part of the planning time. */
final class IndexTimeMetric extends NanosecondMetric(ScanMetrics.IndexTime, "index time")

/** Bytes of index files read from storage. */
final class IndexBytesMetric
    extends ByteMetric(ScanMetrics.IndexBytes, "index bytes read from storage")

/** Hits of the index cache. */
final class IndexCacheHitsMetric extends CustomSumMetric {
  def name(): String = ScanMetrics.IndexCacheHits
  def description(): String = "index cache hits"
}

/** Misses of the index cache. */
final class IndexCacheMissesMetric extends CustomSumMetric {
  def name(): String = ScanMetrics.IndexCacheMisses
  def description(): String = "index cache misses"
}

/** Rows selected by indices, which are read by row number. */
final class IndexRowsMetric extends CustomSumMetric {
  def name(): String = ScanMetrics.IndexRows
  def description(): String = "rows selected by indices"
}

/** Storage requests for data. */
final class RequestsMetric extends CustomSumMetric {
  def name(): String = ScanMetrics.Requests
  def description(): String = "storage requests"
}

/** Bytes read from storage. */
final class BytesReadMetric extends ByteMetric(ScanMetrics.BytesRead, "bytes read from storage")

/** Total duration of reads from storage, mostly in the background. */
final class IoTimeMetric extends NanosecondMetric(ScanMetrics.IoTime, "storage time")

/** Time in which tasks decoded, or waited for reads. */
final class DecodeTimeMetric extends NanosecondMetric(ScanMetrics.DecodeTime, "decode time")

/** Names of the metrics of a scan. */
private[spark] object ScanMetrics {

  /** All metrics, for Spark. */
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

  /** The reads of index files. */
  def ofIndex(meter: IndexMeter): Array[CustomTaskMetric] = Array(
    TaskMetric(IndexBytes, meter.reads.bytes),
    TaskMetric(IndexCacheHits, meter.numHits),
    TaskMetric(IndexCacheMisses, meter.numMisses)
  )
}

/** The counters of a task. Not thread-safe, except for the meter.
  *
  * @param meter counts reads from storage
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
