// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.segment

import io.github.pysparklance.core.Buffer
import io.github.pysparklance.index.vector.distance.{ElementType, Metric}
import io.github.pysparklance.index.vector.hnsw.GraphParameters
import io.github.pysparklance.index.vector.ivf._
import io.github.pysparklance.index.vector.quantizer.{VectorEncoder, VectorRows}

/** The trained part of a vector index, which encodes vectors. Segments with the same model can be
  * merged partition by partition. Immutable and thread-safe.
  *
  * @param elementType element type of the column
  * @param centroidTensor message `Tensor` of the centroids
  * @param meanLoss mean distance of the vectors to their centroids when the model was trained:
  *   squared, or one less the inner product, or a number of bits; `None` if unknown
  * @param graph parameters of the graphs of partitions; `None` for an index without graphs
  */
final class SegmentModel(
    val metric: Metric,
    val elementType: ElementType,
    val centroids: Centroids,
    val centroidTensor: Array[Byte],
    val encoder: VectorEncoder,
    val meanLoss: Option[Double],
    val graph: Option[GraphParameters]
) extends Serializable {

  def dimension: Int = centroids.dimension

  def numPartitions: Int = centroids.numPartitions

  /** The name of the index type, such as `IVF_HNSW_SQ`. */
  def kind: String = s"IVF_${if (graph.isDefined) "HNSW_" else ""}${encoder.name}"

  @transient private lazy val packed: PackedCentroids = centroids match {
    case c: FloatCentroids => new PackedCentroids(dimension, c.values, metric == Metric.Dot)
    case _ => throw new IllegalStateException("centroids of bits")
  }

  /** Finds the partition of each vector.
    *
    * @param partitions receives the partition of each vector
    */
  def assign(rows: VectorRows, partitions: Array[Int]): Unit = centroids match {
    case bits: BitCentroids =>
      KModes.assign(rows.bytes, bits.values, dimension, partitions, rows.numRows): Unit
    case _ => packed.nearest(rows.floats, 0, rows.numRows, partitions, null)
  }

  /** Whether segments of another model can be merged with segments of this one. */
  def isSame(other: SegmentModel): Boolean =
    kind == other.kind && metric == other.metric && elementType == other.elementType &&
      encoder.isSame(other.encoder) &&
      Tensors.parse(Buffer(centroidTensor), "centroids")
        .isSame(Tensors.parse(Buffer(other.centroidTensor), "centroids"))
}
