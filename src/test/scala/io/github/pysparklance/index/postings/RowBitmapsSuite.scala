// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.postings

import org.roaringbitmap.RoaringBitmap
import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.{Buffer, CorruptFileException}
import io.github.pysparklance.index.spi.{BytesKey, Key, KeySlot, NumberKey, RowSet}
import io.github.pysparklance.testkit.PropertyChecks

/** The rows of keys are written as bytes that [[RowSet]] reads. */
class RowBitmapsSuite extends AnyFunSuite with PropertyChecks {
  import RowBitmapsSuite._

  test("encoded numbers are equal to the numbers of a bitmap") {
    forAll(numbers) { its =>
      val encoder = new RoaringEncoder
      its.foreach(encoder.add)
      val out = new ByteSink
      out.putInt(7)
      encoder.finish(out)
      assert(encoder.isEmpty)
      val found = new RoaringBitmap
      found.deserialize(Buffer(out.array).slice(4L, out.length - 4L).toByteBuffer)
      assert(found == RoaringBitmap.bitmapOf(its: _*))
      assert(found.serializedSizeInBytes == out.length - 4)
      found.runOptimize()
      assert(found.serializedSizeInBytes >= out.length - 4 - 4)
    }
  }

  test("rows in any order are written once, in both forms") {
    forAll(Gen.listOf(rows), Gen.listOf(rows)) { (some, more) =>
      for (form <- forms) {
        val all = some ++ some.take(3) ++ more
        val bytes = written(form, all)
        assert(parse(form, bytes) == RowSet.of(all.toArray))
        val parts = form.read(bytes)
        assert(parts.map(_.upper) == parts.map(_.upper).sorted.distinct)
        val copy = new ByteSink
        form.write(RowBitmaps.of(RowSet.of(all.toArray)), copy)
        assert(parse(form, bytesOf(copy)) == RowSet.of(all.toArray))
      }
    }
  }

  test("bitmaps of several lists are merged") {
    forAll(Gen.listOf(rows), Gen.listOf(rows), Gen.listOf(rows)) { (a, b, c) =>
      for (form <- forms) {
        val joined = new ByteSink
        form.write(
          RowBitmaps.union(IndexedSeq(a, b, c).map(its => form.read(written(form, its)))),
          joined
        )
        assert(parse(form, bytesOf(joined)) == RowSet.of((a ++ b ++ c).toArray))
      }
    }
  }

  test("an entry of a row address map without a bitmap contains all rows") {
    val bytes = new ByteSink
    bytes.putInt(1)
    bytes.putInt(5)
    bytes.putInt(0)
    val parts = RowBitmaps.AddressMap.read(bytesOf(bytes))
    assert(parts.map(_.upper) == Seq(5L))
    assert(parts.head.rows.getLongCardinality == 1L << 32)
  }

  test("entries of a row address map without a bitmap share the bytes of theirs") {
    val bytes = new ByteSink
    val count = 100000 // each takes a megabyte
    bytes.putInt(count)
    (0 until count).foreach { id =>
      bytes.putInt(id)
      bytes.putInt(0)
    }
    assert(RowBitmaps.AddressMap.read(bytesOf(bytes)).map(_.upper) == (0L until count.toLong))
  }

  test("truncated bytes are corrupt") {
    for (form <- forms) {
      val bytes = written(form, Seq(3L, 70000L, 1L << 33))
      val errors = (1 until bytes.length).count { cut =>
        try {
          form.read(bytes.slice(0L, cut.toLong)).foreach(_.rows)
          false
        } catch { case _: CorruptFileException => true }
      }
      assert(errors == bytes.length - 1)
    }
  }

  test("keys of all lists are merged in order") {
    val key = Gen.oneOf(Gen.choose(-100L, 100L), Gen.long)
    forAll(Gen.listOf(key)) { keys =>
      val numbers = KeyedLists(isNumber = true)
      val binaries = KeyedLists(isNumber = false)
      val slot = new KeySlot
      keys.zipWithIndex.foreach { case (k, i) =>
        slot.number = k
        numbers.of(slot).add(i.toLong)
        val bytes = s"x$k".getBytes("UTF-8")
        slot.setBytes(bytes, 1, bytes.length)
        binaries.of(slot).add(i.toLong)
      }
      numbers.ofNull.add(77L)
      val expected = keys.zipWithIndex.groupBy(_._1).map { case (k, its) =>
        k -> its.map(_._2.toLong).toSet
      }
      val sorted = expected.toSeq.sortBy(_._1)
      assert(content(numbers) ==
        (Option.empty[Key] -> Set(77L)) +: sorted.map { case (k, its) =>
          Some(NumberKey(k)) -> its
        })
      val found = content(binaries).map { case (k, its) =>
        k.map {
          case b: BytesKey => new String(b.bytes, "UTF-8").toLong; case n => fail(s"$n")
        } -> its
      }
      assert(found.map(_._2).toSet == expected.values.toSet && found.length == expected.size)
      assert(found.flatMap(_._1) == expected.keys.toSeq.sortBy(_.toString))
      assert(numbers.memory.bytes > 0)
      numbers.clear()
      assert(numbers.isEmpty && numbers.memory.bytes == 0 && content(numbers).isEmpty)
    }
  }
}

private object RowBitmapsSuite {
  val forms: Seq[RowBitmaps] = Seq(RowBitmaps.Treemap, RowBitmaps.AddressMap)

  /** Ascending, as unsigned numbers: runs, sparse, and dense containers. */
  val numbers: Gen[Seq[Int]] = for {
    containers <- Gen.choose(0, 6)
    parts <- Gen.listOfN(
      containers,
      for {
        step <- Gen.oneOf(1, 2, 3, 17, 5000)
        count <- Gen.choose(1, 9000)
        from <- Gen.choose(0, 60000)
      } yield Iterator.iterate(from)(_ + step).takeWhile(_ < 65536).take(count).toSeq
    )
    gap <- Gen.oneOf(1, 20000)
  } yield parts.zipWithIndex.flatMap { case (its, i) =>
    its.map(low => ((i * gap) % 65536) << 16 | low)
  }.distinct.sortWith(java.lang.Integer.compareUnsigned(_, _) < 0)

  val rows: Gen[Long] =
    Gen.zip(Gen.choose(0L, 3L), Gen.choose(0L, 70000L)).map { case (upper, low) =>
      upper << 32 | low
    }

  def written(form: RowBitmaps, its: Seq[Long]): Buffer = {
    val list = new RowList(new MemoryUse)
    its.foreach(list.add)
    val out = new ByteSink
    form.write(list, new RoaringEncoder, out)
    bytesOf(out)
  }

  def bytesOf(out: ByteSink): Buffer = Buffer(java.util.Arrays.copyOf(out.array, out.length))

  def parse(form: RowBitmaps, bytes: Buffer): RowSet =
    if (form == RowBitmaps.Treemap) RowSet.parseTreemap(bytes) else RowSet.parse(bytes)

  def content(lists: RowLists): Seq[(Option[Key], Set[Long])] = {
    val found = Seq.newBuilder[(Option[Key], Set[Long])]
    lists.foreach { (key, list) =>
      val rows = Set.newBuilder[Long]
      list.foreach(rows += _)
      found += key -> rows.result()
    }
    found.result()
  }
}
