// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

// Hot code.
package io.github.pysparklance.spark.scan.task

import scala.collection.mutable

import io.github.pysparklance.index.vector.distance.VectorBatch
import io.github.pysparklance.spark.types.TypeOptions
import io.github.pysparklance.spark.vectors.BatchVectors
import io.github.pysparklance.table.rowid.RowAddress
import io.github.pysparklance.table.scan.RowBatches

/** Collects the first rows in a [[VectorOrder]]. Nulls and NaN are ordered as in Spark. Rows at one
  * distance are ordered by row id.
  */
final private[task] class NearestRows(order: VectorOrder, top: TopRows, types: TypeOptions)
    extends FirstRows {
  import NearestRows._

  private val vectorsOf = new BatchVectors(top.fields, top.computed, types)
  private val queue = mutable.PriorityQueue.empty[Ranked](byRank)
  private val nullRank = if (order.nullsFirst) Int.MinValue else Int.MaxValue
  private var results = Array.emptyFloatArray

  def add(scan: Int, batch: RowBatches): Unit = {
    val live = batch.live
    val numLive = batch.numLive
    val all = vectorsOf(batch.columns)
    val address = all.last
    val ties = all(order.tie)
    val vectors = VectorBatch(batch.columns(order.column), order.path, order.dimension)
    if (results.length < numLive) results = new Array[Float](numLive)
    if (vectors.items != null)
      order.function.compute(order.distance, vectors.items, live, numLive, results)
    var i = 0
    while (i < numLive) {
      val row = if (live == null) i else live(i)
      val rank = if (vectors.mayHaveNulls && vectors.isNull(row)) nullRank else rankOf(results(i))
      val isFull = queue.size >= top.limit
      if (!isFull || rank <= queue.head.rank) {
        val tie = ties.getLong(row)
        if (!isFull || rank < queue.head.rank || tie < queue.head.tie) {
          if (isFull) queue.dequeue(): Unit
          queue += Ranked(rank, tie, scan, RowAddress.offset(address.getLong(row)))
        }
      }
      i += 1
    }
  }

  private def rankOf(value: Float): Int = {
    val rank = ascendingRank(value)
    if (order.isAscending) rank else ~rank
  }

  protected def found: Iterator[FirstRows.Found] = queue.iterator
}

/** Ranks distances. */
private[task] object NearestRows {

  final private case class Ranked(rank: Int, tie: Long, scan: Int, row: Long)
      extends FirstRows.Found

  private val byRank: Ordering[Ranked] = new Ordering[Ranked] {
    override def compare(a: Ranked, b: Ranked): Int = {
      val ranks = Integer.compare(a.rank, b.rank)
      if (ranks != 0) ranks else java.lang.Long.compare(a.tie, b.tie)
    }
  }

  /** Returns an integer with Spark's order of floats: NaN is the greatest value, and zeros are
    * equal. The result and its complement are never the least or greatest integer.
    */
  private def ascendingRank(value: Float): Int = {
    val bits = java.lang.Float.floatToIntBits(value + 0.0f)
    bits ^ ((bits >> 31) & 0x7fffffff)
  }
}
