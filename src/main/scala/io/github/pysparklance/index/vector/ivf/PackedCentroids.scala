// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.ivf

import io.github.pysparklance.index.vector.distance.{DistanceKernels, Kernels}

/** Finds the nearest centroid of many vectors by a matrix product. Immutable and
  * thread-safe. Hot code: imperative.
  *
  * Squared distances are computed as `|x|² - 2 x·c + |c|²`. Vectors and centroids are shifted by the
  * mean of the centroids first, so that vectors far from the origin do not cancel out.
  *
  * The product is computed by [[DistanceKernels.products]] instead of a BLAS library: centroids stay
  * packed in the processor's cache, and the engine has no further dependency.
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
  private val offsets = new Array[Float](numCentroids)
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
    * @param nearest receives the centroid number of each vector, from index `first`
    * @param distances receives the squared distances, or 1 − inner product; null if not needed
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
    var done = 0
    while (done < numVectors) {
      val n = math.min(atATime, numVectors - done)
      shift(vectors, first + done, n, shifted)
      kernels.products(shifted, 0, n, dimension, panels, numPanels, products)
      var i = 0
      while (i < n) {
        val at = first + done + i
        val (best, score) = least(products, i * stride)
        nearest(at) = best
        if (distances != null)
          distances(at) = if (isDot) 1 + score else math.max(0f, score + square(shifted, i))
        i += 1
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

  /** The best centroid and its score; the first one if no score is a number. */
  private def least(products: Array[Float], from: Int): (Int, Float) = {
    val factor = if (isDot) -1f else -2f
    var best = 0
    var score = Float.PositiveInfinity
    var c = 0
    while (c < numCentroids) {
      val s = offsets(c) + factor * products(from + c)
      if (s < score) {
        score = s
        best = c
      }
      c += 1
    }
    (best, score)
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
