// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.ivf

import io.github.pysparklance.core.CorruptFileException
import io.github.pysparklance.index.proto.IVF
import io.github.pysparklance.index.vector.distance.{DistanceKernels, Metric}
import io.github.pysparklance.index.vector.search.QueryVector

/** The centroids of an index. A vector belongs to the partition with the nearest centroid. */
sealed abstract class Centroids extends Serializable {

  def numPartitions: Int

  def dimension: Int

  /** Approximate memory in bytes. */
  def sizeInBytes: Long

  /** Ranks the partitions by the distance of their centroids, nearest first.
    *
    * @param query query vector, normalized for the cosine metric
    */
  final def rank(query: QueryVector, metric: Metric, kernels: DistanceKernels): RankedPartitions = {
    val distances = new Array[Float](numPartitions)
    measure(query, metric, kernels, distances)
    RankedPartitions.of(distances)
  }

  protected def measure(
      query: QueryVector,
      metric: Metric,
      kernels: DistanceKernels,
      out: Array[Float]
  ): Unit
}

/** Centroids of vectors of floating-point numbers.
  *
  * @param values elements of all centroids, centroid by centroid
  */
final class FloatCentroids(val dimension: Int, val values: Array[Float]) extends Centroids {

  def numPartitions: Int = if (dimension == 0) 0 else values.length / dimension

  def sizeInBytes: Long = 4L * values.length

  /** Copies a centroid. */
  def apply(partition: Int): Array[Float] =
    java.util.Arrays.copyOfRange(values, partition * dimension, (partition + 1) * dimension)

  /** Subtracts a centroid from a query. The difference is rounded to the type of the column, as the
    * reference does.
    */
  def subtract(query: QueryVector, partition: Int, out: Array[Float]): Unit = {
    val vector = query.floats
    val from = partition * dimension
    var i = 0
    while (i < dimension) {
      out(i) = vector(i) - values(from + i)
      i += 1
    }
    if (query.elementType.numBytes == 2) {
      i = 0
      while (i < dimension) {
        out(i) = QueryVector.rounded(query.elementType, out(i).toDouble).toFloat
        i += 1
      }
    }
  }

  protected def measure(
      query: QueryVector,
      metric: Metric,
      kernels: DistanceKernels,
      out: Array[Float]
  ): Unit =
    if (metric == Metric.Dot) {
      kernels.dot(query.floats, values, 0, null, numPartitions, out)
      out.indices.foreach(i => out(i) = 1 - out(i))
    } else kernels.l2(query.floats, values, 0, null, numPartitions, out)
}

/** Centroids of vectors of bits. */
final class BitCentroids(val dimension: Int, val values: Array[Byte]) extends Centroids {

  def numPartitions: Int = if (dimension == 0) 0 else values.length / dimension

  def sizeInBytes: Long = values.length.toLong

  protected def measure(
      query: QueryVector,
      metric: Metric,
      kernels: DistanceKernels,
      out: Array[Float]
  ): Unit = kernels.hamming(query.bytes, values, 0, null, numPartitions, out)
}

object Centroids {

  /** Reads centroids.
    *
    * @param what names the file in messages
    * @throws CorruptFileException if they do not match the partitions
    */
  def of(message: IVF, what: String): Centroids = {
    val numPartitions = message.getLengthsCount
    if (message.hasCentroidsTensor) {
      val tensor = Tensors.of(message.getCentroidsTensor, s"$what: centroids")
      CorruptFileException.check(
        tensor.shape.length == 2 && tensor.shape(0) == numPartitions && tensor.shape(1) > 0,
        s"$what: centroids of the shape ${tensor.shape.mkString(" x ")} for $numPartitions partitions"
      )
      if (tensor.elementType.numBytes == 1) new BitCentroids(tensor.shape(1), tensor.unsignedBytes)
      else new FloatCentroids(tensor.shape(1), tensor.floats)
    } else {
      val count = message.getCentroidsCount
      CorruptFileException.check(
        numPartitions > 0 && count > 0 && count % numPartitions == 0,
        s"$what: $count numbers of centroids for $numPartitions partitions"
      )
      new FloatCentroids(count / numPartitions, Array.tabulate(count)(message.getCentroids(_)))
    }
  }
}
