// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.hybrid

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.spark.scan.search.RankedRow

class FusionSuite extends AnyFunSuite {

  private def rows(found: (Long, Float)*): IndexedSeq[RankedRow] =
    found.map { case (id, measure) => new RankedRow(id, id + 100, Array(measure)) }.toIndexedSeq

  private def fused(fusion: Fusion, near: IndexedSeq[RankedRow], texts: IndexedSeq[RankedRow]) =
    Fusion.fused(fusion, near, texts).map { r =>
      assert(r.address == r.rowId + 100)
      (r.rowId, r.measures.toSeq.map(m => if (m.isNaN) None else Some(m)))
    }

  private val near = rows(7L -> 1f, 3L -> 2f, 5L -> 5f)
  private val texts = rows(5L -> 8f, 9L -> 6f, 3L -> 4f)

  test("reciprocal rank fusion counts ranks from 0, and orders equal relevance by row id") {
    def relevance(ranks: Int*) = Some(ranks.map(r => 1 / (r + 60.0)).sum.toFloat)
    assert(fused(Fusion.ReciprocalRank(), near, texts) == Seq(
      (5L, Seq(Some(5f), Some(8f), relevance(2, 0))),
      (3L, Seq(Some(2f), Some(4f), relevance(1, 2))),
      (7L, Seq(Some(1f), None, relevance(0))),
      (9L, Seq(None, Some(6f), relevance(1)))
    ))
    val equal = fused(Fusion.ReciprocalRank(1), rows(4L -> 1f), rows(2L -> 1f))
    assert(equal.map(_._1) == Seq(2L, 4L) && equal.forall(_._2.last.contains(1f)))
  }

  test("a linear combination scales distances and scores between the worst and the best row") {
    assert(fused(Fusion.Linear(0.75), near, texts).map(r => (r._1, r._2.last.get)) == Seq(
      (7L, 0.75f),
      (3L, 0.5625f),
      (5L, 0.25f),
      (9L, 0.125f)
    ))
    assert(fused(Fusion.Linear(0.5), rows(1L -> 3f, 2L -> 3f), IndexedSeq.empty)
      .map(_._2.last) == Seq(Some(0.5f), Some(0.5f)))
    assert(fused(Fusion.Linear(), IndexedSeq.empty, IndexedSeq.empty).isEmpty)
  }

  test("infinite distances are the best or the worst, and leave the others as they are") {
    val inf = Float.PositiveInfinity
    def relevance(found: (Long, Float)*) =
      fused(Fusion.Linear(0.5), rows(found: _*), IndexedSeq.empty).map(r => (r._1, r._2.last.get))
    assert(relevance(1L -> 1f, 2L -> 2f, 3L -> 3f, 4L -> inf) ==
      Seq((1L, 0.5f), (2L, 0.25f), (3L, 0f), (4L, 0f)))
    assert(relevance(1L -> -inf, 2L -> 2f, 3L -> 3f) == Seq((1L, 0.5f), (2L, 0.5f), (3L, 0f)))
    assert(relevance(1L -> 7f, 2L -> inf) == Seq((1L, 0.5f), (2L, 0f)))
    assert(relevance(1L -> inf, 2L -> inf) == Seq((1L, 0.5f), (2L, 0.5f)))
    assert(relevance(1L -> -inf, 2L -> inf) == Seq((1L, 0.5f), (2L, 0f)))
  }
}
