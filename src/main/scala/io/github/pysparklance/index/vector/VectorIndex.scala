// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector

import io.github.pysparklance.index.vector.distance.Metric
import io.github.pysparklance.index.vector.segment.VectorSegment
import io.github.pysparklance.table.manifest.IndexSegment

/** A vector index of a table.
  *
  * @param metric metric of the distances
  * @param segments usable segments, which are open
  */
final case class VectorIndex(
    name: String,
    column: VectorColumn,
    metric: Metric,
    segments: IndexedSeq[(IndexSegment, VectorSegment)]
) {

  /** The type of the first segment, such as `IVF_PQ`. */
  def kind: String = segments.head._2.kind
}
