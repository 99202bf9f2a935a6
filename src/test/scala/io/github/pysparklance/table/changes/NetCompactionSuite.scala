// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.changes

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.history.History
import io.github.pysparklance.table.maintenance.{Compaction, CompactionOptions, Reordering}
import io.github.pysparklance.testkit.{TableRows, TemporaryFolder}

/** Net changes by key of tables without stable row ids, across compactions, which move rows. */
class NetCompactionSuite extends AnyFunSuite with TemporaryFolder {
  private val store = Storage.local
  private type Row = (Long, Long)

  private def create(rows: Row*): LanceTable = create("t", rows: _*)

  private def create(name: String, rows: Row*): LanceTable = {
    val path = folder.resolve(name).toString
    LanceTable.create(store, path, TableRows.schema, IndexedSeq(TableRows.write(store, path, rows)))
  }

  private def append(t: LanceTable, rows: Row*): LanceTable =
    t.append(IndexedSeq(TableRows.write(store, t.path, rows)))

  private def deleted(t: LanceTable)(is: Row => Boolean): LanceTable =
    t.delete(where(t)(is), "test")

  private def where(t: LanceTable)(is: Row => Boolean) =
    TableRows.where(store, t)(r => is(r.head.asInstanceOf[Long] -> r.last.asInstanceOf[Long]))

  private def update(t: LanceTable, row: Row): LanceTable =
    t.update(
      where(t)(_._1 == row._1),
      IndexedSeq(TableRows.write(store, t.path, Seq(row))),
      Set(t.schema.field("value").get.id)
    )

  private def compact(t: LanceTable): LanceTable = {
    new Compaction(t).run(CompactionOptions(materializeDeletionsThreshold = 0.0)): Unit
    val after = t.latest
    assert(after.fragments.length == 1 && after.fragments.head.deletionFile.isEmpty)
    after
  }

  /** The net changes after the first version. They must lead to the rows of the last version. */
  private def net(first: LanceTable, last: LanceTable): Seq[String] = {
    val range = VersionRange(first.version + 1, last.version)
    val read = new ChangeFeed(last).read(range, net = true, Seq("id"))
    val rows = ChangeRows(store, read)
    val applied = ChangeRows.applied(TableRows(store, first), rows)
    assert(applied == ChangeRows.counts(TableRows(store, last)))
    rows.map(r => s"${r.change} ${r.values.mkString(",")}").sorted
  }

  test("a row that was inserted, compacted, and updated is one inserted row") {
    val t = create(1L -> 10L, 2L -> 20L, 4L -> 40L)
    val now = update(compact(append(append(t, 3L -> 30L), 5L -> 50L)), 3L -> 31L)
    assert(net(t, now) == Seq("insert 3,31", "insert 5,50"))
    assert(net(t, compact(now)) == Seq("insert 3,31", "insert 5,50"))
    val later = update(now.latest, 3L -> 32L)
    assert(net(t, later) == Seq("insert 3,32", "insert 5,50"))
  }

  test("a row that was inserted, compacted, and deleted has no change") {
    val t = create(1L -> 10L, 2L -> 20L)
    val now = deleted(compact(append(t, 3L -> 30L)))(_._1 == 3)
    assert(net(t, now) == Nil)
    assert(net(t, update(now, 2L -> 21L)) == Seq("update_postimage 2,21", "update_preimage 2,20"))
  }

  test("rows are followed through compactions that remove deleted rows") {
    val t = create(1L -> 10L, 2L -> 20L, 3L -> 30L, 4L -> 40L)
    val inserted = append(append(t, 5L -> 50L, 6L -> 60L, 7L -> 70L), 8L -> 80L)
    val first = compact(deleted(inserted)(r => Set(1L, 3L, 6L)(r._1)))
    val second = compact(deleted(append(first, 9L -> 90L))(r => Set(2L, 5L)(r._1)))
    val now = update(update(second, 7L -> 71L), 9L -> 91L)
    assert(net(t, now) == Seq(
      "delete 1,10",
      "delete 2,20",
      "delete 3,30",
      "insert 7,71",
      "insert 8,80",
      "insert 9,91"
    ))
  }

  test("keys of several rows lose no change across compactions") {
    for (value <- Seq(10L, 11L, 12L)) {
      val t = create(s"t$value", 1L -> 10L, 2L -> 20L)
      val compacted = compact(append(t, 1L -> 11L, 1L -> 12L))
      val removed = deleted(compacted)(_._2 == value)
      assert(net(t, removed).nonEmpty)
      new History(compacted).restore(): Unit
      val next = update(t.latest, 2L -> value)
      assert(net(t, next).contains(s"update_postimage 2,$value"))
    }
  }

  test("rows are not followed through a Z-order") {
    for (value <- Seq(10L, 12L)) {
      val t = create(s"t$value", 1L -> 10L)
      val before = append(t, 1L -> 12L)
      val swapped = TableRows.write(store, t.path, Seq(1L -> 12L, 1L -> 10L))
      val sorted = new Reordering(before).commit(Seq(before.fragments -> IndexedSeq(swapped)))
      val removed = deleted(sorted)(_._2 == value)
      assert(net(t, removed) == Seq(s"delete 1,$value", "insert 1,12"))
    }
  }
}
