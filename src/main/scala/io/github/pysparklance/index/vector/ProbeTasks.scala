// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector

import java.util.UUID

import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.index.vector.search.{FoundRows, VectorQuery}

/** Searches partitions of an index in the tasks of an engine. */
trait ProbeTasks {

  /** Searches that read at most this number of bytes run in this process. Cached partitions are not
    * read.
    */
  def bytesHere: Long

  /** Number of tasks that run at the same time. */
  def parallelism: Int

  /** Searches partitions by [[VectorIndices.probe]].
    *
    * @return its results, in the order of `work`
    */
  def run(work: IndexedSeq[ProbeWork]): IndexedSeq[Option[IndexedSeq[FoundRows]]]
}

/** Partitions of a segment that a task searches.
  *
  * @param covered ids of the fragments whose rows may be found
  * @param query for each vector, with bounds in the unit of the metric
  * @param vectors the query vectors that probe the partitions
  * @param comparesAll whether all vectors of the partitions are compared, also if they have graphs
  */
final class ProbeWork(
    val segment: UUID,
    val covered: RoaringBitmap,
    val query: VectorQuery,
    val vectors: IndexedSeq[VectorProbes],
    val comparesAll: Boolean
) extends Serializable

/** Partitions that a query vector probes. Tasks do not rank centroids again: their kernels may
  * round differently, and rank near ties in another order.
  *
  * @param vector elements of the query vector
  * @param partitions numbers of the partitions
  * @param distances distance of the vector to the centroid of each partition
  */
final class VectorProbes(
    val vector: Array[Double],
    val partitions: Array[Int],
    val distances: Array[Float]
) extends Serializable
