// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.rowid

import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.{CorruptFileException, RowRange, RowSelection}
import io.github.pysparklance.table.proto
import io.github.pysparklance.testkit.PropertyChecks

class RowDatasetVersionSequenceSuite extends AnyFunSuite with PropertyChecks {

  test("a sequence round-trips, in ranges and row by row") {
    val versions = Gen.listOf(Gen.choose(1L, 3L)).map(_.toArray)
    forAll(versions, Gen.choose(0, 100), Gen.choose(0, 100)) { (rows, a, b) =>
      val written = RowDatasetVersionSequence.of(rows)
      val read = RowDatasetVersionSequence.parse(written.toBytes, Some(rows.length.toLong))
      assert(read.numRows == rows.length)
      assert(read.numRuns == rows.toSeq.zip(rows.toSeq.drop(1)).count(p =>
        p._1 != p._2
      ) + rows.take(1).length)
      val from = math.min(a, rows.length)
      val until = math.min(from + b, rows.length)
      val out = Array.fill(until - from + 2)(-7L)
      read.fill(RowRange(from.toLong, until.toLong), out, 1)
      assert(out.sameElements(-7L +: rows.slice(from, until) :+ -7L))
      rows.indices.foreach(i => assert(read(i.toLong) == rows(i)))
    }
  }

  test("some rows get another version, as if each row had been set") {
    val versions = Gen.nonEmptyListOf(Gen.choose(1L, 3L)).map(_.toArray)
    forAll(versions, Gen.listOf(Gen.choose(0, 30))) { (rows, changed) =>
      val offsets = changed.filter(_ < rows.length).map(_.toLong).toArray
      val updated = RowDatasetVersionSequence
        .of(rows)
        .updated(RowSelection.of(offsets).ranges, 2L)
      offsets.foreach(o => rows(o.toInt) = 2L)
      assert(updated.toBytes.sameElements(RowDatasetVersionSequence.of(rows).toBytes))
    }
    val outside = Seq(RowRange(1, 4))
    intercept[IndexOutOfBoundsException](
      RowDatasetVersionSequence.uniform(1, 3).updated(outside, 2L)
    )
  }

  test("only the number of integers of a span matters") {
    val m = proto.RowDatasetVersionSequence.newBuilder()
    def run(version: Long, span: Long*) = m.addRuns(
      proto.RowDatasetVersionRun
        .newBuilder()
        .setVersion(version)
        .setSpan(U64Segment.encode(span.toArray).toMessage)
    )
    run(4, 90, 7)
    run(9)
    run(5, (0L until 100L by 2): _*)
    val s = RowDatasetVersionSequence.parse(m.build().toByteArray, Some(52L))
    assert(s.numRuns == 2 && s(1) == 4 && s(2) == 5 && s(51) == 5)
  }

  test("one version for all rows is one run from the first row") {
    val m =
      proto.RowDatasetVersionSequence.parseFrom(RowDatasetVersionSequence.uniform(3, 8).toBytes)
    assert(m.getRunsCount == 1 && m.getRuns(0).getVersion == 3)
    assert(m.getRuns(0).getSpan.getRange.getStart == 0 && m.getRuns(0).getSpan.getRange.getEnd == 8)
    assert(RowDatasetVersionSequence.uniform(3, 0).numRows == 0)
  }

  test("another number of rows, too many rows, and foreign bytes are corrupt") {
    val bytes = RowDatasetVersionSequence.uniform(3, Long.MaxValue).toBytes
    val e = intercept[CorruptFileException](RowDatasetVersionSequence.parse(bytes, Some(7L)))
    assert(e.getMessage.contains("versions for 7 rows"))
    val m = proto.RowDatasetVersionSequence.parseFrom(bytes).toBuilder
    m.addRuns(m.getRuns(0))
    intercept[CorruptFileException](RowDatasetVersionSequence.parse(m.build().toByteArray, None))
    intercept[CorruptFileException](RowDatasetVersionSequence.parse(Array[Byte](10, 99), None))
  }
}
