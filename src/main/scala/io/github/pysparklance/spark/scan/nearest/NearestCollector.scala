// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

// Hot code.
package io.github.pysparklance.spark.scan.nearest

import io.github.pysparklance.core.Values
import io.github.pysparklance.index.vector.distance.QueryDistance
import io.github.pysparklance.spark.vectors.LanceVector

/** Collects the nearest rows of a task to one query. Skips null vectors, and vectors with a null
  * element. [[UndefinedDistance]] decides on other vectors without a distance. The distance of a
  * row with several vectors is the sum, over the query vectors, of the distance to the nearest
  * vector of the row. Not thread-safe.
  *
  * @param distances computes the distances from the query vectors
  * @param query parameters of the search
  */
final private[nearest] class NearestCollector(
    distances: IndexedSeq[QueryDistance],
    dimension: Int,
    query: NearestQuery
) {
  private val found = new Neighbors.Collector(query.numCandidates)
  private val parameters = query.parameters
  private val isBounded = parameters.lowerBound.isDefined || parameters.upperBound.isDefined
  private val first = distances.head

  /** Whether the search returns no distances: joins that rank by a function, without an index. */
  private val ranksOnly = query.undefined.takesAnyQuery
  private var out = Array.emptyFloatArray

  /** Adds rows of a batch. */
  def add(
      vectors: RowVectors,
      block: RowVectors.Block,
      rowIds: LanceVector,
      addresses: LanceVector
  ): Unit =
    if (vectors.isList) addLists(vectors, block, rowIds, addresses)
    else if (vectors.items != null) {
      if (out.length < block.numRows) out = new Array[Float](block.numRows)
      val at = block.positions
      if (ranksOnly) first.ranks(vectors.items, block.first, at, block.numRows, out)
      else first(vectors.items, block.first, at, block.numRows, out)
      val checksNulls = vectors.mayHaveNulls
      var i = 0
      while (i < block.numRows) {
        val d = out(i)
        if (found.mayKeep(d)) {
          val row = block.row(i)
          if (!(checksNulls && vectors.isNull(row)))
            if (!d.isNaN) {
              if (accepts(d)) found.offer(d, rowIds.getLong(row), addresses.getLong(row))
            } else if (findsUndefined(vectors.items, row))
              found.offer(undefinedRank, rowIds.getLong(row), addresses.getLong(row))
        }
        i += 1
      }
    }

  private def addLists(
      vectors: RowVectors,
      block: RowVectors.Block,
      rowIds: LanceVector,
      addresses: LanceVector
  ): Unit = {
    var i = 0
    while (i < block.numRows) {
      val row = block.row(i)
      val numVectors = vectors.count(row)
      if (numVectors > 0) {
        val d = sum(vectors.items, vectors.first(row), numVectors, vectors.isNull)
        if (found.mayKeep(d) && accepts(d))
          found.offer(d, rowIds.getLong(row), addresses.getLong(row))
      }
      i += 1
    }
  }

  /** Adds a row.
    *
    * @param vectors elements of the vectors of the row
    */
  def add(vectors: Values, rowId: Long, address: Long): Unit = {
    val d = sum(vectors, 0, vectors.numItems / dimension, _ => false)
    if (found.mayKeep(d) && accepts(d)) found.offer(d, rowId, address)
  }

  /** Returns the sum, over the query vectors, of the distance to the nearest vector of a row, or
    * NaN if there is none.
    */
  private def sum(items: Values, from: Int, numVectors: Int, isNull: Int => Boolean): Float = {
    if (out.length < numVectors) out = new Array[Float](numVectors)
    var sum = 0f
    var q = 0
    while (q < distances.length) {
      distances(q)(items, from, null, numVectors, out)
      var nearest = Float.NaN
      var v = 0
      while (v < numVectors) {
        if ((nearest.isNaN || out(v) < nearest) && !isNull(from + v)) nearest = out(v)
        v += 1
      }
      sum += nearest
      q += 1
    }
    sum
  }

  /** The distance by which vectors without a distance are ranked. NaN is farther than all others.
    */
  private val undefinedRank: Float =
    if (query.undefined == UndefinedDistance.Farthest) Float.NaN else Float.NegativeInfinity

  /** Whether to find a vector whose distance is NaN. */
  private def findsUndefined(items: Values, vector: Int): Boolean = query.undefined match {
    case UndefinedDistance.Rejected | UndefinedDistance.Ignored => false
    case UndefinedDistance.Farthest | UndefinedDistance.Nearest => true
    case UndefinedDistance.NearestUnlessZero => !first.isZero(items, vector)
  }

  private def accepts(d: Float): Boolean =
    !d.isNaN && (!isBounded || parameters.isInRange(d))

  def result(): Neighbors = found.result()
}
