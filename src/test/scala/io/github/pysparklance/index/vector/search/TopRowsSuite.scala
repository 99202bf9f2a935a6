// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.search

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

class TopRowsSuite extends AnyFunSuite {

  /** Distances of few values, with NaN and infinity among them. */
  private def rows(random: Random, n: Int): IndexedSeq[(Float, Long)] = IndexedSeq.fill(n) {
    val distance = random.nextInt(8) match {
      case 0 => Float.NaN
      case 1 => Float.PositiveInfinity
      case d => d.toFloat - 4
    }
    distance -> random.nextInt(50).toLong
  }

  private def sorted(rows: Seq[(Float, Long)]): Seq[(Float, Long)] =
    rows.sortWith { case ((d, r), (e, s)) =>
      val order = java.lang.Float.compare(d + 0f, e + 0f)
      order < 0 || order == 0 && r < s
    }

  private def text(rows: Seq[(Float, Long)]): String = rows.mkString(", ")

  test("each row is kept once, at its smallest distance") {
    val found = new FoundRows(Array(7L, 3L, 7L, 5L, 3L), Array(1f, 2f, 3f, 4f, 5f)).distinct
    assert(found.rows.toSeq == Seq(7L, 3L, 5L) && found.distances.toSeq == Seq(1f, 2f, 4f))
  }

  test("keeps the nearest rows in any order of offers") {
    val random = new Random(7)
    for (_ <- 0 until 200) {
      val offered = rows(random, random.nextInt(60))
      val capacity = 1 + random.nextInt(40)
      val top = new TopRows(capacity)
      offered.foreach { case (d, r) =>
        val skipped = !top.mayKeep(d)
        val before = text(pairs(top.result()))
        top.offer(d, r)
        if (skipped) assert(text(pairs(top.result())) == before)
      }
      val expected = sorted(offered).take(capacity)
      assert(text(pairs(top.result())) == text(expected))
      assert(top.size == expected.length && top.isFull == (expected.length == capacity))
      // the result is a copy
      top.offer(-100f, 99L)
      assert(pairs(top.result()).head == (-100f -> 99L))
    }
  }

  private def pairs(found: FoundRows): Seq[(Float, Long)] =
    found.distances.toIndexedSeq.zip(found.rows)

  test("row numbers are unsigned") {
    val top = new TopRows(1)
    top.offer(1f, -1L)
    top.offer(1f, 5L)
    assert(top.result().rows.toSeq == Seq(5L))
  }

  test("merged results equal the result of all rows") {
    val random = new Random(8)
    val parts = Seq.fill(4)(rows(random, 30).filterNot(_._1.isNaN))
    val found = parts.map { its =>
      val top = new TopRows(10)
      its.foreach { case (d, r) => top.offer(d, r) }
      top.result()
    }
    assert(text(pairs(FoundRows.merge(found, 10))) == text(sorted(parts.flatten).take(10)))
  }
}
