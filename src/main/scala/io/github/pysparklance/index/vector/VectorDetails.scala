// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector

import com.google.protobuf.InvalidProtocolBufferException

import io.github.pysparklance.index.proto.{VectorIndexDetails, VectorMetricType}
import io.github.pysparklance.index.vector.distance.Metric
import io.github.pysparklance.table.manifest.IndexSegment

/** The details of a vector index in the manifest.
  *
  * Source: message `VectorIndexDetails`, index.proto.
  */
private[vector] object VectorDetails {

  /** Returns the metric in the details of a segment, or `None` if they do not show it. Early
    * releases wrote empty details for every metric.
    */
  def metric(segment: IndexSegment): Option[Metric] = {
    val bytes = segment.details
    try
      if (bytes.isEmpty) None
      else
        VectorIndexDetails.parseFrom(bytes).getMetricType match {
          case VectorMetricType.L2 => Some(Metric.L2)
          case VectorMetricType.Cosine => Some(Metric.Cosine)
          case VectorMetricType.Dot => Some(Metric.Dot)
          case VectorMetricType.Hamming => Some(Metric.Hamming)
          case _ => None
        }
    catch { case _: InvalidProtocolBufferException => None }
  }
}
