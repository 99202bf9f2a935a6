// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.rowid

import scala.util.Random

import com.google.protobuf.ByteString
import org.scalacheck.Gen
import org.scalatest.Assertion
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.{CorruptFileException, RowRange, UnsupportedFeatureException}
import io.github.pysparklance.table.deletion.DeletionVector
import io.github.pysparklance.table.proto
import io.github.pysparklance.table.proto.U64Segment.SegmentCase
import io.github.pysparklance.testkit.{PropertyChecks, TestRun}

class RowIdSequenceSuite extends AnyFunSuite with PropertyChecks {
  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = 200)

  /** Distinct ids in any order: close together, far apart, and beyond the signed range. */
  private val idLists: Gen[Array[Long]] = for {
    base <- Gen.oneOf(Gen.choose(0L, 1000L), Gen.const(-70000L), Gen.const(Long.MaxValue - 50000))
    span <- Gen.oneOf(1L, 20L, 300L, 5000L, 70000L, 1L << 33)
    count <- Gen.choose(0, 400)
    offsets <- Gen.listOfN(count, Gen.choose(0L, span - 1))
    isSorted <- Gen.oneOf(true, true, false)
  } yield {
    val ids = offsets.distinct.map(base + _).toArray
    if (isSorted) ids.sortWith(java.lang.Long.compareUnsigned(_, _) < 0) else ids
  }

  private def messageOf(ids: Long*): proto.U64Segment =
    proto.RowIdSequence.parseFrom(RowIdSequence.of(ids.toArray).toBytes).getSegments(0)

  test("a sequence round-trips, in full, in ranges, and row by row") {
    forAll(Gen.listOf(idLists), Gen.choose(0, 1 << 30)) { (lists, seed) =>
      val m = proto.RowIdSequence.newBuilder()
      lists.foreach(l => m.addSegments(U64Segment.encode(l).toMessage))
      val expected = lists.flatten.toArray
      val read = RowIdSequence.parse(m.build().toByteArray, Some(expected.length.toLong))
      assert(read.numRows == expected.length)
      assert(read.toArray.sameElements(expected))
      assert(RowIdSequence.parse(read.toBytes, None).toArray.sameElements(expected))
      val random = new Random(seed)
      (0 until 20).foreach { _ =>
        val from = random.nextInt(expected.length + 1)
        val until = from + random.nextInt(expected.length - from + 1)
        val out = Array.fill(until - from + 2)(7L)
        read.fill(RowRange(from.toLong, until.toLong), out, 1)
        assert(out.sameElements(7L +: expected.slice(from, until) :+ 7L))
        if (from < expected.length) assert(read(from.toLong) == expected(from))
      }
    }
  }

  test("a lookup of ids finds exactly their rows") {
    forAll(Gen.listOf(idLists), Gen.choose(0, 1 << 30)) { (lists, seed) =>
      val m = proto.RowIdSequence.newBuilder()
      lists.foreach(l => m.addSegments(U64Segment.encode(l).toMessage))
      val rows = lists.flatten.toArray
      val read = RowIdSequence.parse(m.build().toByteArray, None)
      val random = new Random(seed)
      val wanted =
        (random.shuffle(rows.toSeq).take(30) ++ Seq.fill(30)(random.nextInt(80000).toLong)).distinct
          .sortWith(java.lang.Long.compareUnsigned(_, _) < 0)
          .toArray
      val found = Set.newBuilder[(Long, Long)]
      read.locate(wanted, (i, offset) => found += wanted(i) -> offset)
      val expected =
        for ((id, offset) <- rows.zipWithIndex if wanted.contains(id)) yield id -> offset.toLong
      assert(found.result() == expected.toSet)
    }
  }

  test("the writer picks the smallest form") {
    assert(messageOf().getRange == proto.U64Segment.Range.getDefaultInstance)
    assert(messageOf(5, 6, 7).getRange.getEnd == 8)
    val holes = messageOf((0L until 100L).filter(_ != 50): _*)
    assert(holes.getRangeWithHoles.getHoles.getU16Array.getBase == 50)
    val bitmap = messageOf((0L until 100L by 2): _*)
    assert(bitmap.getSegmentCase == SegmentCase.RANGE_WITH_BITMAP)
    assert(bitmap.getRangeWithBitmap.getBitmap.size == 13) // 0 .. 99 in 99 bits
    assert(bitmap.getRangeWithBitmap.getBitmap.byteAt(0) == 0x55)
    val sorted = messageOf(0L, 1000L, 100000L)
    assert(sorted.getSortedArray.getU32Array.getOffsets.size == 12)
    assert(messageOf(0L, 1L << 40).getSortedArray.getU64Array.getValues.size == 16)
    assert(messageOf(9L, 8L).getArray.getU16Array.getBase == 8)
  }

  test("consecutive ids after a sequence") {
    val s = RowIdSequence.range(5, 3).appended(8, 2)
    assert(s.toArray.toSeq == Seq(5, 6, 7, 8, 9))
    assert(proto.RowIdSequence.parseFrom(s.toBytes).getSegmentsCount == 1)
    val t = RowIdSequence.of(Array(7L, 2L)).appended(100, 1).appended(101, 0)
    assert(t.toArray.toSeq == Seq(7, 2, 100))
  }

  private def rejected(problem: String)(change: proto.U64Segment.Builder => Any): Assertion = {
    val b = proto.U64Segment.newBuilder()
    change(b)
    val bytes = proto.RowIdSequence.newBuilder().addSegments(b).build().toByteArray
    val e = intercept[CorruptFileException](RowIdSequence.parse(bytes, None))
    assert(e.getMessage.contains(problem), e.getMessage)
  }

  private def u16(base: Long, offsets: Int*): proto.EncodedU64Array = {
    val bytes = offsets.flatMap(o => Seq(o.toByte, (o >> 8).toByte)).toArray
    val array =
      proto.EncodedU64Array.U16Array.newBuilder().setBase(base).setOffsets(ByteString.copyFrom(
        bytes
      ))
    proto.EncodedU64Array.newBuilder().setU16Array(array).build()
  }

  test("inconsistent segments are corrupt") {
    import proto.U64Segment.{Range, RangeWithBitmap, RangeWithHoles}
    rejected("empty U64Segment")(identity)
    rejected("a range from 5 to 4")(_.setRange(Range.newBuilder().setStart(5).setEnd(4)))
    rejected("a range from 0 to 18446744073709551615")(_.setRange(Range.newBuilder().setEnd(-1L)))
    def holes(a: proto.EncodedU64Array) =
      RangeWithHoles.newBuilder().setStart(10).setEnd(20).setHoles(a)
    rejected("holes outside")(_.setRangeWithHoles(holes(u16(9, 0, 3))))
    rejected("holes outside")(_.setRangeWithHoles(holes(u16(10, 0, 10))))
    rejected("not sorted")(_.setRangeWithHoles(holes(u16(10, 3, 3))))
    def bitmap(bytes: Int*) =
      RangeWithBitmap.newBuilder().setStart(
        1
      ).setEnd(11).setBitmap(ByteString.copyFrom(bytes.map(_.toByte).toArray))
    rejected("a bitmap of 1 bytes for a range of 10")(_.setRangeWithBitmap(bitmap(1)))
    rejected("past the end")(_.setRangeWithBitmap(bitmap(1, 4)))
    rejected("sorted_array is not sorted")(_.setSortedArray(u16(0, 1, 1)))
    rejected("without an array")(_.setArray(proto.EncodedU64Array.getDefaultInstance))
    val odd = proto.EncodedU64Array.U32Array.newBuilder().setOffsets(ByteString.copyFrom(
      new Array[Byte](6)
    ))
    rejected("6 bytes for values of 4")(
      _.setArray(proto.EncodedU64Array.newBuilder().setU32Array(odd))
    )
  }

  test("the number of ids must equal the number of rows, whatever a range claims") {
    val huge = RowIdSequence.range(0, Long.MaxValue).toBytes
    val e = intercept[CorruptFileException](RowIdSequence.parse(huge, Some(10L)))
    assert(e.getMessage.contains("9223372036854775807 ids for 10 rows"))
    val two = proto.RowIdSequence.parseFrom(huge).toBuilder
    two.addSegments(two.getSegments(0))
    intercept[CorruptFileException](RowIdSequence.parse(two.build().toByteArray, None))
    intercept[CorruptFileException](RowIdSequence.parse(Array[Byte](1, 2, 3), None))
  }

  test("more segments or runs than the heap can hold are rejected before they are parsed") {
    val bytes = new Array[Byte](2 * (Runtime.getRuntime.maxMemory / 128 + 1).toInt)
    bytes.indices.by(2).foreach(i => bytes(i) = 10)
    Seq[() => Any](
      () => RowIdSequence.parse(bytes, None),
      () => RowDatasetVersionSequence.parse(bytes, None)
    ).foreach { parse =>
      val e = intercept[UnsupportedFeatureException](parse())
      assert(e.getMessage.contains("too many for a heap"))
    }
  }

  test("corrupt bytes raise Lance errors") {
    val seed = TestRun.seed
    val random = new Random(seed)
    val bytes =
      Seq(Seq(1L, 2L, 9L, 4L), 0L to 99L by 3, (0L to 99L).filter(_ % 40 != 7), Seq(1L, 1L << 50))
        .map(l => RowIdSequence.of(l.toArray).toBytes)
        .reduce(_ ++ _)
    (0 until 20000).foreach { i =>
      val damaged = bytes.clone()
      (0 to random.nextInt(3)).foreach(_ =>
        damaged(random.nextInt(damaged.length)) = random.nextInt(256).toByte
      )
      try {
        val s = RowIdSequence.parse(damaged, None)
        if (s.numRows > 0) {
          s(s.numRows - 1)
          s.fill(RowRange(0, math.min(s.numRows, 300L)), new Array[Long](300), 0)
          s.locate(Array(0L, 1L, 50L, 1L << 50), (_, _) => ())
        }
      } catch {
        case _: CorruptFileException => ()
        case e: Throwable => fail(s"seed $seed, round $i: $e", e)
      }
    }
  }

  test("a row id refers to the live row, wherever it moved") {
    val before = RowIdSequence.range(0, 10)
    val moved = RowIdSequence.of(Array(7L, 3L))
    val index = new RowIdIndex(
      IndexedSeq(
        new RowIdIndex.Entry(4, () => before, () => DeletionVector.of(Array(3, 7, 9))),
        new RowIdIndex.Entry(5, () => moved, () => DeletionVector.empty)
      )
    )
    val found = index.addressesOf(Array(7L, 0L, 9L, 3L, 100L, 7L))
    val none = RowAddress.none
    assert(found.toSeq == Seq(5L << 32, 4L << 32, none, 5L << 32 | 1, none, 5L << 32))
    assert(RowAddress.fragmentId(found(3)) == 5 && RowAddress.offset(found(3)) == 1)
  }
}
