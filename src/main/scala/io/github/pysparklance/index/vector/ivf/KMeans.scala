// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.ivf

import java.util.SplittableRandom

import scala.collection.mutable

import io.github.pysparklance.core.Workers
import io.github.pysparklance.index.vector.distance.{DistanceKernels, Kernels}

/** Trains centroids by k-means. Deterministic for a seed and a number of threads.
  *
  * Up to 256 centroids are trained by Lloyd's algorithm. More centroids are trained level by level:
  * a few clusters at first. Each cluster is divided into a number of centroids that is proportional
  * to its vectors. Iterations over all centroids then adjust the borders between clusters.
  *
  * @param isDot whether vectors belong to the centroid with the greatest inner product. Centroids
  *   then have length one
  * @param maxIterations maximum number of iterations of Lloyd's algorithm
  * @param threads parallel threads
  */
final class KMeans(
    dimension: Int,
    isDot: Boolean,
    maxIterations: Int,
    threads: Int = 1,
    seed: Long = KMeans.defaultSeed,
    kernels: DistanceKernels = Kernels.best
) {
  import KMeans._

  /** Trains centroids.
    *
    * @param data elements of finite vectors, vector by vector
    * @param k number of centroids. If there are fewer vectors, centroids repeat
    * @return elements of the centroids, centroid by centroid
    */
  def train(data: Array[Float], k: Int): Array[Float] = {
    val numVectors = data.length / dimension
    require(numVectors > 0 && k > 0, s"$k centroids of $numVectors vectors")
    val random = new SplittableRandom(seed)
    if (k <= flatCentroids) lloyd(data, initial(data, k, random), maxIterations)
    else {
      val leaves = mutable.ArrayBuffer.empty[Array[Float]]
      divide(data, Array.range(0, numVectors), k, random, leaves)
      while (leaves.length < k) leaves += row(data, random.nextInt(numVectors))
      lloyd(data, leaves.iterator.take(k).flatten.toArray, refinements)
    }
  }

  /** Returns the sum of the distances of vectors to their centroids. */
  def loss(data: Array[Float], centroids: Array[Float]): Double =
    assigned(data, centroids)._2.iterator.map(_.toDouble).sum

  /** Divides the vectors of a cluster among its share of the centroids.
    *
    * @param rows numbers of the vectors
    */
  private def divide(
      data: Array[Float],
      rows: Array[Int],
      quota: Int,
      random: SplittableRandom,
      leaves: mutable.ArrayBuffer[Array[Float]]
  ): Unit = {
    val isLeaf = quota <= leafCentroids
    val count = math.min(if (isLeaf) quota else branches, rows.length)
    if (count > 0) {
      val centroids = {
        val sample = gathered(data, strided(rows, sampleRows * count))
        lloyd(sample, initial(sample, count, random), math.min(maxIterations, nodeIterations))
      }
      if (isLeaf) (0 until count).foreach(c => leaves += row(centroids, c))
      else {
        val its = gathered(data, rows)
        val members = assigned(its, centroids)._1
        val sizes = new Array[Int](count)
        members.foreach(c => sizes(c) += 1)
        val quotas = shares(sizes, quota)
        val groups = sizes.map(new Array[Int](_))
        val filled = new Array[Int](count)
        rows.indices.foreach { i =>
          val c = members(i)
          groups(c)(filled(c)) = rows(i)
          filled(c) += 1
        }
        groups.indices.foreach { c =>
          // Equal vectors cannot be divided.
          if (sizes(c) == rows.length) (0 until quota).foreach(_ => leaves += row(centroids, c))
          else if (quotas(c) > 0) divide(data, groups(c), quotas(c), random, leaves)
        }
      }
    }
  }

  /** Runs Lloyd's algorithm from initial centroids. */
  private def lloyd(data: Array[Float], start: Array[Float], iterations: Int): Array[Float] = {
    var centroids = if (isDot) normalized(start) else start
    var before = Double.MaxValue
    var i = 0
    var isDone = false
    while (i < iterations && !isDone) {
      if (Thread.interrupted()) throw new InterruptedException
      val (members, distances) = assigned(data, centroids)
      val loss = distances.iterator.map(_.toDouble).sum
      centroids = means(data, members, centroids.length / dimension)
      isDone = loss == 0 || math.abs(before - loss) < tolerance * math.abs(loss)
      before = loss
      i += 1
    }
    centroids
  }

  /** Finds the nearest centroid of each vector, and the distance to it: squared, or one less the
    * inner product.
    */
  def assigned(
      data: Array[Float],
      centroids: Array[Float]
  ): (Array[Int], Array[Float]) = {
    val numVectors = data.length / dimension
    val members = new Array[Int](numVectors)
    val distances = new Array[Float](numVectors)
    val packed = new PackedCentroids(dimension, centroids, isDot, kernels)
    Workers.map(chunks(numVectors), threads) { case (from, until) =>
      packed.nearest(data, from, until - from, members, distances)
    }: Unit
    (members, distances)
  }

  /** Returns the means of all clusters. An empty cluster receives half of the largest cluster. */
  private def means(data: Array[Float], members: Array[Int], k: Int): Array[Float] = {
    val parts = Workers.map(chunks(members.length), threads) { case (from, until) =>
      val sums = new Array[Double](k * dimension)
      val counts = new Array[Int](k)
      var i = from
      while (i < until) {
        val c = members(i)
        counts(c) += 1
        var d = 0
        while (d < dimension) {
          sums(c * dimension + d) += data(i * dimension + d)
          d += 1
        }
        i += 1
      }
      (sums, counts)
    }
    val (sums, counts) = parts.reduceLeft { (a, b) =>
      b._1.indices.foreach(i => a._1(i) += b._1(i))
      b._2.indices.foreach(i => a._2(i) += b._2(i))
      a
    }
    val centroids = Array.tabulate(sums.length) { i =>
      val count = counts(i / dimension)
      if (count == 0) 0f else (sums(i) / count).toFloat
    }
    fillEmpty(centroids, counts)
    if (isDot) normalized(centroids) else centroids
  }

  /** Moves each empty cluster beside the largest one. */
  private def fillEmpty(centroids: Array[Float], counts: Array[Int]): Unit =
    counts.indices.filter(counts(_) == 0).foreach { empty =>
      val largest = counts.indices.maxBy(counts(_))
      if (counts(largest) > 1) {
        counts(empty) = counts(largest) / 2
        counts(largest) -= counts(empty)
        (0 until dimension).foreach { d =>
          val value = centroids(largest * dimension + d)
          val change = if (d % 2 == 0) 1f / 1024 else -1f / 1024
          centroids(empty * dimension + d) = value * (1 + change)
          centroids(largest * dimension + d) = value * (1 - change)
        }
      }
    }

  /** Scales vectors to length 1. Vectors of zeros are unchanged. */
  private def normalized(vectors: Array[Float]): Array[Float] = {
    val out = vectors.clone()
    (0 until vectors.length / dimension).foreach { v =>
      val from = v * dimension
      val norm = math.sqrt((from until from + dimension).iterator.map { i =>
        out(i).toDouble * out(i)
      }.sum)
      if (norm > 0) (from until from + dimension).foreach(i => out(i) = (out(i) / norm).toFloat)
    }
    out
  }

  /** Returns different random vectors, repeated if there are too few. */
  private def initial(data: Array[Float], k: Int, random: SplittableRandom): Array[Float] = {
    val numVectors = data.length / dimension
    val order = Array.range(0, numVectors)
    // the first steps of a shuffle
    (0 until math.min(k, numVectors)).foreach { i =>
      val j = i + random.nextInt(numVectors - i)
      val other = order(i)
      order(i) = order(j)
      order(j) = other
    }
    gathered(data, Array.tabulate(k)(i => order(i % numVectors)))
  }

  private def row(vectors: Array[Float], number: Int): Array[Float] =
    java.util.Arrays.copyOfRange(vectors, number * dimension, (number + 1) * dimension)

  private def gathered(data: Array[Float], rows: Array[Int]): Array[Float] = {
    val out = new Array[Float](rows.length * dimension)
    rows.indices.foreach { i =>
      System.arraycopy(data, rows(i) * dimension, out, i * dimension, dimension)
    }
    out
  }

  private def chunks(numVectors: Int): IndexedSeq[(Int, Int)] = {
    val parts = math.max(1, math.min(threads, numVectors / leastRowsPerThread))
    (0 until parts).map(i =>
      ((numVectors.toLong * i / parts).toInt, (numVectors.toLong * (i + 1) / parts).toInt)
    )
  }
}

object KMeans {
  val defaultSeed: Long = 42L

  /** Maximum number of centroids that are trained in one level. */
  private val flatCentroids = 256

  private val branches = 16

  /** Maximum number of centroids into which a cluster is divided directly. */
  private val leafCentroids = 32

  /** Number of training vectors per centroid of a division. */
  private val sampleRows = 512
  private val nodeIterations = 20
  private val refinements = 2
  private val tolerance = 1e-4
  private val leastRowsPerThread = 1024

  /** Returns every n-th number, at most `most` numbers. */
  private def strided(rows: Array[Int], most: Int): Array[Int] =
    if (rows.length <= most) rows
    else Array.tabulate(most)(i => rows((i.toLong * rows.length / most).toInt))

  /** Divides `quota` in proportion to sizes. A share does not exceed its size. */
  private[ivf] def shares(sizes: Array[Int], quota: Int): Array[Int] = {
    val total = sizes.iterator.map(_.toLong).sum
    val found = sizes.map(size => math.min(quota * size.toLong / total, size.toLong).toInt)
    var left = math.min(quota.toLong, total) - found.iterator.map(_.toLong).sum
    val order = sizes.indices.sortBy(i => -(quota * sizes(i).toLong % total))
    while (left > 0)
      order.foreach { i =>
        if (left > 0 && found(i) < sizes(i)) {
          found(i) += 1
          left -= 1
        }
      }
    found
  }
}
