// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector

import scala.collection.mutable

import io.github.pysparklance.index.vector.search.{FoundRows, TopRows, VectorQuery}

/** Searches rows of several vectors with several query vectors. As in the reference, each query
  * vector has a separate search, and the similarities of a row to all of them are summed. If one of
  * the searches did not find a row, the row has the lowest similarity that this search found.
  *
  * Source: verified page of indices, "Multivector query".
  */
private[vector] object MultiVectors {

  /** Number of rows to find for each query vector, relative to the number of requested rows. */
  private val overfetch = 10

  /** Returns the query for one vector, without bounds, because they apply to the sum. */
  def single(query: VectorQuery): VectorQuery =
    query.copy(refineFactor = Some(overfetch), lowerBound = None, upperBound = None)

  /** Returns the nearest rows.
    *
    * @param found rows found for each query vector, once per vector of a row, nearest first
    */
  def merge(found: Seq[FoundRows], query: VectorQuery): FoundRows = {
    val sums = mutable.LongMap.empty[Float]
    var missed = 0f
    found.foreach { one =>
      val similarities = mutable.LongMap.empty[Float]
      one.rows.indices.foreach { i =>
        // The first one is the nearest.
        if (!similarities.contains(one.rows(i))) similarities(one.rows(i)) = 1 - one.distances(i)
      }
      val least = if (one.numRows == 0) 0f else 1 - one.distances(one.numRows - 1)
      sums.keys.toArray.foreach { row =>
        sums(row) = sums(row) + similarities.getOrElse(row, least)
      }
      similarities.foreach { case (row, similarity) =>
        if (!sums.contains(row)) sums(row) = similarity + missed
      }
      missed += least
    }
    val top = new TopRows(query.numCandidates)
    val hasBounds = query.lowerBound.isDefined || query.upperBound.isDefined
    sums.foreach { case (row, similarity) =>
      val distance = found.length - similarity
      if (!hasBounds || query.isInRange(distance)) top.offer(distance, row)
    }
    top.result()
  }
}
