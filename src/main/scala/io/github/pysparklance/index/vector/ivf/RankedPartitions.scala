// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.ivf

/** Partitions by the distance of their centroids to a query, nearest first.
  *
  * @param partitions numbers of the partitions
  * @param distances distance of each partition, ascending
  */
final class RankedPartitions(partitions: Array[Int], distances: Array[Float]) {

  def numPartitions: Int = partitions.length

  /** The partition at a rank, from 0. */
  def partition(rank: Int): Int = partitions(rank)

  /** The distance of the centroid at a rank. */
  def distance(rank: Int): Float = distances(rank)

  /** Returns the number of leading partitions whose distances satisfy a monotonic condition. */
  def count(holds: Float => Boolean): Int =
    io.github.pysparklance.core.Search.first(0, numPartitions)(i => !holds(distances(i)))
}

object RankedPartitions {

  /** Ranks partitions. Ties are ordered by number, and NaN is last.
    *
    * @param distances distance of each partition
    */
  def of(distances: Array[Float]): RankedPartitions = {
    val keys = new Array[Long](distances.length)
    var i = 0
    while (i < keys.length) {
      val bits = java.lang.Float.floatToIntBits(distances(i))
      // same order as the floats
      val ordered = bits ^ ((bits >> 31) & 0x7fffffff)
      keys(i) = ordered.toLong << 32 | i
      i += 1
    }
    java.util.Arrays.sort(keys)
    val partitions = new Array[Int](keys.length)
    val sorted = new Array[Float](keys.length)
    i = 0
    while (i < keys.length) {
      partitions(i) = keys(i).toInt
      sorted(i) = distances(partitions(i))
      i += 1
    }
    new RankedPartitions(partitions, sorted)
  }
}
