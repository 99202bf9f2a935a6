// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.storm

import scala.collection.mutable

import org.scalatest.{Assertion, Assertions}

import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.cleanup.CleanupPolicy
import io.github.pysparklance.testkit.StorageFaults.Call
import io.github.pysparklance.testkit.{MemoryFiles, StorageFaults, TableRows, TestRun}

/** Shared code of tests with interrupted writers. */
trait Crashes extends Assertions {
  protected val isLong: Boolean = TestRun.isLong
  protected val seed: Long = sys.env.get("PYSPARK_LANCE_SEED").fold(6L)(_.toLong)

  /** Path of an in-memory table. */
  protected val memoryPath = "/memory/table"

  /** A run of an operation without faults.
    *
    * @param before the files at the start
    * @param states the table at each step, none if it does not exist; the first is the state before
    */
  protected case class Course(
      before: Map[String, IndexedSeq[Byte]],
      states: IndexedSeq[Option[TableState]],
      calls: IndexedSeq[Call]
  )

  protected def courseOf(scenario: Scenario): Course = {
    val files = new MemoryFiles()
    scenario.before(Site(files, files, memoryPath))
    val before = files.snapshot
    def stateNow() = TableState.of(files, memoryPath, scenario.removesVersions)
    val states = mutable.ArrayBuffer(stateNow())
    val counting = new StorageFaults(after = { call =>
      if (call.changesFiles && call.method != "write") {
        val now = stateNow()
        if (now != states.last) states += now
      }
    })
    scenario.act(Site(counting(files), files, memoryPath))
    assert(states.length > 1 || scenario.removesVersions, "the operation changes nothing")
    Course(before, states.toIndexedSeq, counting.calls)
  }

  /** Checks that readers see one of the states of the complete run. */
  protected def onCourse(
      scenario: Scenario,
      course: Course,
      store: FileStore,
      path: String
  ): Option[TableState] = {
    val state = TableState.of(store, path, scenario.removesVersions)
    def text(s: Option[TableState]): String = s.fold("no table")(_.toString)
    assert(
      course.states.contains(state),
      s"neither before nor after:\n${text(state)}\nbefore\n${text(course.states.head)}"
    )
    state
  }

  /** Lets a new writer add a row, or create a missing table. */
  protected def goOn(store: FileStore, path: String, state: Option[TableState]): Assertion = {
    val added = IndexedSeq(TableRows.write(store, path, Seq((-1L, -1L))))
    val now =
      if (state.isEmpty) LanceTable.create(store, path, TableRows.schema, added)
      else LanceTable.open(store, path).append(added)
    assert(now.version == state.fold(1L)(_.latest + 1))
    val width = math.min(now.schema.fields.length, 2)
    val rows = TableRows(store, now).map(_.take(width))
    val before = state.fold(Seq.empty[Seq[Any]])(_.rows.map(_.take(width)))
    val expected = before :+ Seq.fill(width)(-1L)
    assert(rows.sortBy(_.toString) == expected.sortBy(_.toString))
  }

  /** Checks that clean-up keeps the latest version and versions with tags or branches, and no other
    * file.
    */
  protected def cleanUp(store: FileStore, path: String): Assertion = {
    val t = LanceTable.open(store, path)
    val rows = TableRows(store, t)
    val policy = CleanupPolicy(deleteUnverified = true, errorIfTaggedOldVersions = false)
    assert(t.planCleanup(policy).run(store).failedDeletes == 0)
    assert(TableRows(store, LanceTable.open(store, path)) == rows)
    val kept = LanceTable.tags(store, path).list().map(_.version) ++
      LanceTable.branches(store, path).list().map(_.parentVersion)
    assert(LanceTable.versions(store, path) == (kept :+ t.version).distinct.sorted)
    kept.foreach(v => TableRows(store, LanceTable.open(store, path, Some(v))))
    val files = TableState.files(store, path)
    val needed = TableState.needed(store, path)
    assert(files.diff(needed) == Set.empty, "unreferenced files")
    assert(needed.diff(files) == Set.empty, "files that are gone")
  }
}
