// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector

import io.github.pysparklance.index.vector.distance.{Metric, QueryDistance}
import io.github.pysparklance.index.vector.search._

/** Compares candidates of an index again, by their true distances.
  *
  * Source: format page of indices, "Search and distances".
  */
object Refinement {

  /** Sorts the rows of an index search by their true distances.
    *
    * The distance of a row of several vectors is the sum over the query vectors of the distance to the nearest one.
    *
    * @param vectors the query, one vector unless the column has lists of vectors
    * @param query its bounds apply to the true distances
    * @param source of the vectors
    * @return rows within the bounds, nearest first, at most `k`
    */
  def apply(
      answer: VectorAnswer,
      column: VectorColumn,
      vectors: Seq[QueryVector],
      metric: Metric,
      query: VectorQuery,
      source: VectorSource,
      statistics: SearchStatistics
  ): VectorAnswer = {
    val numRows = answer.rows.numRows
    statistics.refined(numRows.toLong)
    val top = new TopRows(query.k)
    val order = Array.range(0, numRows).sortBy(i => answer.addresses(i) ^ Long.MinValue)
    order.grouped(rowsAtATime).foreach { some =>
      val sums = distances(some.map(answer.addresses), column, vectors, metric, source)
      some.indices.foreach { i =>
        // Rows without a vector and vectors with NaN have no distance.
        if (!sums(i).isNaN && query.isInRange(sums(i)))
          top.offer(sums(i), answer.rows.rows(some(i)))
      }
    }
    val found = top.result()
    val addressOf = answer.rows.rows.zip(answer.addresses).toMap
    new VectorAnswer(
      found,
      found.rows.map(addressOf),
      DistanceScale.OfMetric,
      answer.uses,
      answer.uncovered
    )
  }

  /** Distances of some rows, NaN for rows without a vector. */
  private def distances(
      addresses: Array[Long],
      column: VectorColumn,
      vectors: Seq[QueryVector],
      metric: Metric,
      source: VectorSource
  ): Array[Float] = {
    val stored = source.read(addresses)
    val numRows = addresses.length
    val sums = new Array[Float](numRows)
    vectors.foreach { vector =>
      val distance = QueryDistance(metric, column.elementType, vector.values)
      val all = new Array[Float](stored.items.numItems / column.dimension)
      distance(stored.items, 0, null, all.length, all)
      (0 until numRows).foreach { i =>
        var nearest = Float.NaN
        (stored.first(i) until stored.first(i) + stored.counts(i)).foreach { v =>
          if (nearest.isNaN || all(v) < nearest) nearest = all(v)
        }
        sums(i) += nearest
      }
    }
    sums
  }

  /** Rows whose vectors are in memory at a time. */
  private val rowsAtATime = 4096
}
