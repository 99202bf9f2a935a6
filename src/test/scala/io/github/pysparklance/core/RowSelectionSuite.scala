// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.core

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, ObjectInputStream, ObjectOutputStream}

import org.scalacheck.Gen
import org.scalatest.Assertion
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.testkit.PropertyChecks

class RowSelectionSuite extends AnyFunSuite with PropertyChecks {
  private val rows = Gen.listOf(Gen.choose(0L, 60L))

  private def set(s: RowSelection): Set[Long] = s.ranges.flatMap(r => r.from until r.until).toSet

  private def check(s: RowSelection): Assertion = {
    assert(s.ranges.forall(!_.isEmpty))
    assert(s.ranges.zip(s.ranges.drop(1)).forall { case (a, b) => a.until < b.from })
    assert(s.numRows == set(s).size && s.isEmpty == set(s).isEmpty)
  }

  test("a selection contains its rows, regardless of insertion order") {
    forAll(rows) { rows =>
      val s = RowSelection.of(rows.toArray)
      check(s)
      assert(set(s) == rows.toSet)
      assert(RowSelection.of(rows.map(r => RowRange(r, r + 1)).toIndexedSeq) == s)
    }
    assert(RowSelection.of(RowRange(3, 3)) == RowSelection.empty)
    assert(RowSelection.of(IndexedSeq(RowRange(5, 9), RowRange(0, 4), RowRange(4, 5))).ranges ==
      IndexedSeq(RowRange(0, 9)))
  }

  test("a selection is serialized in few bytes") {
    def bytes(s: RowSelection): Array[Byte] = {
      val out = new ByteArrayOutputStream
      new ObjectOutputStream(out).writeObject(s)
      out.toByteArray
    }
    def copy(s: RowSelection): AnyRef =
      new ObjectInputStream(new ByteArrayInputStream(bytes(s))).readObject()
    forAll(rows)(rows =>
      assert(copy(RowSelection.of(rows.toArray)) == RowSelection.of(rows.toArray))
    )
    val far = RowSelection.of(Array(0L, 1L << 33, Long.MaxValue - 1))
    assert(copy(far) == far && copy(RowSelection.empty) == RowSelection.empty)
    assert(bytes(RowSelection.of(Array.tabulate(10000)(_ * 50L))).length < 21000)
  }

  test("union, intersection, and restriction") {
    forAll(rows, rows, Gen.choose(0L, 60L), Gen.choose(0L, 60L)) { (a, b, x, y) =>
      val (left, right) = (RowSelection.of(a.toArray), RowSelection.of(b.toArray))
      val part = RowRange(math.min(x, y), math.max(x, y))
      Seq(left.union(right), left.intersect(right), left.within(part)).foreach(check)
      assert(set(left.union(right)) == a.toSet ++ b)
      assert(set(left.intersect(right)) == a.toSet.intersect(b.toSet))
      val inside = a.filter(r => r >= part.from && r < part.until)
      assert(set(left.within(part)) == inside.toSet)
      assert(left.positionsIn(part).toSeq == inside.distinct.sorted.map(r => (r - part.from).toInt))
    }
  }

  test("ranges with small gaps are merged") {
    def merged(gap: Long) =
      RowRange.merged(
        Iterator(RowRange(0, 2), RowRange(4, 5), RowRange(5, 6), RowRange(9, 10)),
        gap
      )
    assert(merged(0) == IndexedSeq(RowRange(0, 2), RowRange(4, 6), RowRange(9, 10)))
    assert(merged(2) == IndexedSeq(RowRange(0, 6), RowRange(9, 10)))
    assert(merged(3) == IndexedSeq(RowRange(0, 10)))
    assert(RowRange.merged(Iterator.empty, 7).isEmpty)
  }
}
