// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.search

import io.github.pysparklance.index.vector.distance.Metric

/** The scale of the distances of an index. Distances on different scales are never compared.
  *
  * Source: format page of indices, "Search and distances".
  */
sealed abstract class DistanceScale extends Serializable {

  /** Converts a distance to the scale of the metric, up to the error of the codes. */
  def toMetric(distance: Float): Float

  /** The inverse of [[toMetric]]. */
  def ofMetric(distance: Float): Float
}

object DistanceScale {

  /** The scale of the metric. */
  case object OfMetric extends DistanceScale {
    def toMetric(distance: Float): Float = distance
    def ofMetric(distance: Float): Float = distance
  }

  /** Squared L2 distance of normalized vectors, which is twice the cosine distance. */
  case object NormalizedL2 extends DistanceScale {
    def toMetric(distance: Float): Float = distance / 2
    def ofMetric(distance: Float): Float = distance * 2
  }

  /** Returns the scale of an index with codes. */
  def ofCodes(metric: Metric): DistanceScale =
    if (metric == Metric.Cosine) NormalizedL2 else OfMetric
}
