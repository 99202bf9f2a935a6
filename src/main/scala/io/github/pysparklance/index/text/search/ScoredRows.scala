// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text.search

import io.github.pysparklance.core.{IntValues, LongValues}
import io.github.pysparklance.index.vector.search.TopRows

/** Rows with their scores.
  *
  * @param rows stable row ids if the table has them, otherwise addresses
  */
final class ScoredRows(val rows: Array[Long], val scores: Array[Float]) extends Serializable {
  def numRows: Int = rows.length
}

object ScoredRows {
  val empty: ScoredRows = new ScoredRows(Array.emptyLongArray, Array.emptyFloatArray)

  /** Returns the rows with the highest scores, highest first. Rows with the same score are ordered
    * by id.
    *
    * @param parts results without common rows
    */
  def best(parts: Seq[ScoredRows], limit: Int): ScoredRows = {
    val top = new TopScores(limit)
    parts.foreach { part =>
      part.rows.indices.foreach(i => top.offer(part.rows(i), part.scores(i)))
    }
    top.result()
  }
}

/** Receives the rows that a search finds. Not thread-safe. Hot code. */
private[text] trait ScoreSink {

  /** Returns the lowest score to keep.
    *
    * @param firstRow lower bound of the following rows
    */
  def least(firstRow: Long): Float

  def offer(row: Long, score: Float): Unit
}

/** Keeps the rows with the highest scores. Ties are resolved by the smallest row.
  *
  * @param limit maximum number of rows to keep
  */
final private[text] class TopScores(limit: Int) extends ScoreSink {
  // TopRows keeps the smallest distances, so scores are negated.
  private val top = new TopRows(limit)

  def least(firstRow: Long): Float =
    if (!top.isFull) Float.NegativeInfinity
    else {
      val worst = -top.worst
      if (java.lang.Long.compareUnsigned(firstRow, top.worstRow) > 0) Math.nextUp(worst) else worst
    }

  def offer(row: Long, score: Float): Unit = top.offer(-score, row)

  /** Returns the rows, highest scores first. */
  def result(): ScoredRows = {
    val found = top.result()
    new ScoredRows(found.rows, found.distances.map(d => 0f - d))
  }
}

/** Keeps all rows. */
final private[text] class AllScores extends ScoreSink {
  private val rows = new LongValues
  private val scores = new IntValues

  def least(firstRow: Long): Float = Float.NegativeInfinity

  def offer(row: Long, score: Float): Unit = {
    rows.append(row)
    scores.append(java.lang.Float.floatToRawIntBits(score))
  }

  /** Returns the rows in no particular order. */
  def result(): ScoredRows = {
    val numRows = rows.numItems
    val out = new Array[Float](numRows)
    out.indices.foreach(i => out(i) = java.lang.Float.intBitsToFloat(scores.array(i)))
    new ScoredRows(java.util.Arrays.copyOf(rows.array, numRows), out)
  }
}
