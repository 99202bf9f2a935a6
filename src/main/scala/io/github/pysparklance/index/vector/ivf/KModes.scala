// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.ivf

import java.util.SplittableRandom

import io.github.pysparklance.index.vector.distance.Kernels

/** Trains centroids of bit vectors. Works like k-means, with the Hamming distance and the more
  * frequent value of each bit. Deterministic.
  *
  * @param dimension number of bytes of a vector
  */
final class KModes(dimension: Int, maxIterations: Int, seed: Long = KMeans.defaultSeed) {

  /** Trains centroids.
    *
    * @param data bytes of at least one vector, vector by vector
    */
  def train(data: Array[Byte], k: Int): Array[Byte] = {
    val numVectors = data.length / dimension
    val random = new SplittableRandom(seed)
    val centroids = new Array[Byte](k * dimension)
    (0 until k).foreach(c => copy(data, random.nextInt(numVectors), centroids, c))
    val members = new Array[Int](numVectors)
    var before = Long.MaxValue
    var i = 0
    var isDone = false
    while (i < maxIterations && !isDone) {
      if (Thread.interrupted()) throw new InterruptedException
      val loss = KModes.assign(data, centroids, dimension, members)
      update(data, members, centroids, random)
      isDone = loss == before
      before = loss
      i += 1
    }
    centroids
  }

  /** An empty cluster receives a random vector. */
  private def update(
      data: Array[Byte],
      members: Array[Int],
      centroids: Array[Byte],
      random: SplittableRandom
  ): Unit = {
    val k = centroids.length / dimension
    val ones = new Array[Int](k * dimension * 8)
    val counts = new Array[Int](k)
    members.indices.foreach { v =>
      val c = members(v)
      counts(c) += 1
      var bit = 0
      while (bit < dimension * 8) {
        ones(c * dimension * 8 + bit) += data(v * dimension + (bit >> 3)) >> (bit & 7) & 1
        bit += 1
      }
    }
    (0 until k).foreach { c =>
      if (counts(c) == 0) copy(data, random.nextInt(members.length), centroids, c)
      else
        (0 until dimension).foreach { b =>
          val bits = (0 until 8).filter(i => 2 * ones((c * dimension + b) * 8 + i) > counts(c))
          centroids(c * dimension + b) = bits.foldLeft(0)((byte, i) => byte | 1 << i).toByte
        }
    }
  }

  private def copy(data: Array[Byte], vector: Int, centroids: Array[Byte], c: Int): Unit =
    System.arraycopy(data, vector * dimension, centroids, c * dimension, dimension)
}

object KModes {

  /** Finds the nearest centroids.
    *
    * @param vectors bytes of at most `nearest.length` vectors, vector by vector
    * @param nearest receives the centroid number of each vector
    * @return the sum of the distances
    */
  def assign(
      vectors: Array[Byte],
      centroids: Array[Byte],
      dimension: Int,
      nearest: Array[Int]
  ): Long = assign(
    vectors,
    centroids,
    dimension,
    nearest,
    math.min(nearest.length, vectors.length / dimension)
  )

  /** @param numVectors vectors to assign */
  def assign(
      vectors: Array[Byte],
      centroids: Array[Byte],
      dimension: Int,
      nearest: Array[Int],
      numVectors: Int
  ): Long = {
    val k = centroids.length / dimension
    val distances = new Array[Float](k)
    val query = new Array[Byte](dimension)
    var loss = 0L
    var v = 0
    while (v < numVectors) {
      System.arraycopy(vectors, v * dimension, query, 0, dimension)
      Kernels.best.hamming(query, centroids, 0, null, k, distances)
      var best = 0
      var c = 1
      while (c < k) {
        if (distances(c) < distances(best)) best = c
        c += 1
      }
      nearest(v) = best
      loss += distances(best).toLong
      v += 1
    }
    loss
  }
}
