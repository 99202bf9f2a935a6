// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

// Hot code.
package io.github.pysparklance.spark.scan.nearest

import io.github.pysparklance.core.Values
import io.github.pysparklance.index.vector.distance.{QueryDistance, VectorBatch}
import io.github.pysparklance.index.vector.search.VectorQuery
import io.github.pysparklance.spark.vectors.LanceVector

/** The nearest rows of a task to one query. A vector is no neighbor if it is null, has a null element, or has no distance:
  * a vector with NaN, or of zeros with the metric cosine. Not thread-safe.
  *
  * @param limit rows that are kept
  */
final private[nearest] class NearestCollector(
    distance: QueryDistance,
    parameters: VectorQuery,
    limit: Int
) {
  private val found = new Neighbors.Collector(limit)
  private val isBounded = parameters.lowerBound.isDefined || parameters.upperBound.isDefined
  private var distances = Array.emptyFloatArray

  /** Compares the live rows of a batch.
    *
    * @param live positions of the rows; null: all
    */
  def add(
      vectors: VectorBatch,
      live: Array[Int],
      numLive: Int,
      rowIds: LanceVector,
      addresses: LanceVector
  ): Unit = if (vectors.items != null) {
    if (distances.length < numLive) distances = new Array[Float](numLive)
    distance(vectors.items, 0, live, numLive, distances)
    val checksNulls = vectors.mayHaveNulls
    var i = 0
    while (i < numLive) {
      val d = distances(i)
      if (found.mayKeep(d)) {
        val row = if (live == null) i else live(i)
        if (accepts(d) && !(checksNulls && vectors.isNull(row)))
          found.offer(d, rowIds.getLong(row), addresses.getLong(row))
      }
      i += 1
    }
  }

  /** Compares one row, whose vector is the first. */
  def add(vector: Values, rowId: Long, address: Long): Unit = {
    if (distances.length < 1) distances = new Array[Float](1)
    distance(vector, 0, null, 1, distances)
    val d = distances(0)
    if (found.mayKeep(d) && accepts(d)) found.offer(d, rowId, address)
  }

  private def accepts(d: Float): Boolean =
    !d.isNaN && (!isBounded || parameters.isInRange(d))

  def result(): Neighbors = found.result()
}
