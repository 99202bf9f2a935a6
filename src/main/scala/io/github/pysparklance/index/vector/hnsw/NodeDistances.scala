// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.hnsw

import io.github.pysparklance.core.Optional
import io.github.pysparklance.index.vector.distance.{DistanceKernels, Kernels}

/** Distances between the nodes of a graph that is being built. Not thread-safe. */
sealed abstract class NodeDistances {

  def numNodes: Int

  /** Selects the node that the following calls of [[fill]] start from. */
  def select(node: Int): Unit

  /** Computes the distances from the selected node to others.
    *
    * @param nodes the other nodes
    * @param count number of the other nodes
    * @param out receives the distance of each node
    */
  def fill(nodes: Array[Int], count: Int, out: Array[Float]): Unit

  /** Returns the distance of each node from the mean of all nodes. `None` unless distances are
    * squared distances.
    */
  def fromMean: Option[Array[Float]]
}

/** Nodes with vectors of floats.
  *
  * @param vectors back to back
  * @param isDot whether the distance is one minus the inner product; otherwise, the squared
  *   distance
  * @param unit factor of squared distances
  */
final class FloatDistances(
    vectors: Array[Float],
    dimension: Int,
    isDot: Boolean,
    unit: Float = 1f,
    kernels: DistanceKernels = Kernels.best
) extends NodeDistances {
  private val selected = new Array[Float](dimension)

  def numNodes: Int = vectors.length / dimension

  def select(node: Int): Unit =
    System.arraycopy(vectors, node * dimension, selected, 0, dimension)

  def fill(nodes: Array[Int], count: Int, out: Array[Float]): Unit =
    if (isDot) {
      kernels.dot(selected, vectors, 0, nodes, count, out)
      var i = 0
      while (i < count) {
        out(i) = 1 - out(i)
        i += 1
      }
    } else {
      kernels.l2(selected, vectors, 0, nodes, count, out)
      if (unit != 1f) {
        var i = 0
        while (i < count) {
          out(i) *= unit
          i += 1
        }
      }
    }

  def fromMean: Option[Array[Float]] = Optional.unless(isDot) {
    val sums = new Array[Double](dimension)
    var i = 0
    while (i < vectors.length) {
      sums(i % dimension) += vectors(i)
      i += 1
    }
    val out = new Array[Float](numNodes)
    kernels.l2(sums.map(sum => (sum / numNodes).toFloat), vectors, 0, null, numNodes, out)
    out
  }
}

/** Nodes with vectors of bytes.
  *
  * @param vectors back to back
  * @param isHamming whether the distance is the number of different bits; otherwise, the squared
  *   distance
  * @param unit factor of distances
  */
final class ByteDistances(
    vectors: Array[Byte],
    dimension: Int,
    isHamming: Boolean,
    unit: Float,
    kernels: DistanceKernels = Kernels.best
) extends NodeDistances {
  private val selected = new Array[Byte](dimension)

  def numNodes: Int = vectors.length / dimension

  def select(node: Int): Unit =
    System.arraycopy(vectors, node * dimension, selected, 0, dimension)

  def fill(nodes: Array[Int], count: Int, out: Array[Float]): Unit =
    if (isHamming) kernels.hamming(selected, vectors, 0, nodes, count, out)
    else {
      kernels.l2UInt8(selected, vectors, 0, nodes, count, out)
      var i = 0
      while (i < count) {
        out(i) *= unit
        i += 1
      }
    }

  def fromMean: Option[Array[Float]] = Optional.unless(isHamming) {
    val sums = new Array[Long](dimension)
    var i = 0
    while (i < vectors.length) {
      sums(i % dimension) += vectors(i) & 0xff
      i += 1
    }
    val out = new Array[Float](numNodes)
    kernels.l2UInt8(sums.map(sum => (sum / numNodes).toByte), vectors, 0, null, numNodes, out)
    out
  }
}
