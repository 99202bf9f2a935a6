// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.sorting

import org.scalacheck.Gen
import org.scalatest.Assertion
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.LogicalType
import io.github.pysparklance.index.spi._
import io.github.pysparklance.testkit.PropertyChecks

/** Merging the ranges of sorted buffers returns all entries in order. */
class EntryBufferSuite extends AnyFunSuite with PropertyChecks {
  import EntryBufferSuite._

  for ((name, t, keys) <- kinds) test(s"$name are sorted, divided, and merged") {
    val entries = Gen.listOf(Gen.zip(
      Gen.frequency(6 -> keys.map(Option(_)), 1 -> Gen.const(None)),
      Gen.choose(0L, Long.MaxValue)
    ))
    forAll(entries, Gen.listOf(keys), Gen.choose(1, 40), minSuccessful(60)) {
      (all, cuts, perBuffer) =>
        val distinct = all.distinct.map { case (key, row) => EntryBound(key, row) }
        val bounds = (cuts.map(k => EntryBound(Some(k), 0L)) ++ distinct.take(2)).distinct
          .sorted(EntryBound.order).toIndexedSeq
        check(t, distinct, bounds, perBuffer)
    }
  }

  test("many equal keys are sorted by row") {
    val long = bytes("0123456789abcdef" * 3)
    val few = Seq(long, bytes("0123456789abcdef"), bytes("0123456789abcdef\u0000"), bytes(""))
    val all = (0 until 5000).map(i => EntryBound(Some(few(i % 4)), (i * 7919L) % 5003))
    check(LogicalType.Binary(large = false), all, IndexedSeq(EntryBound(Some(long), 2500L)), 3000)
  }

  test("numbers of all sizes are sorted") {
    val random = new scala.util.Random(3)
    val all = (0 until 20000).map(i =>
      EntryBound(Some(NumberKey(random.nextLong() >> random.nextInt(64))), i.toLong)
    )
    check(LogicalType.Integer(64, signed = true), all, EntryBound.cut(all, 3), 7000)
  }

  test("a sample is divided into ranges of equal size") {
    val all = (0 until 1000).map(i => EntryBound(Some(NumberKey(i % 100L)), i.toLong))
    val cuts = EntryBound.cut(all, 4)
    assert(cuts.map(_.key) == Seq(25L, 50L, 75L).map(k => Some(NumberKey(k))))
    assert(EntryBound.cut(all.take(1), 4).isEmpty && EntryBound.cut(IndexedSeq.empty, 4).isEmpty)
    assert(EntryBound.cut(all, 1).isEmpty)
    val same = EntryBound.cut(all.map(_.copy(key = None)), 2)
    assert(same == Seq(EntryBound(None, 500L)), "equal keys are cut by row")
  }

  private def check(
      t: LogicalType,
      all: Seq[EntryBound],
      bounds: IndexedSeq[EntryBound],
      perBuffer: Int
  ): Assertion = {
    val keyType = KeyType.of(t).get
    val buffer = EntryBuffer(keyType)
    val blocks = all.grouped(perBuffer).toIndexedSeq.flatMap { its =>
      buffer.clear()
      its.grouped(7).foreach(some => buffer.add(batch(t, some)))
      assert(buffer.numEntries == its.length)
      buffer.blocks(bounds)
    }
    val found = (0 to bounds.length).flatMap { range =>
      val inputs =
        blocks.filter(_._1 == range).map { case (_, b) => EntryBlock.read(b, keyType.isNumber) }
      val its = read(SortedEntries.merged(inputs, keyType.isNumber), keyType.isNumber)
      val from = if (range == 0) None else Some(bounds(range - 1))
      assert(its.forall(e => from.forall(EntryBound.order.lteq(_, e))))
      assert(its.forall(e => bounds.drop(range).headOption.forall(EntryBound.order.lt(e, _))))
      its
    }
    assert(found == all.sorted(EntryBound.order))
  }
}

private object EntryBufferSuite {
  val kinds: Seq[(String, LogicalType, Gen[Key])] = {
    val numbers = Gen.frequency(1 -> Gen.choose(-3L, 3L), 1 -> Gen.long)
    val words = Gen.oneOf("", "a", "abcdefgh", "abcdefghi", "abcdefgh\u0000", "\u0000", "b")
    val texts = Gen.listOf(words).map(_.take(4).mkString)
    Seq(
      ("longs", LogicalType.Integer(64, signed = true), numbers.map(NumberKey(_))),
      ("unsigned longs", LogicalType.Integer(64, signed = false), numbers.map(KeyType.unsigned64)),
      ("binaries", LogicalType.Binary(large = false), texts.map(bytes)),
      (
        "decimals",
        LogicalType.Decimal(128, 38, 0),
        numbers.map(n =>
          KeyType.decimal(java.math.BigInteger.valueOf(n), 16).get
        )
      )
    )
  }

  def bytes(text: String): Key = new BytesKey(text.getBytes("UTF-8"))

  def batch(t: LogicalType, entries: Seq[EntryBound]): IndexBatch = {
    val keys = new KeyColumn(t, KeyType.of(t).get)
    entries.foreach(e => keys.append(e.key))
    new IndexBatch(keys.column, 0, entries.map(_.row).toArray, null, entries.length)
  }

  def read(entries: SortedEntries, isNumber: Boolean): Seq[EntryBound] =
    Iterator.continually(entries.next()).takeWhile(identity).map { _ =>
      val key = if (entries.isNull) None else Some(entries.key.toKey(isNumber))
      EntryBound(key, entries.row)
    }.toList
}
