// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index

import org.roaringbitmap.RoaringBitmap
import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.testkit.PropertyChecks

/** The combined result of a condition is correct for any results of its parts. */
class FragmentResultSuite extends AnyFunSuite with PropertyChecks {

  /** A value for each row: true, false, or null (none); and a result that does not contradict them.
    */
  final private class Known(
      val truth: IndexedSeq[Option[Boolean]],
      val answer: FragmentResult
  )

  private val numRows = 12

  private def bitmap(rows: Iterable[Int]): RoaringBitmap = RoaringBitmap.bitmapOf(rows.toSeq: _*)

  private def rowsWith(truth: IndexedSeq[Option[Boolean]], value: Option[Boolean]): Seq[Int] =
    truth.indices.filter(truth(_) == value)

  private val leaf: Gen[Known] = for {
    truth <- Gen.listOfN(numRows, Gen.oneOf(Some(true), Some(false), None)).map(_.toIndexedSeq)
    extra <- Gen.listOfN(numRows, Gen.oneOf(true, false))
    kind <- Gen.choose(0, 3)
  } yield {
    val trues = rowsWith(truth, Some(true))
    val more = trues ++ truth.indices.filter(extra(_))
    val answer = kind match {
      case 0 => FragmentResult.exact(numRows, bitmap(trues), bitmap(rowsWith(truth, None)))
      case 1 => FragmentResult.trues(numRows, bitmap(trues))
      case 2 => FragmentResult.atMost(numRows, bitmap(more))
      case _ => FragmentResult.unknown(numRows)
    }
    new Known(truth, answer)
  }

  private def and(a: Option[Boolean], b: Option[Boolean]): Option[Boolean] =
    if (a.contains(false) || b.contains(false)) Some(false)
    else if (a.isEmpty || b.isEmpty) None
    else Some(true)

  private def or(a: Option[Boolean], b: Option[Boolean]): Option[Boolean] =
    and(a.map(!_), b.map(!_)).map(!_)

  private def tree(depth: Int): Gen[Known] =
    if (depth == 0) leaf
    else
      Gen.frequency(
        1 -> leaf,
        1 -> tree(depth - 1).map(k => new Known(k.truth.map(_.map(!_)), k.answer.not)),
        2 -> joined(depth, and, _ and _),
        2 -> joined(depth, or, _ or _)
      )

  private def joined(
      depth: Int,
      values: (Option[Boolean], Option[Boolean]) => Option[Boolean],
      answers: (FragmentResult, FragmentResult) => FragmentResult
  ): Gen[Known] = for {
    left <- tree(depth - 1)
    right <- tree(depth - 1)
  } yield new Known(
    left.truth.zip(right.truth).map(values.tupled),
    answers(left.answer, right.answer)
  )

  private def within(bounds: RowBounds, rows: Seq[Int]): Boolean = {
    val exact = bitmap(rows)
    bounds.atLeast.andNotIsEmpty(exact) && exact.andNotIsEmpty(bounds.atMost)
  }

  implicit private class Difference(a: RoaringBitmap) {
    def andNotIsEmpty(b: RoaringBitmap): Boolean = RoaringBitmap.andNot(a, b).isEmpty
  }

  test("the results for rows lie between the bounds") {
    forAll(tree(4)) { known =>
      assert {
        within(known.answer.trues, rowsWith(known.truth, Some(true))) &&
        within(known.answer.falses, rowsWith(known.truth, Some(false)))
      }
    }
  }

  test("exact results stay exact") {
    val exact = FragmentResult.exact(numRows, bitmap(Seq(1, 2)), bitmap(Seq(3)))
    val other = FragmentResult.exact(numRows, bitmap(Seq(2, 3)), bitmap(Nil))
    Seq(exact.not, exact.and(other), exact.or(other), exact.and(other).not).foreach(a =>
      assert(a.isExact)
    )
    assert(exact.and(other).rows == bitmap(Seq(2)))
    assert(exact.or(other).not.rows == bitmap((0 until numRows).filterNot(Set(1, 2, 3))))
    assert(exact.and(FragmentResult.unknown(numRows)).rows == exact.rows)
    assert(!exact.or(FragmentResult.unknown(numRows)).isExact)
  }

  test("an index that stores all rows of a fragment has no more rows than the fragment") {
    val all = RoaringBitmap.bitmapOfRange(0L, 1L << 32)
    val results = Seq(
      FragmentResult.exact(numRows, all, new RoaringBitmap),
      FragmentResult.trues(numRows, all),
      FragmentResult.atMost(numRows, all)
    )
    results.foreach(r => assert(r.rows == RoaringBitmap.bitmapOfRange(0L, numRows.toLong)))
  }
}
