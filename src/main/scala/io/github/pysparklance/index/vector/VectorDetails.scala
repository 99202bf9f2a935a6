// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector

import java.util.Locale

import com.google.protobuf.InvalidProtocolBufferException

import io.github.pysparklance.index.proto.VectorIndexDetails.CompressionCase
import io.github.pysparklance.index.proto.{VectorIndexDetails, VectorMetricType}
import io.github.pysparklance.index.vector.distance.Metric
import io.github.pysparklance.table.manifest.IndexSegment

/** The details of a vector index in the manifest.
  *
  * Source: message `VectorIndexDetails`, index.proto.
  */
object VectorDetails {

  /** Returns the metric in the details of a segment, or `None` if they do not show it. Early
    * releases wrote empty details for every metric.
    */
  def metric(segment: IndexSegment): Option[Metric] = parsed(segment).flatMap {
    _.getMetricType match {
      case VectorMetricType.L2 => Some(Metric.L2)
      case VectorMetricType.Cosine => Some(Metric.Cosine)
      case VectorMetricType.Dot => Some(Metric.Dot)
      case VectorMetricType.Hamming => Some(Metric.Hamming)
      case _ => None
    }
  }

  /** Returns the name of the index type, such as `IVF_PQ`, if the details of a segment show it. */
  def kind(segment: IndexSegment): Option[String] = parsed(segment).flatMap { details =>
    val quantizer = details.getCompressionCase match {
      case CompressionCase.PQ => Some("PQ")
      case CompressionCase.SQ => Some("SQ")
      case CompressionCase.RQ => Some("RQ")
      case CompressionCase.FLAT => Some("FLAT")
      case _ => None
    }
    quantizer.map(q => s"IVF_${if (details.hasHnswIndexConfig) "HNSW_" else ""}$q")
  }

  /** Returns the message of a segment, or `None` if it is empty or damaged. */
  private[vector] def parsed(segment: IndexSegment): Option[VectorIndexDetails] = {
    val isVector = segment.detailsType.toLowerCase(Locale.ROOT).endsWith("vectorindexdetails")
    try Some(segment.details).filter(isVector && _.nonEmpty).map(VectorIndexDetails.parseFrom(_))
    catch { case _: InvalidProtocolBufferException => None }
  }
}
