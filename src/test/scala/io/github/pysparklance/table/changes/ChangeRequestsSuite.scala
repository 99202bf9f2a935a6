// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.changes

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.{LeafColumn, LongValues}
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.columns.ColumnUpdate
import io.github.pysparklance.table.transaction.operation.ReserveFragments
import io.github.pysparklance.testkit.{CountingStorage, TableRows, TemporaryFolder, TestRun}

/** Requests for changes. Planning takes as many for any number of versions. Reads skip unchanged
  * columns.
  */
class ChangeRequestsSuite extends AnyFunSuite with TemporaryFolder {

  private def requests(s: CountingStorage): Int =
    s.opens.get + s.reads.get + s.lists.get + s.statuses.get

  /** Versions with changes. */
  private val appends = Seq(5L, 81L, 159L)

  private def table(numVersions: Int): String = {
    val path = folder.resolve(s"t$numVersions").toString
    def rows = TableRows.write(Storage.local, path, Seq((1L, 1L)))
    var t = LanceTable.create(Storage.local, path, TableRows.schema, IndexedSeq(rows))
    while (t.version < numVersions)
      t =
        if (appends.contains(t.version + 1)) t.append(IndexedSeq(rows))
        else t.commit(ReserveFragments(1))
    path
  }

  /** Requests to plan a scan of a table, and to plan the changes of a version. */
  private def planned(path: String, version: Long): (Int, Int) = {
    val ofScan = new CountingStorage
    val scanned = LanceTable.open(ofScan, path)
    assert(scanned.fragments.forall(_.deletionFile.isEmpty))
    val ofChanges = new CountingStorage
    val feed = new ChangeFeed(LanceTable.open(ofChanges, path))
    val bound = ChangeBound.Version(version)
    val range = feed.range(bound, Some(bound))
    val parts = new ChangeFeed(feed.at(range.end)).read(range).parts
    assert(parts.map(_.change.version) == IndexedSeq(version))
    (requests(ofScan), requests(ofChanges))
  }

  test("unchanged columns of column updates in place are not read") {
    val n = 20000
    val random = new Random(TestRun.seed)
    val rows = Seq.fill(n)((random.nextLong(), random.nextLong()))
    val path = folder.resolve("wide").toString
    val file = TableRows.write(Storage.local, path, rows)
    val t = LanceTable.create(Storage.local, path, TableRows.schema, IndexedSeq(file))
    val plan = ColumnUpdate.plan(t, Seq("value"))
    val writer = plan.tasks.head.open(Storage.local)
    val values = new LongValues
    (0 until n).foreach(_ => values.append(random.nextLong()))
    writer.write(Array.range(0, n).map(_.toLong), IndexedSeq(LeafColumn(values, null)))
    plan.commit(Seq(writer.finish())): Unit

    val store = new CountingStorage
    val changes = new ChangeFeed(LanceTable.open(store, path)).read(VersionRange(2, 2))
    val opens = store.opens.get
    assert(opens == 2, "planning reads the two manifests")
    def bytes(columns: String*): Long = {
      val before = store.bytesRead.get
      val fields = columns.map(changes.schema.field(_).get).toIndexedSeq
      assert(ChangeRows(store, changes, Some(fields)).length == 2 * n)
      store.bytesRead.get - before
    }
    val column = 8L * n
    // The earlier values are in one data file, the later ones in the other. The end of each file is
    // read with its metadata.
    assert(bytes("value") < 3 * column)
    assert(store.opens.get == opens + 2)
    assert(bytes("value", "id") > 4 * column)
  }

  test("planning the changes of one version takes few requests, however many versions there are") {
    val (few, many) = (table(12), table(160))
    val (scan, changes) = planned(few, 5)
    appends.foreach(version => assert(planned(many, version) == ((scan, changes))))
    assert(changes <= 3 * scan, s"$changes requests for changes, $scan for a scan")
  }
}
