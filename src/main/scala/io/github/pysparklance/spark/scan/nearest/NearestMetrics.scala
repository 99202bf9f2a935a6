// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.nearest

import org.apache.spark.sql.connector.metric.{CustomMetric, CustomSumMetric, CustomTaskMetric}

import io.github.pysparklance.index.cache.IndexMeter
import io.github.pysparklance.index.vector.search.SearchStatistics
import io.github.pysparklance.spark.metrics.TaskMetric
import io.github.pysparklance.spark.scan.task.ScanMetrics

/** Counts the searched segments of the vector index. */
final class SegmentsSearchedMetric extends CustomSumMetric {
  def name(): String = NearestMetrics.Segments
  def description(): String = "index segments searched"
}

/** Counts the probed partitions of the vector index, once for each query. */
final class PartitionsProbedMetric extends CustomSumMetric {
  def name(): String = NearestMetrics.Partitions
  def description(): String = "index partitions probed"
}

/** Counts the distances that were computed from codes of the vector index. */
final class VectorsComparedMetric extends CustomSumMetric {
  def name(): String = NearestMetrics.Vectors
  def description(): String = "indexed vectors compared"
}

/** Counts the rows whose true distances were computed. */
final class RowsRefinedMetric extends CustomSumMetric {
  def name(): String = NearestMetrics.Refined
  def description(): String = "rows refined"
}

/** Metrics of searches. */
private[nearest] object NearestMetrics {
  val Segments = "lanceSegmentsSearched"
  val Partitions = "lancePartitionsProbed"
  val Vectors = "lanceVectorsCompared"
  val Refined = "lanceRowsRefined"

  /** Metrics of index searches. */
  def ofSearch: Array[CustomMetric] = Array(
    new SegmentsSearchedMetric,
    new PartitionsProbedMetric,
    new VectorsComparedMetric,
    new RowsRefinedMetric
  )

  /** Returns the values of the metrics. */
  def values(statistics: SearchStatistics, meter: IndexMeter): Array[CustomTaskMetric] = Array(
    TaskMetric(Segments, statistics.numSegments.toLong),
    TaskMetric(Partitions, statistics.partitionsProbed),
    TaskMetric(Vectors, statistics.vectorsCompared),
    TaskMetric(Refined, statistics.rowsRefined)
  ) ++ ScanMetrics.ofIndex(meter)
}
