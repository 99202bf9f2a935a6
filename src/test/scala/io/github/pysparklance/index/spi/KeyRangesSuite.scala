// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.spi

import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.{IntValues, LeafColumn, LogicalType}
import io.github.pysparklance.testkit.PropertyChecks

class KeyRangesSuite extends AnyFunSuite with PropertyChecks {

  private val keys = (0 to 12).map(v => NumberKey(v.toLong))
  private val column = {
    val values = new IntValues
    keys.foreach(k => values.append(k.value.toInt))
    KeyType.of(LogicalType.Integer(32, signed = true)).get.keys(LeafColumn(values, null))
  }

  private val bound = Gen.option(Gen.oneOf(keys))
  private val range = for {
    low <- bound
    includesLow <- Gen.oneOf(true, false)
    high <- bound
    includesHigh <- Gen.oneOf(true, false)
  } yield KeyRange(low, includesLow, high, includesHigh)

  test("the union of ranges contains the values of each") {
    forAll(Gen.listOf(range)) { ranges =>
      assert {
        val joined = KeyRanges.of(ranges)
        keys.forall { key =>
          val expected = ranges.exists(_.contains(key))
          joined.contains(key) == expected && joined.contains(column, key.value.toInt) == expected
        }
      }
    }
  }

  test("the union of ranges overlaps each range that one of them overlaps") {
    forAll(Gen.listOf(range), bound, bound) { (ranges, from, to) =>
      assert {
        val joined = KeyRanges.of(ranges)
        val isInOrder = from.forall(f => to.forall(f.compare(_) <= 0))
        !isInOrder || joined.overlaps(
          from,
          to
        ) == ranges.filterNot(_.isEmpty).exists(_.overlaps(from, to))
      }
    }
  }

  test("the ranges of a union are ascending and disjoint") {
    forAll(Gen.listOf(range)) { ranges =>
      assert {
        val joined = KeyRanges.of(ranges).ranges
        joined.forall(!_.isEmpty) && joined.zip(joined.drop(1)).forall { case (a, b) =>
          a.high.exists(h =>
            b.low.exists(l => h.compare(l) < 0 || h == l && !a.includesHigh && !b.includesLow)
          )
        }
      }
    }
  }

  test("a range is covered by ranges that contain all of its keys") {
    forAll(Gen.listOf(range), Gen.oneOf(keys), Gen.oneOf(keys)) { (ranges, a, b) =>
      assert {
        val (from, to) = if (a.compare(b) <= 0) (a, b) else (b, a)
        val joined = KeyRanges.of(ranges)
        !joined.covers(from, to) ||
        keys.filter(k => k.compare(from) >= 0 && k.compare(to) <= 0).forall(joined.contains)
      }
    }
  }

  test("an intersection contains the values of both ranges") {
    forAll(Gen.listOf(range), Gen.listOf(range)) { (some, others) =>
      assert {
        val (a, b) = (KeyRanges.of(some), KeyRanges.of(others))
        val both = a.intersect(b)
        both.ranges.forall(!_.isEmpty) &&
        keys.forall(k => both.contains(k) == (a.contains(k) && b.contains(k)))
      }
    }
  }

  test("the ranges of a page overlap it") {
    forAll(Gen.listOf(range), Gen.oneOf(keys), Gen.oneOf(keys)) { (ranges, a, b) =>
      assert {
        val (from, to) = if (a.compare(b) <= 0) (a, b) else (b, a)
        val joined = KeyRanges.of(ranges)
        val expected = joined.ranges.filter(_.overlaps(Some(from), Some(to))).toSeq
        val (start, end) = joined.overlapping(from, to)
        val points = joined.pointsIn(Some(from), Some(to))
        joined.ranges.slice(start, end).toSeq == expected &&
        points.forall(_ == expected.length) && points.isDefined == expected.forall(
          _.point.isDefined
        )
      }
    }
  }

  test("points are the values of single-value ranges") {
    val (a, b) = (KeyRange.point(keys(1)), KeyRange.point(keys(3)))
    assert(KeyRanges.of(Seq(b, a)).points.contains(IndexedSeq(keys(1), keys(3))))
    assert(KeyRanges.of(Seq(a, KeyRange.all)).points.isEmpty)
    assert(KeyRanges.of(Nil).points.contains(IndexedSeq.empty))
  }

  test("a prefix matches the strings that start with it, even if it ends with bytes 0xff") {
    def bytes(values: Int*) = new BytesKey(values.map(_.toByte).toArray)
    val prefix = KeyRange.prefix(Array(0x61.toByte, 0xff.toByte))
    assert(prefix.contains(bytes(0x61, 0xff)))
    assert(prefix.contains(bytes(0x61, 0xff, 0xff, 0x00)))
    assert(!prefix.contains(bytes(0x61, 0xfe)))
    assert(!prefix.contains(bytes(0x62)))
    assert(KeyRange.prefix(Array(0xff.toByte)).contains(bytes(0xff, 0xff)))
    assert(!KeyRange.prefix(Array(0xff.toByte)).contains(bytes(0xfe)))
    assert(KeyRange.prefix(Array.emptyByteArray).contains(bytes()))
  }
}
