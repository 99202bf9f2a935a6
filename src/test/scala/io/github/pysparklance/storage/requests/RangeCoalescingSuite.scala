// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage.requests

import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.ByteRange
import io.github.pysparklance.testkit.PropertyChecks

class RangeCoalescingSuite extends AnyFunSuite with PropertyChecks {

  private def plan(gap: Long, max: Long)(ranges: (Int, Int)*): Seq[(Long, Long, Seq[Int])] =
    RangeCoalescing
      .plan(ranges.map { case (o, n) => ByteRange(o.toLong, n.toLong) }.toIndexedSeq, gap, max)
      .map(r => (r.range.offset, r.range.length, r.members))

  test("near ranges are merged, distant ranges are not") {
    assert(plan(4, 100)((0, 10), (14, 6), (25, 5)) == Seq((0L, 20L, Seq(0, 1)), (25L, 5L, Seq(2))))
  }

  test("the order of ranges does not matter, and empty ranges cost nothing") {
    assert(plan(4, 100)((14, 6), (50, 0), (0, 10)) == Seq((0L, 20L, Seq(2, 0))))
  }

  test("merging does not exceed the size limit") {
    assert(plan(4, 10)((0, 6), (6, 6)) == Seq((0L, 6L, Seq(0)), (6L, 6L, Seq(1))))
  }

  test("overlapping and nested ranges share a read, regardless of its length") {
    assert(plan(0, 10)((0, 8), (4, 12), (5, 2)) == Seq((0L, 16L, Seq(0, 1, 2))))
  }

  test("a long read is split into requests") {
    val read = CoalescedRead(ByteRange(5, 25), IndexedSeq(0))
    assert(read.pieces(10) == IndexedSeq(ByteRange(5, 10), ByteRange(15, 10), ByteRange(25, 5)))
  }

  private val ranges = Gen.listOf(
    Gen.zip(Gen.choose(0L, 5000L), Gen.frequency(1 -> Gen.const(0L), 5 -> Gen.choose(1L, 300L)))
  )

  test("every range is in exactly one read, and reads do not overlap") {
    forAll(ranges, Gen.choose(0L, 200L), Gen.choose(1L, 1000L)) { (rs, gap, max) =>
      val wanted = rs.map { case (o, n) => ByteRange(o, n) }.toIndexedSeq
      val reads = RangeCoalescing.plan(wanted, gap, max)
      assert(reads.flatMap(_.members).sorted == wanted.indices.filter(wanted(_).length > 0))
      reads.foreach { r =>
        r.members.foreach { i =>
          assert(wanted(i).offset >= r.range.offset && wanted(i).end <= r.range.end)
        }
      }
      reads.zip(reads.drop(1)).foreach { case (a, b) => assert(a.range.end <= b.range.offset) }
    }
  }
}
