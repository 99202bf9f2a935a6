// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.changes

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.{Field, LogicalType}
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.columns.SchemaUpdate
import io.github.pysparklance.table.history.History
import io.github.pysparklance.table.maintenance.{Compaction, CompactionOptions}
import io.github.pysparklance.table.schema.{FieldPath, SchemaChange}
import io.github.pysparklance.testkit.{CountingStorage, TableRows, TemporaryFolder}

class FollowedTableSuite extends AnyFunSuite with TemporaryFolder {
  private val store = Storage.local

  private def path: String = folder.resolve("t").toString

  private def empty(): LanceTable =
    LanceTable.create(store, path, TableRows.schema, IndexedSeq.empty)

  /** Appends two rows, so that the deletion of one of them writes a deletion file. */
  private def append(id: Long): LanceTable = {
    val rows = Seq(id -> id, (100 + id) -> id)
    LanceTable.open(store, path).append(IndexedSeq(TableRows.write(store, path, rows)))
  }

  private def delete(id: Long): LanceTable = {
    val t = LanceTable.open(store, path)
    t.delete(TableRows.where(store, t)(_.head == id), "test")
  }

  private def addColumn(name: String): LanceTable = {
    val field = Field(Field.Unassigned, name, LogicalType.parse("int64"), nullable = true)
    SchemaUpdate.plan(
      LanceTable.open(store, path),
      Seq(SchemaChange.Add(FieldPath.root, field))
    ).run()
  }

  /** Returns the commits of a range, and the number of files that were opened for them. */
  private def commits(
      range: VersionRange,
      identifierColumns: Option[Seq[String]] = None
  ): (Seq[FollowedCommit], Int) = {
    val counting = new CountingStorage
    val latest = LanceTable.open(counting, path)
    val before = counting.opens.get
    val followed = new FollowedTable(latest, identifierColumns, skipsMissing = false)
    val found = followed.commits(range, None, None).toIndexedSeq
    (found, counting.opens.get - before)
  }

  for (identifierColumns <- Seq(None, Some(Nil))) {
    val what = if (identifierColumns.isDefined) "changes" else "appended rows"

    test(s"$what of a table that was created without rows: each manifest is read once") {
      empty(): Unit
      (1L to 20L).foreach(append(_): Unit)
      val (found, opens) = commits(VersionRange(1, 21), identifierColumns)
      assert(found.map(_.version) == (1L to 21L))
      assert(found.map(_.parts.length) == 0 +: Seq.fill(20)(1))
      // The latest version is loaded.
      assert(opens == 20)
    }

    test(s"$what of a table without rows whose columns change: each manifest is read once") {
      empty(): Unit
      addColumn("a"): Unit
      val restored = new History(LanceTable.open(store, path, Some(1L))).restore()
      addColumn("b"): Unit
      assert(restored.version == 3)
      val (found, opens) = commits(VersionRange(1, 4), identifierColumns)
      assert(found.map(_.version) == (1L to 4L) && found.forall(_.parts.isEmpty) && opens == 3)
    }
  }

  test("the columns of earlier versions are found without deletion files") {
    empty(): Unit
    (1L to 4L).foreach(append(_): Unit)
    delete(1): Unit
    assert(delete(2).fragments.count(_.deletionFile.isDefined) == 2)
    new Compaction(LanceTable.open(store, path)).run(CompactionOptions()): Unit
    val latest = LanceTable.open(store, path).version
    // No file of version 2 is in the latest version, so the versions in between are compared.
    val (found, opens) = commits(VersionRange(2, 2))
    assert(found.map(_.parts.length) == Seq(1))
    assert(opens == 2 + (latest - 2))
  }
}
