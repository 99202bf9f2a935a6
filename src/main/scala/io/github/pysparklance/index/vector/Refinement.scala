// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector

import io.github.pysparklance.core.IntValues
import io.github.pysparklance.index.vector.distance.{Metric, QueryDistance}
import io.github.pysparklance.index.vector.search._

/** Computes the true distances of the candidates that an index search found.
  *
  * Source: format page of indices, "Search and distances".
  */
object Refinement {

  /** Sorts the rows of an index search by their true distances.
    *
    * For a row of several vectors, the distance is the sum, over the query vectors, of the distance
    * to the nearest vector of the row.
    *
    * @param vectors query vectors; one unless the column has lists of vectors
    * @param query parameters of the search; its bounds apply to the true distances
    * @param source source of the vectors
    * @return rows within the bounds, nearest first, at most `k`
    */
  def apply(
      candidate: VectorResult,
      column: VectorColumn,
      vectors: Seq[QueryVector],
      metric: Metric,
      query: VectorQuery,
      source: VectorSource,
      statistics: SearchStatistics
  ): VectorResult =
    all(IndexedSeq(candidate), column, IndexedSeq(vectors), metric, query, source, statistics).head

  /** Sorts the rows of several searches. Reads the vectors of a row once for all searches.
    *
    * @param queries the vectors of each query, with the other parameters of [[apply]]
    */
  def all(
      candidates: IndexedSeq[VectorResult],
      column: VectorColumn,
      queries: IndexedSeq[Seq[QueryVector]],
      metric: Metric,
      query: VectorQuery,
      source: VectorSource,
      statistics: SearchStatistics
  ): IndexedSeq[VectorResult] = {
    val refined = candidates.indices.map { i =>
      statistics.refined(candidates(i).rows.numRows.toLong)
      new Refined(candidates(i), column, queries(i), metric, query)
    }
    val addresses = distinct(candidates)
    val rowsAtATime = math.max(256L, bytesAtATime / column.numBytes).toInt
    var from = 0
    while (from < addresses.length) {
      val until = math.min(from.toLong + rowsAtATime, addresses.length.toLong).toInt
      val some = java.util.Arrays.copyOfRange(addresses, from, until)
      val stored = source.read(some)
      refined.foreach(_.add(some, stored))
      from = until
    }
    refined.map(_.result)
  }

  /** Returns the distinct addresses of all found rows in ascending unsigned order. */
  private def distinct(candidates: IndexedSeq[VectorResult]): Array[Long] = {
    val all = candidates match {
      case IndexedSeq(one) => one.addresses.clone()
      case several => several.iterator.flatMap(_.addresses.iterator).toArray
    }
    java.util.Arrays.sort(all)
    var n = 0
    all.indices.foreach { i =>
      if (i == 0 || all(i) != all(i - 1)) {
        all(n) = all(i)
        n += 1
      }
    }
    // Fragment ids have 32 bits, so an address may be negative.
    val firstPositive = math.max(0, all.iterator.take(n).indexWhere(_ >= 0))
    all.slice(firstPositive, n) ++ all.take(firstPositive)
  }

  /** The candidates of a search. Rows are added in the order of their addresses. */
  final private class Refined(
      candidate: VectorResult,
      column: VectorColumn,
      vectors: Seq[QueryVector],
      metric: Metric,
      query: VectorQuery
  ) {
    private val distances = vectors.map(v => QueryDistance(metric, column.elementType, v.values))
    private val order =
      Array.range(0, candidate.rows.numRows).sortBy(i => candidate.addresses(i) ^ Long.MinValue)
    private val top = new TopRows(query.k)
    private var next = 0

    /** Compares the candidates among some rows.
      *
      * @param addresses ascending as unsigned numbers
      */
    def add(addresses: Array[Long], stored: StoredVectors): Unit = {
      val first = next
      val rows = new IntValues
      var at = 0
      while (next < order.length && at < addresses.length)
        if (addresses(at) != candidate.addresses(order(next))) at += 1
        else {
          rows.append(at)
          next += 1
        }
      if (next > first) offer(first, rows.array, stored)
    }

    private def offer(first: Int, rows: Array[Int], stored: StoredVectors): Unit = {
      val numRows = next - first
      val positions = new IntValues
      (0 until numRows).foreach { i =>
        (0 until stored.counts(rows(i))).foreach(v => positions.append(stored.first(rows(i)) + v))
      }
      val sums = new Array[Float](numRows)
      val all = new Array[Float](positions.numItems)
      distances.foreach { distance =>
        distance(stored.items, 0, positions.array, all.length, all)
        var at = 0
        var i = 0
        while (i < numRows) {
          // Rows without a vector have no distance.
          var nearest = Float.NaN
          val end = at + stored.counts(rows(i))
          while (at < end) {
            if (nearest.isNaN || all(at) < nearest) nearest = all(at)
            at += 1
          }
          sums(i) += nearest
          i += 1
        }
      }
      (0 until numRows).foreach { i =>
        if (!sums(i).isNaN && query.isInRange(sums(i)))
          top.offer(sums(i), candidate.rows.rows(order(first + i)))
      }
    }

    def result: VectorResult = {
      val found = top.result()
      val addressOf = candidate.rows.rows.zip(candidate.addresses).toMap
      new VectorResult(
        found,
        found.rows.map(addressOf),
        DistanceScale.OfMetric,
        candidate.uses,
        candidate.uncovered
      )
    }
  }

  /** Maximum bytes of vectors in memory. */
  private val bytesAtATime = 8L << 20
}
