// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.hybrid

import scala.collection.mutable

import io.github.pysparklance.spark.scan.search.RankedRow

/** Ranks the rows of a vector search and of a full-text search by one score, the higher the better.
  */
sealed trait Fusion extends Serializable {

  /** Returns the score that a row gets from one of the searches, for each of its rows.
    *
    * @param measures distances or scores, best first
    * @param isDistance whether small measures are good
    */
  private[hybrid] def parts(measures: IndexedSeq[Float], isDistance: Boolean): IndexedSeq[Double]

  /** Factor of the scores from the vector search. */
  private[hybrid] def vectorWeight: Double

  /** Factor of the scores from the full-text search. */
  private[hybrid] def textWeight: Double
}

object Fusion {

  /** Reciprocal rank fusion: the score is the sum of `1 / (rank + k)` over the searches that found
    * the row. Ranks count from 0, as in lance-spark.
    *
    * Source: Cormack, Clarke, and Büttcher, "Reciprocal rank fusion outperforms Condorcet and
    * individual rank learning methods", SIGIR 2009.
    *
    * @param k positive. A large `k` makes differences between ranks less important
    */
  final case class ReciprocalRank(k: Double = 60) extends Fusion {
    private[hybrid] def parts(
        measures: IndexedSeq[Float],
        isDistance: Boolean
    ): IndexedSeq[Double] = measures.indices.map(rank => 1 / (rank + k))
    private[hybrid] def vectorWeight: Double = 1
    private[hybrid] def textWeight: Double = 1
    override def toString: String = s"reciprocal rank fusion, k $k"
  }

  /** Linear combination: `weight * v + (1 - weight) * t`. `v` and `t` are distance and score,
    * scaled so that the best row of a search has 1, and the worst 0. If all rows of a search are
    * equally good, they have 1. A row that a search does not find has 0. Infinite distances are 0
    * or 1, and do not count as the worst or the best of the others.
    *
    * @param weight weight of the vector search, from 0 to 1
    */
  final case class Linear(weight: Double = 0.7) extends Fusion {
    private[hybrid] def parts(
        measures: IndexedSeq[Float],
        isDistance: Boolean
    ): IndexedSeq[Double] =
      if (measures.distinct.length <= 1) measures.map(_ => 1.0)
      else {
        val finite = measures.filterNot(_.isInfinite)
        val (best, worst) =
          if (finite.isEmpty) (0f, 0f)
          else if (isDistance) (finite.min, finite.max)
          else (finite.max, finite.min)
        measures.map { m =>
          if (m.isInfinite) if ((m < 0) == isDistance) 1.0 else 0.0
          else if (best == worst) 1.0
          else (m.toDouble - worst) / (best.toDouble - worst)
        }
      }
    private[hybrid] def vectorWeight: Double = weight
    private[hybrid] def textWeight: Double = 1 - weight
    override def toString: String = s"linear combination, weight $weight"
  }

  /** Merges the rows of both searches. Orders them by descending relevance, then by row id.
    *
    * @param near rows of the vector search with their distances, nearest first
    * @param texts rows of the full-text search with their scores, best first
    * @return rows with distance, score, and relevance
    */
  private[hybrid] def fused(
      fusion: Fusion,
      near: IndexedSeq[RankedRow],
      texts: IndexedSeq[RankedRow]
  ): IndexedSeq[RankedRow] = {
    val ofNear = fusion.parts(near.map(_.measures.head), isDistance = true)
    val ofTexts = fusion.parts(texts.map(_.measures.head), isDistance = false)
    val rankOfText = mutable.LongMap.empty[Int]
    texts.indices.foreach(i => rankOfText(texts(i).address) = i)
    val found = near.indices.map { i =>
      val j = rankOfText.remove(near(i).address)
      val score = j.fold(Float.NaN)(texts(_).measures.head)
      val relevance =
        fusion.vectorWeight * ofNear(i) + j.fold(0.0)(fusion.textWeight * ofTexts(_))
      near(i).measured(near(i).measures.head, score, relevance.toFloat)
    }
    val others = rankOfText.values.map { j =>
      val relevance = fusion.textWeight * ofTexts(j)
      texts(j).measured(Float.NaN, texts(j).measures.head, relevance.toFloat)
    }
    (found ++ others).sortWith { (a, b) =>
      if (a.measures.last != b.measures.last) a.measures.last > b.measures.last
      else java.lang.Long.compareUnsigned(a.rowId, b.rowId) < 0
    }
  }
}
