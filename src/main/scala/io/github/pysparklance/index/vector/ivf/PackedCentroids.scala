// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.ivf

import io.github.pysparklance.index.vector.distance.{DistanceKernels, Kernels}

/** Finds the nearest centroid of many vectors by a matrix product. Immutable and
  * thread-safe. Hot code: imperative.
  *
  * Squared distances are computed as `|x|² - 2 x·c + |c|²`. Vectors and centroids are shifted by
  * the mean of the centroids first, so that vectors far from the origin do not cancel out.
  *
  * The product is computed by [[DistanceKernels.products]] instead of a BLAS library, see
  * `docs/decisions/0025`.
  *
  * @param values elements of all centroids, centroid by centroid
  * @param isDot whether the nearest centroid has the greatest inner product; otherwise, the least
  *   distance
  */
final class PackedCentroids(
    val dimension: Int,
    values: Array[Float],
    isDot: Boolean,
    kernels: DistanceKernels = Kernels.best
) {
  import DistanceKernels.PANEL
  import PackedCentroids._

  val numCentroids: Int = values.length / dimension
  private val numPanels = (numCentroids + PANEL - 1) / PANEL
  private val stride = numPanels * PANEL
  private val mean = meanOf(values, dimension, isDot)
  private val panels = new Array[Float](numPanels * dimension * PANEL)
  private val factor = if (isDot) -1f else -2f
  private val offsets = Array.fill(stride)(Float.PositiveInfinity)
  pack()

  private def pack(): Unit = {
    var c = 0
    while (c < numCentroids) {
      var sum = 0.0
      var d = 0
      while (d < dimension) {
        val v = values(c * dimension + d) - mean(d)
        panels((c / PANEL * dimension + d) * PANEL + c % PANEL) = v
        sum += v.toDouble * v
        d += 1
      }
      offsets(c) = if (isDot) 0f else sum.toFloat
      c += 1
    }
  }

  /** Finds the nearest centroids.
    *
    * @param vectors elements of finite vectors, vector by vector
    * @param first number of the first vector
    * @param nearest gets the number of the centroid of each vector, from index `first`
    * @param distances gets squared distances, or one less the inner products; null if not needed.
    *   A vector without a number for a distance has the first centroid
    */
  def nearest(
      vectors: Array[Float],
      first: Int,
      numVectors: Int,
      nearest: Array[Int],
      distances: Array[Float]
  ): Unit = {
    val atATime = math.max(8, math.min(blockRows, blockProducts / stride))
    val shifted = new Array[Float](atATime * dimension)
    val products = new Array[Float](atATime * stride)
    val scores = new Array[Float](atATime)
    var done = 0
    while (done < numVectors) {
      val n = math.min(atATime, numVectors - done)
      shift(vectors, first + done, n, shifted)
      kernels.products(shifted, 0, n, dimension, panels, numPanels, products)
      kernels.least(products, n, numPanels, offsets, factor, nearest, first + done, scores)
      if (distances != null) {
        var i = 0
        while (i < n) {
          distances(first + done + i) =
            if (isDot) 1 + scores(i) else math.max(0f, scores(i) + square(shifted, i))
          i += 1
        }
      }
      done += n
    }
  }

  private def shift(vectors: Array[Float], first: Int, n: Int, out: Array[Float]): Unit = {
    var i = 0
    while (i < n) {
      val from = (first + i) * dimension
      var d = 0
      while (d < dimension) {
        out(i * dimension + d) = vectors(from + d) - mean(d)
        d += 1
      }
      i += 1
    }
  }

  private def square(vectors: Array[Float], row: Int): Float = {
    var sum = 0f
    var d = row * dimension
    while (d < (row + 1) * dimension) {
      sum += vectors(d) * vectors(d)
      d += 1
    }
    sum
  }
}

private object PackedCentroids {

  /** Number of vectors that are compared with a panel at a time. */
  private val blockRows = 64

  /** Maximum number of products in memory, unless there are more centroids. */
  private val blockProducts = 1 << 17

  private def meanOf(values: Array[Float], dimension: Int, isZero: Boolean): Array[Float] = {
    val sums = new Array[Double](dimension)
    val count = values.length / dimension
    if (!isZero) values.indices.foreach(i => sums(i % dimension) += values(i))
    sums.map(sum => if (count == 0) 0f else (sum / count).toFloat)
  }
}
