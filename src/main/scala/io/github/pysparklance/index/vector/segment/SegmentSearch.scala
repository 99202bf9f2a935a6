// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.segment

import java.util.BitSet

import io.github.pysparklance.core.InvalidRequestException
import io.github.pysparklance.index.vector.distance.Metric
import io.github.pysparklance.index.vector.hnsw.GraphSearch
import io.github.pysparklance.index.vector.ivf.ProbePolicy
import io.github.pysparklance.index.vector.quantizer.RowDistances
import io.github.pysparklance.index.vector.search._

/** Searches the partitions of a segment for the vectors nearest to a query. The caller loads the
  * partitions, so that several queries can share them. Not thread-safe. Hot code:
  * imperative.
  *
  * @param query query with bounds on the scale of the segment
  * @param mask mask of rows, in the form of the result
  * @param buffers buffers, which other searches of the same thread may share
  */
final class SegmentSearch(
    segment: VectorSegment,
    vector: QueryVector,
    query: VectorQuery,
    mask: RowMask,
    statistics: SearchStatistics,
    buffers: SearchBuffers = new SearchBuffers
) {
  import SearchBuffers.{blockRows, boundRows}
  import buffers.{out, survivors}

  if (vector.dimension != segment.dimension)
    throw new InvalidRequestException(
      s"the query vector has ${vector.dimension} dimensions; the index has vectors of ${segment.dimension}"
    )

  private val normalized = if (segment.metric == Metric.Cosine) vector.normalized else vector
  private val prepared = segment.quantizer.prepare(normalized, query.approxMode)
  private lazy val ranked = segment.centroids.rank(normalized, segment.metric, segment.kernels)
  private val lower = query.lowerBound.getOrElse(Float.NegativeInfinity)
  private val upper = query.upperBound.getOrElse(Float.PositiveInfinity)
  private val hasBounds = query.lowerBound.isDefined || query.upperBound.isDefined

  /** Number of partitions that a search may probe. */
  lazy val maxProbes: Int =
    if (mask.isEmpty) 0
    else math.min(query.mostProbes.getOrElse(ranked.numPartitions), ranked.numPartitions)

  /** Number of partitions to probe at first. */
  lazy val initialProbes: Int =
    math.min(maxProbes, if (mask.isEmpty) 0 else ProbePolicy.initial(query, segment.metric, ranked))

  /** Returns the number of the partition at a rank. Partitions with near centroids are first. */
  def partition(rank: Int): Int = ranked.partition(rank)

  /** Returns the distance of the centroid at a rank. */
  def distance(rank: Int): Float = ranked.distance(rank)

  /** Searches the graph of a partition, or compares all vectors if it has no graph.
    *
    * @param number number of the partition
    * @param distance distance of its centroid
    * @param rows rows of the partition, in the form of the result
    */
  def probe(
      number: Int,
      distance: Float,
      partition: VectorPartition,
      rows: Array[Long],
      top: TopRows
  ): Unit =
    if (partition.graph.isDefined) {
      val distances = prepared.distances(number, distance, partition.codes)
      walk(partition, rows, distances, top)
    } else compareAll(number, distance, partition, rows, top)

  /** Compares all vectors of a partition, even if it has a graph. Used if a search found too few
    * rows, because a graph search does not reach all nodes that a mask accepts.
    */
  def compareAll(
      number: Int,
      distance: Float,
      partition: VectorPartition,
      rows: Array[Long],
      top: TopRows
  ): Unit = scan(partition, rows, prepared.distances(number, distance, partition.codes), top)

  private def scan(
      partition: VectorPartition,
      rows: Array[Long],
      distances: RowDistances,
      top: TopRows
  ): Unit = {
    statistics.probed(rows.length.toLong)
    val acceptsAll = isAccepted(partition, rows)
    if (distances.hasLowerBounds) scanBounds(rows, distances, acceptsAll, top)
    else {
      var worst = top.worst
      var from = 0
      while (from < rows.length) {
        val numRows = math.min(blockRows, rows.length - from)
        distances.fill(from, numRows, out)
        var i = 0
        while (i < numRows) {
          val distance = out(i)
          if (
            !(distance > worst) && !distance.isNaN && (!hasBounds || distance >= lower && distance < upper) &&
            (acceptsAll || mask.accepts(rows(from + i)))
          ) {
            top.offer(distance, rows(from + i))
            worst = top.worst
          }
          i += 1
        }
        from += numRows
      }
    }
  }

  /** Computes distances only for rows that may be near enough. */
  private def scanBounds(
      rows: Array[Long],
      distances: RowDistances,
      acceptsAll: Boolean,
      top: TopRows
  ): Unit = {
    var from = 0
    while (from < rows.length) {
      val numRows = math.min(boundRows, rows.length - from)
      distances.fill(from, numRows, out)
      val worst = top.worst
      var count = 0
      var i = 0
      while (i < numRows) {
        val bound = out(i)
        if (!(bound > worst) && !(bound >= upper) && (acceptsAll || mask.accepts(rows(from + i)))) {
          survivors(count) = from + i
          count += 1
        }
        i += 1
      }
      distances.gather(survivors, count, out)
      i = 0
      while (i < count) {
        val distance = out(i)
        if (!distance.isNaN && (!hasBounds || distance >= lower && distance < upper))
          top.offer(distance, rows(survivors(i)))
        i += 1
      }
      from += numRows
    }
  }

  /** Searches the graph. If the mask accepts only few rows, compares all of these instead. */
  private def walk(
      partition: VectorPartition,
      rows: Array[Long],
      distances: RowDistances,
      top: TopRows
  ): Unit = {
    val graph = partition.graph.get
    val (accepted, numAccepted) = acceptedOf(partition, rows)
    if (numAccepted > 0) {
      if (accepted != null && numAccepted < graph.numNodes * 10L / 100)
        scan(partition, rows, distances, top)
      else {
        val search = new GraphSearch(graph, distances, accepted, lower, upper)
        search.run(query.numCandidates, query.graphCandidates) { (node, distance) =>
          if (!distance.isNaN) top.offer(distance, rows(node))
        }
        statistics.probed(search.numCompared)
      }
    }
  }

  /** Returns the accepted vectors and their number; null for all vectors. */
  private def acceptedOf(partition: VectorPartition, rows: Array[Long]): (BitSet, Int) =
    if (isAccepted(partition, rows)) (null, rows.length)
    else {
      val accepted = new BitSet(rows.length)
      var count = 0
      var i = 0
      while (i < rows.length) {
        if (mask.accepts(rows(i))) {
          accepted.set(i)
          count += 1
        }
        i += 1
      }
      if (count == rows.length) (null, count) else (accepted, count)
    }

  /** Whether the mask certainly accepts all rows of a partition. */
  private def isAccepted(partition: VectorPartition, rows: Array[Long]): Boolean =
    (rows eq partition.rows) && mask.acceptsAll(partition.uppers)
}

/** Reusable arrays of a search. Not thread-safe. */
final class SearchBuffers {
  private[segment] val out = new Array[Float](SearchBuffers.blockRows)
  private[segment] val survivors = new Array[Int](SearchBuffers.boundRows)
}

private object SearchBuffers {

  /** Number of rows whose distances are computed at a time. */
  val blockRows = 1024

  /** Number of rows whose lower bounds are computed at a time. A small number, so that later rows
    * are compared with near ones.
    */
  val boundRows = 256
}
