// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index

import java.util.UUID

import org.roaringbitmap.RoaringBitmap
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.{LogicalType, RowRange}
import io.github.pysparklance.index.spi.{
  IndexFiles,
  IndexPredicate,
  SegmentResult,
  Zone,
  ZonedSegment
}
import io.github.pysparklance.table.manifest.IndexSegment
import io.github.pysparklance.testkit.{NumberTables, TemporaryFolder}

class RowMappingSuite extends AnyFunSuite with TemporaryFolder {

  final private class Zones(val zones: IndexedSeq[Zone]) extends ZonedSegment {
    def evaluate(files: IndexFiles, predicate: IndexPredicate): Option[SegmentResult] = None
    def valueType: Option[LogicalType] = None
    def sizeInBytes: Long = 0L
  }

  test("a segment is used if its zones contain each live row of a fragment exactly once") {
    val created = NumberTables.create(folder.resolve("t").toString, 0L until 100L, 100L until 200L)
    val mapping = new RowMapping(NumberTables.delete(created, 0, 40 until 50: _*))
    val both = RoaringBitmap.bitmapOf(0, 1)

    /** The fragments that are used if the second one has one zone. */
    def used(first: Seq[(Int, Int)], named: RoaringBitmap = both): Seq[Int] = {
      val zones = first.map { case (from, until) => Zone(0, RowRange(from.toLong, until.toLong)) }
      val segment = IndexSegment.of(
        UUID.randomUUID(),
        "zones",
        Seq(0),
        1L,
        named,
        "lance.table.ZoneMapIndexDetails",
        Array.emptyByteArray,
        0,
        Nil
      )
      val all = new Zones((zones :+ Zone(1, RowRange(0, 100))).toIndexedSeq)
      mapping.tiled(all, segment, both).toArray.toSeq
    }

    assert(used(Seq(0 -> 30, 30 -> 100)) == Seq(0, 1))
    assert(used(Seq(60 -> 100, 0 -> 60)) == Seq(0, 1), "in any order")
    assert(used(Seq(0 -> 40, 50 -> 100)) == Seq(0, 1), "a hole of deleted rows")
    assert(used(Nil) == Seq(1), "no zones")
    val unsound = Seq(
      "a live row before a hole of deleted rows" -> Seq(0 -> 39, 50 -> 100),
      "a live row after it" -> Seq(0 -> 40, 51 -> 100),
      "a hole of live rows" -> Seq(0 -> 60, 70 -> 100),
      "a hole at the start" -> Seq(1 -> 100),
      "a hole at the end" -> Seq(0 -> 99),
      "overlapping zones" -> Seq(0 -> 61, 60 -> 100),
      "overlapping deleted rows" -> Seq(0 -> 45, 44 -> 100),
      "a zone in another one" -> Seq(0 -> 100, 10 -> 20),
      "equal zones" -> Seq(0 -> 100, 0 -> 100),
      "a zone past the end" -> Seq(0 -> 60, 60 -> 101),
      "a zone after the end" -> Seq(0 -> 100, 100 -> 110)
    )
    unsound.foreach { case (clue, zones) =>
      assert(used(zones).isEmpty, clue)
      // Zones of fragments that the segment itself does not name are ignored.
      assert(used(zones, RoaringBitmap.bitmapOf(1)) == Seq(1), clue)
    }
  }
}
