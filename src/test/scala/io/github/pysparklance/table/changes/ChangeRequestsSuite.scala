// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.changes

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.transaction.operation.ReserveFragments
import io.github.pysparklance.testkit.{CountingStorage, TableRows, TemporaryFolder}

/** Requests that planning takes. They must not depend on the number of versions. */
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

  test("planning the changes of one version takes few requests, however many versions there are") {
    val (few, many) = (table(12), table(160))
    val (scan, changes) = planned(few, 5)
    appends.foreach(version => assert(planned(many, version) == ((scan, changes))))
    assert(changes <= 3 * scan, s"$changes requests for changes, $scan for a scan")
  }
}
