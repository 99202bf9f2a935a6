// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.spi

import java.nio.{ByteBuffer, ByteOrder}

import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.{Buffer, LanceException, RowRange}
import io.github.pysparklance.testkit.PropertyChecks

class RowSetSuite extends AnyFunSuite with PropertyChecks {

  private val rows = Gen.listOf(for {
    upper <- Gen.oneOf(0L, 1L, 7L, 0xfffffffeL)
    lower <- Gen.oneOf(0L, 1L, 2L, 65536L, 0x80000000L, 0xffffffffL)
  } yield upper << 32 | lower)

  private def of(rows: Seq[Long]): RowSet = RowSet.of(rows.toArray)

  private def members(set: RowSet): Set[Long] = {
    val found = Set.newBuilder[Long]
    set.foreach(found += _)
    found.result()
  }

  test("set operations match a reference set") {
    forAll(rows, rows) { (a, b) =>
      assert {
        val (x, y) = (of(a), of(b))
        members(x) == a.toSet && x.numRows == a.toSet.size &&
        members(x.union(y)) == (a.toSet | b.toSet) &&
        members(x.intersect(y)) == (a.toSet & b.toSet) &&
        members(x.minus(y)) == (a.toSet &~ b.toSet) &&
        members(RowSet.union(Iterator(x, y, x))) == (a.toSet | b.toSet) &&
        a.forall(x.contains) && (x.union(y) == y.union(x))
      }
    }
  }

  test("a row address map round-trips") {
    forAll(rows)(a => assert(RowSet.parse(Buffer(of(a).toBytes)) == of(a)))
  }

  test("an entry without bytes contains all rows of its fragment") {
    val bytes = Array[Byte](1, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0)
    val set = RowSet.parse(Buffer(bytes))
    assert(set.numRows == 1L << 32)
    assert(set.contains(5L << 32 | 12345) && !set.contains(4L << 32))
    assert(set.intersect(RowSet.of(5, RowRange(3, 9))).numRows == 6)
  }

  test("truncated or changed bytes are either rejected or read") {
    val bytes = of(Seq(1L, 70000L, 3L << 32, 3L << 32 | 9)).toBytes
    bytes.indices.foreach { n =>
      Seq(java.util.Arrays.copyOf(bytes, n), bytes.updated(n, (bytes(n) ^ 0x55).toByte)).foreach {
        damaged =>
          Seq(RowSet.parse _, RowSet.parseTreemap _).foreach { parse =>
            try parse(Buffer(damaged)): Unit
            catch { case _: LanceException => () }
          }
      }
    }
  }

  /** A row address map with all rows of the fragments from `from` on. */
  private def whole(from: Int, count: Int): RowSet = {
    val bytes = ByteBuffer.allocate(4 + 8 * count).order(ByteOrder.LITTLE_ENDIAN)
    bytes.putInt(count)
    (from until from + count).foreach(id => bytes.putInt(id).putInt(0))
    RowSet.parse(Buffer(bytes.array))
  }

  test("entries without bytes take little memory, also in unions and intersections") {
    // A bitmap of all rows takes 4 MB.
    val many = whole(0, 100000)
    val some = whole(50000, 100000)
    assert(many.union(some).uppers.length == 150000)
    assert(RowSet.union(Iterator(many, some, many)).uppers.length == 150000)
    assert(many.intersect(some).uppers.length == 50000)
    assert(many.minus(some).uppers.length == 50000)
    assert(many.minus(RowSet.empty).uppers.length == 100000)
  }

  test("operations with all rows of a fragment") {
    val set = of(Seq(5L << 32, 5L << 32 | 9, 6L << 32))
    val all = whole(5, 1)
    assert(all.minus(set).numRows == (1L << 32) - 2 && set.minus(all) == of(Seq(6L << 32)))
    assert(all.intersect(set) == of(Seq(5L << 32, 5L << 32 | 9)) && set.intersect(all).numRows == 2)
    for (union <- Seq(all.union(set), set.union(all), RowSet.union(Iterator(set, set, all, set))))
      assert(union.part(5).getLongCardinality == 1L << 32 && union.numRows == (1L << 32) + 1)
    assert(set.numRows == 3 && all.numRows == 1L << 32)
  }
}
