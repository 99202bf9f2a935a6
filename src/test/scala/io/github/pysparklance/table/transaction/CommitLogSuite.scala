// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction

import java.io.IOException

import org.scalatest.Assertion
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.CommitConflictException
import io.github.pysparklance.storage.spi.{FileStore, ForwardingFileStore}
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.testkit.LogCapture.Line
import io.github.pysparklance.testkit.{FaultyStorage, LogCapture, MemoryFiles, TableRows}

/** Log messages about commits, for operators. */
class CommitLogSuite extends AnyFunSuite {
  private val path = "/memory/table"

  private def table(): MemoryFiles = {
    val files = new MemoryFiles()
    LanceTable.create(files, path, TableRows.schema, IndexedSeq(rows(files, 1)))
    files
  }

  private def rows(store: FileStore, ids: Long*) =
    TableRows.write(store, path, ids.map(i => (i, i)))

  private def append(store: FileStore): LanceTable =
    LanceTable.open(store, path).append(IndexedSeq(rows(store, 2)))

  private def have(lines: Seq[Line], level: String, parts: String*): Assertion =
    assert(lines.exists(l => l.level == level && parts.forall(l.text.contains(_))), lines)

  test("a commit is logged with its version, operation, and attempt") {
    val files = table()
    have(
      LogCapture(append(files): Unit),
      "INFO",
      s"$path: committed version 2 (Append)",
      "attempt 1"
    )
  }

  test("a lost race is logged with the version and operation of the winner, then the retry") {
    val files = table()
    var isFirst = true
    val racing = new FaultyStorage(
      files,
      p =>
        if (isFirst && p.endsWith(".manifest"))
          Some(FaultyStorage.Rival { () => isFirst = false; append(files): Unit })
        else None
    )
    val lines = LogCapture(append(racing): Unit)
    have(lines, "INFO", "lost version 2 (Append) to another writer", "retry 1 of 20")
    have(lines, "INFO", "version 2 (Append) was committed concurrently")
    have(lines, "INFO", "committed version 3 (Append)", "attempt 2")
  }

  test("a retry of an operation is logged with its conflict") {
    var runs = 0
    val lines = LogCapture {
      Retry()(()) { _ =>
        runs += 1
        if (runs == 1) throw new CommitConflictException("rows of version 9", 9, retryable = true)
      }
    }
    have(lines, "INFO", "rows of version 9", "run 2 of at most 11")
  }

  test(
    "a failed create and a failed clean-up are logged as warnings with their causes, without secrets"
  ) {
    val files = table()
    val failing = new ForwardingFileStore(files) {
      override def createIfAbsent(p: String, bytes: Array[Byte]): Boolean =
        if (p.endsWith(".manifest")) throw new IOException(s"s3a://key:secret@b$p: no answer")
        else super.createIfAbsent(p, bytes)
      override def delete(p: String): Boolean = throw new IOException(s"$p: token=abc denied")
    }
    val lines = LogCapture(intercept[IOException](append(failing)): Unit)
    have(lines, "WARN", "the create failed", "s3a://(redacted)@b")
    have(lines, "WARN", "/_transactions/", "not removed", "token=(redacted) denied")
    assert(!lines.exists(l => l.text.contains("secret") || l.text.contains("abc")))
  }
}
