// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.scan

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.ObjectMapper
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.{RowRange, RowSelection}
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.rowid.RowAddress
import io.github.pysparklance.testkit.{CountingStorage, GoldenTables}

/** Rows and fragments selected by conditions on metadata columns, limits, and offsets. */
class RowConditionSuite extends AnyFunSuite {
  import RowCondition._

  private def golden(name: String): LanceTable =
    LanceTable.open(Storage.local, GoldenTables.path(name).toString)

  /** Returns the addresses of selected live rows. */
  private def addresses(t: LanceTable, condition: RowCondition): Seq[Long] =
    condition.select(t).zip(t.fragments).flatMap { case (rows, f) =>
      val deletions = t.deletionVector(f)
      rows.ranges.flatMap(r => r.from until r.until).filterNot(deletions.isDeleted).map(
        RowAddress(f.id, _)
      )
    }

  private def expected(name: String, column: String): Seq[Long] =
    new ObjectMapper().readTree(GoldenTables.path(name).toFile).get(column).elements.asScala
      .map(_.asLong).toSeq

  Seq("identity", "identity_spilled").foreach { name =>
    test(s"$name: rows by stable id have the same positions as in pylance") {
      val t = golden(s"$name.lance")
      val ids = expected(s"$name.json", "_rowid")
      val at = expected(s"$name.json", "_rowaddr")
      ids.zip(at).foreach { case (id, address) =>
        assert(addresses(t, RowIdIn(IndexedSeq(id))) == Seq(address))
      }
      assert(addresses(t, in(MetadataColumn.RowId, ids).get) == at)
      // Deleted, never existing, above all signed numbers.
      assert(addresses(t, in(MetadataColumn.RowId, Seq(3L, 703L, 99999L, -1L)).get).isEmpty)
    }
  }

  test("conditions on addresses, on none, and on ids that are addresses") {
    val t = golden("deletions.lance")
    val wanted =
      Seq(0L, 3L, 7998L, 8000L, RowAddress(1, 0), RowAddress(1, 1), RowAddress(7, 0), -1L)
    val found = Seq(0L, 7998L, RowAddress(1, 0))
    assert(addresses(t, in(MetadataColumn.RowAddr, wanted).get) == found)
    assert(addresses(t, in(MetadataColumn.RowId, wanted).get) == found)
  }

  test("fragments, conjunctions and disjunctions") {
    val t = golden("deletions.lance")
    val second = FragIdIn(IndexedSeq(1L))
    val rows = RowAddrIn(IndexedSeq(5L, RowAddress(1, 4)))
    def lengths(c: RowCondition) = c.select(t).map(_.numRows)
    assert(lengths(second) == Seq(0, 8000))
    assert(lengths(And(second, rows)) == Seq(0, 1))
    assert(lengths(Or(second, rows)) == Seq(1, 8000))
    assert(lengths(EveryRow) == Seq(8000, 8000) && lengths(NoRow) == Seq(0, 0))
    assert(in(MetadataColumn.RowAddr, Nil).contains(NoRow))
    assert(in(MetadataColumn.RowCreatedAtVersion, Seq(1L)).isEmpty)
    assert(Or(second, rows).maxRows(100) == 100 && And(second, rows).maxRows(100) == 2)
    assert(And(second, rows).toString == "(_fragid = 1 AND _rowaddr IN (5, 4294967300))")
    assert(RowIdIn(0L until 12L).toString ==
      "_rowid IN (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, ... 2 more)")
  }

  test("ranks of live rows, with any deleted rows between them") {
    val t = golden("deletions.lance")
    val all = t.fragments.flatMap { f =>
      val deletions = t.deletionVector(f)
      (0L until f.physicalRows.get).filterNot(deletions.isDeleted).map(RowAddress(f.id, _))
    }
    val cuts = Seq(0L, 1L, 3L, 4L, 7997L, 7998L, 7999L, 8500L, 9997L, 9998L, 9999L, Long.MaxValue)
    for (from <- cuts; until <- cuts if from <= until) {
      val ranges = LiveRowWindow(t, RowRange(from, until))
      val found = ranges.zip(t.fragments).flatMap { case (r, f) =>
        val deletions = t.deletionVector(f)
        (r.from until r.until).filterNot(deletions.isDeleted).map(RowAddress(f.id, _))
      }
      val wanted = all.slice(math.min(from, 10000L).toInt, math.min(until, 10000L).toInt)
      assert(found == wanted, s"[$from, $until)")
    }
  }

  test("rows by rank") {
    val t = golden("deletions.lance")
    val all = addresses(t, EveryRow)
    val ranks = Seq(-1L, 0L, 2L, 3L, 7996L, 7997L, 7998L, 8500L, 9997L, 9998L, 1L << 40)
    val found = addresses(t, in(MetadataColumn.RowOffset, ranks.reverse).get)
    assert(found == ranks.filter(r => r >= 0 && r < all.length).map(r => all(r.toInt)))
    Seq("identity", "identity_spilled").foreach { name =>
      val wanted = expected(s"$name.json", "_rowaddr").zipWithIndex.filter(_._2 % 5 == 2)
      val rows = in(MetadataColumn.RowOffset, wanted.map(_._2.toLong)).get
      assert(addresses(golden(s"$name.lance"), rows) == wanted.map(_._1))
    }
  }

  test("only the deletion file of a partially selected fragment is read") {
    val counting = new CountingStorage
    val t = LanceTable.open(counting, GoldenTables.path("deletions.lance").toString)
    counting.opens.set(0)
    LiveRowWindow(t, RowRange(0, 7998))
    assert(counting.opens.get == 0)
    LiveRowWindow(t, RowRange(0, 8000))
    assert(counting.opens.get == 1)
    RowOffsetIn(IndexedSeq(5L, 6L)).select(t)
    assert(counting.opens.get == 2)
    val stable = LanceTable.open(counting, GoldenTables.path("identity.lance").toString)
    counting.opens.set(0)
    RowIdIn(1L until 8L).select(stable)
    assert(counting.opens.get == 0)
    // An update moved this row, and left its id behind.
    assert(RowIdIn(IndexedSeq(8L)).select(stable).map(_.numRows) == Seq(0, 0, 1))
    assert(counting.opens.get == 1)
  }

  test("selected rows: small gaps are decoded, deleted and unselected rows are dropped") {
    val t = golden("deletions.lance")
    val deletions = t.deletionVector(t.fragments(0)) // rows 3 and 7999
    val some = RowSelection.of(Array(1L, 2L, 3L, 4L, 10L, 7998L, 7999L))
    def wanted(gap: Long, rows: RowRange = RowRange(0, 8000)) =
      new SelectedRows(rows, Some(some), deletions, gap)
    assert(wanted(0).ranges ==
      Seq(RowRange(1, 3), RowRange(4, 5), RowRange(10, 11), RowRange(7998, 7999)))
    assert(wanted(5).ranges == Seq(RowRange(1, 11), RowRange(7998, 7999)))
    assert(wanted(5, RowRange(2, 8)).ranges == Seq(RowRange(2, 5)))
    assert(wanted(5).positionsIn(RowRange(1, 11)).toSeq == Seq(0, 1, 3, 9))
    assert(wanted(5).positionsIn(RowRange(1, 3)) == null)
    assert(wanted(5).numDeletedIn(RowRange(1, 11), 4) == 1)
    val all = new SelectedRows(RowRange(0, 8000), None, deletions, 1023)
    assert(all.ranges == Seq(RowRange(0, 7999)))
    assert(all.positionsIn(RowRange(2, 5)).toSeq == Seq(0, 2))
    assert(all.positionsIn(RowRange(4, 9)) == null)
    assert(all.numDeletedIn(RowRange(2, 5), 2) == 1)
  }
}
