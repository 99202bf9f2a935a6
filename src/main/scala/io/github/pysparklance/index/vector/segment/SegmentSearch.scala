// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.segment

import java.util.BitSet

import io.github.pysparklance.core.{Interrupts, InvalidRequestException}
import io.github.pysparklance.index.spi.IndexFiles
import io.github.pysparklance.index.vector.distance.Metric
import io.github.pysparklance.index.vector.hnsw.GraphSearch
import io.github.pysparklance.index.vector.ivf.ProbePolicy
import io.github.pysparklance.index.vector.quantizer.RowDistances
import io.github.pysparklance.index.vector.search._

/** Searches a segment for the vectors that are nearest to a query, partition by partition, those with near centroids
  * first. Not thread-safe. Hot code: imperative.
  *
  * @param query with bounds on the scale of the segment
  * @param mask of rows as `rowsOf` returns them
  * @param rowsOf rows of a partition by its number, as the result is to have them
  */
final class SegmentSearch(
    segment: VectorSegment,
    files: IndexFiles,
    vector: QueryVector,
    query: VectorQuery,
    mask: RowMask,
    rowsOf: (Int, VectorPartition) => Array[Long],
    statistics: SearchStatistics
) {
  import SegmentSearch._

  if (vector.dimension != segment.dimension)
    throw new InvalidRequestException(
      s"a query vector of ${vector.dimension} dimensions; the index has vectors of ${segment.dimension}"
    )

  private val normalized = if (segment.metric == Metric.Cosine) vector.normalized else vector
  private val prepared = segment.quantizer.prepare(normalized, query.approxMode)
  private val ranked = segment.centroids.rank(normalized, segment.metric, segment.kernels)
  private val most =
    math.min(query.mostProbes.getOrElse(ranked.numPartitions), ranked.numPartitions)
  private val lower = query.lowerBound.getOrElse(Float.NegativeInfinity)
  private val upper = query.upperBound.getOrElse(Float.PositiveInfinity)
  private val hasBounds = query.lowerBound.isDefined || query.upperBound.isDefined
  private val out = new Array[Float](blockRows)
  private val survivors = new Array[Int](blockRows)
  // the row id, the code, and an estimate for the neighbors
  private val bytesPerVector =
    8L + segment.quantizer.bytesPerVector + (if (segment.hasGraphs) graphBytes else 0L)
  private var next = 0

  /** Searches the partitions that come first. */
  def begin(top: TopRows): Unit =
    if (!mask.isEmpty) probe(ProbePolicy.initial(query, segment.metric, ranked), top)

  /** Searches a few more partitions, the more the more there were.
    *
    * @return whether there were any left
    */
  def advance(top: TopRows): Boolean = !mask.isEmpty && next < most && {
    probe(math.max(1, math.min(next / 4, partitionsAtATime)), top)
    true
  }

  /** Compares all vectors of the partitions that were searched by their graphs. For searches that found too few rows:
    * walks do not reach all nodes that a mask accepts.
    */
  def compareAll(top: TopRows): Unit =
    if (segment.hasGraphs && !mask.isEmpty) visit(0, next)((partition, rows, distances) =>
      scan(partition, rows, distances, top)
    )

  private def probe(numPartitions: Int, top: TopRows): Unit = {
    val until = math.min(next + numPartitions, most)
    visit(next, until) { (partition, rows, distances) =>
      partition.graph match {
        case Some(_) => walk(partition, rows, distances, top)
        case None => scan(partition, rows, distances, top)
      }
    }
    next = until
  }

  /** Loads partitions by their ranks, a bounded number of bytes at a time. */
  private def visit(from: Int, until: Int)(
      f: (VectorPartition, Array[Long], RowDistances) => Unit
  ): Unit = {
    var rank = from
    while (rank < until) {
      Interrupts.check(s"a search of ${files.path}")
      val first = rank
      var numBytes = 0L
      while (rank < until && (rank == first || numBytes < bytesAtATime)) {
        numBytes += segment.numVectors(ranked.partition(rank)) * bytesPerVector
        rank += 1
      }
      val ranks = (first until rank).filter(r => segment.numVectors(ranked.partition(r)) > 0)
      val loaded = segment.load(files, ranks.map(ranked.partition))
      ranks.zip(loaded).foreach { case (r, partition) =>
        val number = ranked.partition(r)
        val distances = prepared.distances(number, ranked.distance(r), partition.codes)
        f(partition, rowsOf(number, partition), distances)
      }
    }
  }

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

  /** Computes distances of those rows only that may be near enough. */
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

  /** Follows the graph, unless so few rows are accepted that all of them are compared. */
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

  /** The vectors whose rows the mask accepts, and how many; null: all. */
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

  /** Whether the mask is known to accept all rows of a partition. */
  private def isAccepted(partition: VectorPartition, rows: Array[Long]): Boolean =
    (rows eq partition.rows) && mask.acceptsAll(partition.uppers)
}

private object SegmentSearch {

  /** Rows whose distances are computed at a time. */
  private val blockRows = 1024

  /** Rows whose lower bounds are computed at a time. Few, so that later rows are compared with near ones. */
  private val boundRows = 256

  /** Partitions that are searched at a time when rows lack. */
  private val partitionsAtATime = 64

  /** Bytes of the neighbors of a vector in a graph: 40 numbers. */
  private val graphBytes = 160L

  /** Bytes of row ids, codes, and graphs that are loaded at a time, unless a single partition has more. */
  private val bytesAtATime = 64L << 20
}
