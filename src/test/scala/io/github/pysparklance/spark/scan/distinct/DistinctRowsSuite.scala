// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.distinct

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core._
import io.github.pysparklance.spark.vectors.{LanceVector, VectorFactory}
import io.github.pysparklance.testkit.TestRun

class DistinctRowsSuite extends AnyFunSuite {
  private val random = new Random(TestRun.seed)

  private def ints(v: Seq[Long]): IntValues = {
    val b = new IntValues; v.foreach(x => b.append(x.toInt)); b
  }
  private def longs(v: Seq[Long]): LongValues = { val b = new LongValues; v.foreach(b.append); b }

  /** Values that are different ones, at positions of their own; a null's position may be any. */
  private def dictionary(v: Seq[Long], valid: Validity, items: Seq[Long] => Values): Values = {
    val distinct = v.distinct
    val at = distinct.zipWithIndex.toMap
    val positions = v.indices.map { i =>
      if (valid == null || valid.isValid(i)) at(v(i)).toLong else 1L << 30
    }
    val values = new DictionaryValues(ints(positions), items(distinct))
    values.extend(v.length)
    values
  }

  private def strings(v: Seq[Long]): BinaryValues = {
    val b = new BinaryValues
    v.foreach { x =>
      val bytes = x.toString.getBytes
      b.append(bytes, 0, bytes.length)
    }
    b
  }

  private def vector(logicalType: String, values: Values, valid: Validity = null): LanceVector =
    new VectorFactory(Field(0, "c", LogicalType.parse(logicalType), nullable = true))
      .vector(LeafColumn(values, valid))

  private def validity(n: Int): Validity =
    if (random.nextBoolean()) null else Validity.of(Seq.fill(n)(random.nextInt(9) != 0): _*)

  private def live(n: Int): Array[Int] =
    if (random.nextBoolean()) null
    else (0 until n).filter(_ => random.nextInt(4) != 0).toArray

  /** Remaining positions of each batch, ascending. */
  private def left(rows: DistinctRows, vector: LanceVector, live: Array[Int]): Seq[Int] = {
    val asked = if (live == null) (0 until vector.numRows).toArray else live
    val before = asked.clone()
    val n = rows.find(vector, live, asked.length)
    val found =
      if (rows.rows == null) { assert(n == vector.numRows); asked.toSeq }
      else rows.rows.take(n).toSeq
    assert(asked.sameElements(before), "the input is changed")
    assert(found == found.sorted && found.forall(asked.toSet), s"$found")
    found
  }

  private def batch(base: Long, range: Long): Seq[Long] =
    Seq.fill(1 + random.nextInt(700))(base + (random.nextDouble() * range.toDouble).toLong)

  private val kinds: Seq[(String, (Seq[Long], Validity) => Values)] = Seq(
    "int32" -> ((v, _) => ints(v)),
    "date32:day" -> ((v, _) => ints(v)),
    "int64" -> ((v, _) => longs(v)),
    "timestamp:us:UTC" -> ((v, _) => longs(v)),
    "int64" -> ((v, valid) => dictionary(v, valid, longs)),
    "int32" -> ((v, valid) => dictionary(v, valid, ints)),
    "string" -> ((v, valid) => dictionary(v, valid, strings)),
    "string" -> ((v, _) => strings(v)),
    "timestamp:s:-" -> ((v, _) => longs(v)),
    "double" -> ((v, _) => longs(v))
  )

  test("no value and no null is missing, and only requested rows remain") {
    (0 until 400).foreach { round =>
      val (logicalType, values) = kinds(random.nextInt(kinds.length))
      val ranges = Seq(0L, 3L, 200L, 5000L, 1L << 20, 1L << 40).map { r =>
        if (logicalType.contains("32")) math.min(r, 1L << 30) else r
      }
      val bases = Seq.fill(3)(random.nextInt(1 << 20).toLong - (1 << 19))
      val rows = new DistinctRows
      var (asked, answered) = (Set.empty[Option[Long]], Set.empty[Option[Long]])
      (0 until 1 + random.nextInt(6)).foreach { _ =>
        val numbers =
          batch(bases(random.nextInt(3)), ranges(random.nextInt(round % ranges.length + 1)))
        val (valid, wanted) = (validity(numbers.length), live(numbers.length))
        def value(i: Int) = Optional.when(valid == null || valid.isValid(i))(numbers(i))
        val found = left(rows, vector(logicalType, values(numbers, valid), valid), wanted)
        asked ++= (if (wanted == null) numbers.indices else wanted.toSeq).map(value)
        answered ++= found.map(value)
      }
      withClue(s"seed ${TestRun.seed}, round $round, $logicalType: ")(assert(answered == asked))
    }
  }

  test("integers close to each other remain once, in any order") {
    for (
      (logicalType, values) <- Seq[(String, Seq[Long] => Values)]("int32" -> ints, "int64" -> longs)
    ) {
      val rows = new DistinctRows
      var found = Seq.empty[Long]
      (0 until 40).foreach { i =>
        val numbers = batch(base = (20 - i) * 997L, range = 60000L)
        found ++= left(
          rows,
          vector(logicalType, values(numbers)),
          live(numbers.length)
        ).map(numbers)
      }
      assert(found.length > 5000 && found.distinct.length == found.length)
    }
  }

  test("shifting integers remain once while they are close to each other") {
    val rows = new DistinctRows
    var numLeft = 0
    (0 until 2000).foreach { i =>
      val first = Long.MinValue + i * ((1L << 53) - 1L)
      val numbers = (0 until 300).map(n => first + n / 3)
      numLeft += left(rows, vector("int64", longs(numbers)), null).length
    }
    assert(numLeft == 2000 * 100)
  }

  test("slowly rising or falling integers remain once, and are checked quickly") {
    for (step <- Seq(1000L, -1000L)) {
      val rows = new DistinctRows
      val found = (0 until 1000).flatMap { i =>
        val numbers = Seq.tabulate(500)(n => i * step + (n * 7) % 1500)
        left(rows, vector("int64", longs(numbers)), null).map(numbers)
      }
      assert(found.distinct.length > 400000 && found.length < found.distinct.length * 1.001)
    }
  }

  test("the minimum and maximum integers") {
    val ends = Seq(Long.MaxValue, Long.MaxValue - 1, Long.MinValue, Long.MinValue + 70, 0L, -1L)
    for (order <- ends.permutations) {
      val rows = new DistinctRows
      order.foreach { v =>
        val found = left(rows, vector("int64", longs(Seq(v, v))), null)
        assert(found.nonEmpty, s"$v of $order")
      }
      val both = left(new DistinctRows, vector("int64", longs(order ++ order)), null)
      assert(both.length >= order.length)
    }
    val top = new DistinctRows
    assert(left(top, vector("int64", longs(Seq(Long.MaxValue, Long.MaxValue))), null) == Seq(0))
    assert(left(top, vector("int64", longs(Seq(Long.MaxValue - 900))), null) == Seq(0))
    assert(left(top, vector("int64", longs(Seq(Long.MaxValue))), null).isEmpty)
    assert(left(top, vector("int64", longs(Seq(Long.MaxValue - 4000))), null) == Seq(0))
    assert(left(top, vector("int64", longs(Seq(Long.MaxValue - 900, Long.MaxValue))), null).isEmpty)
  }

  test("one null remains in a task, in the order of its row") {
    val rows = new DistinctRows
    val valid = Validity.of(true, false, true, false, true)
    val numbers = vector("int64", longs(Seq(5, 0, 6, 0, 5)), valid)
    assert(left(rows, numbers, null) == Seq(0, 1, 2))
    assert(left(rows, numbers, null).isEmpty)
    val none = vector("int64", longs(Seq(0, 0)), Validity.of(false, false))
    assert(left(new DistinctRows, none, null) == Seq(0))
  }
}
