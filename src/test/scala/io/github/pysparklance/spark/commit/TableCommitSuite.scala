// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.commit

import java.io.IOException

import org.apache.spark.sql.connector.write.WriterCommitMessage
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.{
  CommitConflictException,
  CommitStateUnknownException,
  InvalidRequestException
}
import io.github.pysparklance.spark.commit.CommitOutcome.{Committed, Conflict, Unknown}
import io.github.pysparklance.spark.common.TableLocation
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.testkit.{FaultyStorage, TableRows, TemporaryFolder}

class TableCommitSuite extends AnyFunSuite with TemporaryFolder {
  private val store = Storage.local
  private def path: String = folder.resolve("t").toString

  private def table: LanceTable = LanceTable.open(store, path)

  private def create(config: (String, String)*): LanceTable = {
    LanceTable.drop(store, path)
    LanceTable.create(store, path, TableRows.schema, config = config.toMap)
  }

  /** Files that a task wrote. */
  private def written(): TaskFiles =
    TaskFiles(IndexedSeq(TableRows.write(store, path, Seq((1L, 1L)))))

  private def exists(files: TaskFiles): Boolean = {
    val present = store.listNames(s"$path/data").toSet
    val found = files.fragments.flatMap(_.files).map(f => present(f.path))
    assert(found.distinct.length == 1)
    found.head
  }

  private def numbered(version: Long): CommitInfo = {
    val write = AppTransaction("job", version)
    CommitInfo.none.copy(transaction = Some(write)).withProperties(write.properties)
  }

  private def append(base: LanceTable, files: TaskFiles, info: CommitInfo): Published =
    Published(Some(base.append(files.fragments, info.properties)))

  private val conflict = new CommitConflictException("lost", 2L, retryable = true)

  test("committed files belong to the new version, and an abort after it keeps them") {
    val base = create()
    val (files, commit) = (written(), TableCommit(base))
    assert(!commit.mayBeVisible)
    val outcome = commit.run(files)(append(base, files, CommitInfo.none))
    assert(outcome.published.flatMap(_.table).map(_.version).contains(2L))
    commit.abort(files)
    assert(commit.mayBeVisible && exists(files) && table.rowCount.contains(1L))
  }

  test("an abort before the commit deletes the files") {
    val files = { create(); written() }
    val commit = TableCommit(table)
    commit.abort(files)
    assert(!exists(files) && !commit.mayBeVisible)
  }

  test("a conflict is an outcome, and deletes the files") {
    val files = { create(); written() }
    val commit = TableCommit(table)
    val outcome = commit.run(files)(throw conflict)
    assert(outcome == Conflict(conflict) && !exists(files) && !commit.mayBeVisible)
    assert(intercept[CommitConflictException](outcome.published) eq conflict)
  }

  test("an unknown result is an outcome, and keeps the files, even from an abort") {
    val files = { create(); written() }
    val commit = TableCommit(table)
    val error = new CommitStateUnknownException("who knows")
    val outcome = commit.run(files)(throw error)
    commit.abort(files)
    assert(outcome == Unknown(error) && exists(files) && commit.mayBeVisible)
    assert(intercept[CommitStateUnknownException](outcome.published) eq error)
  }

  test("errors that say that nothing was committed delete the files, others keep them") {
    create()
    def isKept(error: Exception): Boolean = {
      val (files, commit) = (written(), TableCommit(table))
      assert(intercept[Exception](commit.run(files)(throw error)) eq error)
      commit.abort(files)
      assert(exists(files) == commit.mayBeVisible)
      exists(files)
    }
    assert(!isKept(new IOException("rejected")))
    assert(!isKept(new InvalidRequestException("no such column")))
    assert(!isKept(new InterruptedException))
    assert(isKept(new IllegalStateException("anything")))
  }

  test("work before the commit that fails deletes the files") {
    val files = { create(); written() }
    val error = new IllegalStateException("no")
    assert(intercept[Exception](TableCommit(table).preparing(files)(throw error)) eq error)
    assert(!exists(files))
  }

  test("a numbered write whose manifest appears late keeps its files") {
    create()
    val faulty = new FaultyStorage(
      store,
      p => if (p.endsWith(".manifest")) Some(FaultyStorage.Denied(lands = true)) else None
    )
    val (files, base) = (written(), LanceTable.open(faulty, path))
    val write = CommitInfo.none.once(AppTransaction("job", 7))
    val outcome = TableCommit(base, write).run(files) {
      Published(Some(base.append(files.fragments, write.properties, write.options)))
    }
    assert(outcome.published.flatMap(_.table).map(_.version).contains(2L))
    assert(exists(files) && table.rowCount.contains(1L))
  }

  test("a numbered write is committed once") {
    val base = create()
    def run(version: Long): (CommitOutcome, TaskFiles) = {
      val (files, info) = (written(), numbered(version))
      TableCommit(base, info).run(files)(append(base, files, info)) -> files
    }
    val (first, kept) = run(7)
    assert(first.published.isDefined && exists(kept))
    for (repeated <- Seq(7L, 6L)) {
      val (outcome, files) = run(repeated)
      assert(outcome == Committed(None) && !exists(files))
    }
    assert(run(8)._1.published.isDefined && table.version == 3)
  }

  test("a numbered write that runs twice concurrently is committed once") {
    val base = create()
    val (files, info) = (written(), numbered(7))
    val other = written()
    val location = TableLocation(path, store, Map.empty)
    val outcome = TableCommit.ofNew(location, Some(base), info).run(files) {
      base.append(other.fragments, info.properties)
      val options = info.options.copy(unlessCommitted = info.transaction.get.isCommittedBy(_))
      Published(Some(base.append(files.fragments, info.properties, options)))
    }
    assert(outcome == Committed(None) && !exists(files) && exists(other) && table.version == 2)
  }

  test("a change returns the new version, or the base if the table has it already") {
    val base = create()
    val (files, info) = (written(), numbered(1))
    def change(files: TaskFiles): LanceTable = TableCommit(base, info).change(files) {
      base.append(files.fragments, info.properties)
    }
    assert(change(files).version == 2 && change(written()).version == 1)
    assert(intercept[CommitConflictException](TableCommit.change(base)(throw conflict)) eq conflict)
  }

  test("old versions are cleaned up after a commit, if the properties of the table request it") {
    create("lance.auto_cleanup.interval" -> "2", "lance.auto_cleanup.retain_versions" -> "1")
    def commit(): Unit = TableCommit.change(table)(table.append(written().fragments)): Unit
    commit()
    assert(LanceTable.versions(store, path) == Seq(2))
    commit()
    assert(LanceTable.versions(store, path) == Seq(2, 3))
    val base = table
    TableCommit.change(base)(base): Unit
    commit()
    assert(LanceTable.versions(store, path) == Seq(4))
  }

  test("messages of failed tasks have no files") {
    create()
    val fragments = IndexedSeq(written(), written()).flatMap(_.fragments)
    def message(of: Int): WriterCommitMessage = new FragmentMessage {
      def fragments: IndexedSeq[Array[Byte]] = IndexedSeq(allBytes(of))
    }
    def allBytes: IndexedSeq[Array[Byte]] = fragments.map(_.toBytes)
    assert(TaskFiles.of(Array(message(0), null, message(1))).fragments.map(_.files) ==
      fragments.map(_.files))
  }
}
