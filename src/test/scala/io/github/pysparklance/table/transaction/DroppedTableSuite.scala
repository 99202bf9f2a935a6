// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction

import java.nio.file.Files

import org.scalatest.Assertion
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.CommitConflictException
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.cleanup.CleanupPolicy
import io.github.pysparklance.table.deletion.DeletionVector
import io.github.pysparklance.table.maintenance.{Compaction, CompactionOptions}
import io.github.pysparklance.testkit.{TableRows, TemporaryFolder}

/** Operations on a table that is dropped before they commit. */
class DroppedTableSuite extends AnyFunSuite with TemporaryFolder {
  private val store = Storage.local
  private def path: String = folder.resolve("t").toString

  private def fragment(id: Long) = TableRows.write(store, path, Seq(id -> id))

  /** A table with as many rows as versions after the first. */
  private def create(numAppends: Int, firstId: Long): LanceTable =
    (0 until numAppends).foldLeft(LanceTable.create(store, path, TableRows.schema)) { (t, i) =>
      t.append(IndexedSeq(fragment(firstId + i)))
    }

  private def rejected(operation: LanceTable => Any, on: LanceTable): Assertion = {
    val e = intercept[CommitConflictException](operation(on))
    assert(e.getMessage.contains(s"version ${on.version}") && !e.retryable, e.getMessage)
  }

  private val operations = Seq[LanceTable => Any](
    t => t.append(IndexedSeq(fragment(100))),
    t => t.delete(Map(t.fragments.head.id -> DeletionVector.of(Array(0))), "id = 0"),
    t => t.overwrite(IndexedSeq(fragment(100)), TableRows.schema)
  )

  test("a dropped table does not exist again") {
    operations.foreach { operation =>
      val before = create(3, 0)
      LanceTable.drop(store, path)
      rejected(operation, before)
      assert(!Files.exists(folder.resolve("t").resolve("_versions")))
      LanceTable.drop(store, path)
    }
  }

  test("a table that was created again, with fewer, as many, and more versions, is unchanged") {
    for (operation <- operations; numAppends <- Seq(1, 3, 5)) {
      val before = create(3, 0)
      LanceTable.drop(store, path)
      create(numAppends, 10)
      rejected(operation, before)
      val now = LanceTable.open(store, path)
      assert(now.version == numAppends + 1)
      assert(TableRows(store, now).map(_.head) == (0 until numAppends).map(10L + _))
      LanceTable.drop(store, path)
    }
  }

  test("a table without rows that was dropped and created again") {
    val before = LanceTable.create(store, path, TableRows.schema)
    LanceTable.drop(store, path)
    create(2, 10)
    rejected(_.append(IndexedSeq(fragment(100))), before)
    assert(LanceTable.open(store, path).version == 3)
  }

  test("a retryable conflict with a version of the table that was created again") {
    val before = create(3, 0)
    LanceTable.drop(store, path)
    create(5, 10)
    val options = CommitOptions(onlyOnBase = true)
    rejected(_.append(IndexedSeq(fragment(100)), options = options), before)
  }

  test("clean-up may remove the base before the commit, also with all its files") {
    val replaced = create(3, 0)
    new Compaction(replaced).run(CompactionOptions(targetRowsPerFragment = 100)): Unit
    // A compaction commits two versions.
    val policy = CleanupPolicy(beforeVersion = Some(replaced.version + 1))
    LanceTable.open(store, path).planCleanup(policy).run(store)
    val compacted = replaced.append(IndexedSeq(fragment(10)))
    assert(TableRows(store, compacted).map(_.head) == Seq(0L, 1L, 2L, 10L))
    LanceTable.drop(store, path)

    val before = create(3, 0)
    before.append(IndexedSeq(fragment(10)))
    LanceTable.open(store, path).planCleanup(CleanupPolicy()).run(store)
    val after = before.append(IndexedSeq(fragment(20)))
    assert(TableRows(store, after).map(_.head) == Seq(0L, 1L, 2L, 10L, 20L))
  }
}
