// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.refs

import org.scalatest.Assertion
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.cloning.{DeepClone, ShallowClone}
import io.github.pysparklance.testkit.{MemoryFiles, StorageFaults, TableRows}

/** Every storage call of creating or deleting a branch or a clone fails once in every way.
  * Afterwards, the branch exists or not, the table is unchanged, and the next attempt succeeds.
  */
class RefCrashSuite extends AnyFunSuite {
  private val path = "/memory/table"
  private val target = "/memory/clone"

  private def rows(store: FileStore, at: String, revision: Revision = Revision.Latest): Seq[Any] =
    TableRows(store, LanceTable.open(store, at, revision)).map(_.head)

  private def table(store: FileStore): LanceTable = {
    def write(ids: Long*) = TableRows.write(store, path, ids.map(i => (i, i)))
    val t = LanceTable.create(store, path, TableRows.schema, IndexedSeq(write(1, 2), write(3)))
    t.delete(TableRows.where(store, t)(_.head == 2L), "id = 2")
  }

  private def branches(store: FileStore): Branches = LanceTable.branches(store, path)

  /** @param check checks the state after a fault; its argument is whether the operation reported
    *   success
    */
  private def everyFault(before: FileStore => Any, act: FileStore => Any)(
      check: (FileStore, Boolean) => Assertion
  ): Unit = {
    val files = new MemoryFiles()
    before(files)
    val start = files.snapshot
    val counting = new StorageFaults()
    act(counting(files))
    check(files, true)
    val calls = counting.calls
    for (i <- calls.indices; fault <- StorageFaults.of(calls(i)) if fault != StorageFaults.Silence)
      withClue(s"call $i, ${calls(i)}, $fault: ") {
        val now = new MemoryFiles(start)
        val isDone =
          try { act(new StorageFaults(Some(i -> fault))(now)); true }
          catch { case _: Throwable => false }
        assert(rows(now, path) == Seq(1L, 3L))
        check(now, isDone)
      }
  }

  private val dev = Revision.OnBranch("dev")

  test("branch creation") {
    everyFault(table, branches(_).create("dev")) { (store, isDone) =>
      val all = branches(store)
      assert(!isDone || all.get("dev").isDefined)
      if (all.get("dev").isDefined) assert(rows(store, path, dev) == Seq(1L, 3L))
      all.delete("dev", force = true)
      assert(!store.listFiles(path).exists(f => f.relativePath.contains("dev")))
      all.create("dev")
      assert(rows(store, path, dev) == Seq(1L, 3L))
    }
  }

  test("branch deletion") {
    def before(store: FileStore): Any = {
      table(store)
      branches(store).create("dev")
      val t = LanceTable.open(store, path, dev)
      t.append(IndexedSeq(TableRows.write(store, t.path, Seq((4L, 4L)))))
    }
    everyFault(before, branches(_).delete("dev")) { (store, isDone) =>
      val all = branches(store)
      assert(!isDone || all.get("dev").isEmpty)
      if (all.get("dev").isDefined) assert(rows(store, path, dev) == Seq(1L, 3L, 4L))
      all.delete("dev", force = true)
      assert(!store.listFiles(path).exists(_.relativePath.startsWith("tree/")))
    }
  }

  test("clones") {
    Seq[FileStore => Any](
      s => new ShallowClone(LanceTable.open(s, path))(target),
      s => new DeepClone(LanceTable.open(s, path))(target)
    ).foreach { act =>
      everyFault(table, act) { (store, isDone) =>
        assert(!isDone || LanceTable.exists(store, target))
        if (!LanceTable.exists(store, target)) act(store)
        assert(rows(store, target) == Seq(1L, 3L))
      }
    }
  }
}
