// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.commit

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.metadata.MetadataChanges
import io.github.pysparklance.table.transaction.operation.{ReserveFragments, UpdateMap}
import io.github.pysparklance.testkit.{CountingStorage, TableRows, TemporaryFolder}

/** The search for the writes of applications without a number in the properties of the table. */
class AppTransactionSuite extends AnyFunSuite with TemporaryFolder {
  private def path: String = folder.resolve("t").toString
  private def table: LanceTable = LanceTable.open(Storage.local, path)

  private def create(): Unit = {
    val rows = TableRows.write(Storage.local, path, Seq((1L, 1L)))
    LanceTable.create(Storage.local, path, TableRows.schema, IndexedSeq(rows)): Unit
  }

  private def write(app: String, number: Long): Unit =
    table.commit(ReserveFragments(1), AppTransaction(app, number).properties): Unit

  private def commitUntil(version: Long): Unit = {
    var t = table
    while (t.version < version) t = t.commit(ReserveFragments(1))
  }

  /** Whether the table has a write, and the number of requests to find out. */
  private def found(app: String, number: Long): (Boolean, Int) = {
    val s = new CountingStorage
    val isFound = AppTransaction(app, number).isCommittedIn(LanceTable.open(s, path))
    (isFound, s.opens.get + s.reads.get + s.lists.get + s.statuses.get)
  }

  test("the first write of an application takes few requests, however many versions there are") {
    create()
    commitUntil(120)
    val few = found("new", 0)
    commitUntil(200)
    assert(!few._1 && found("new", 0) == few)
    write("other", 7)
    assert(found("new", 0) == few)
    assert(found("other", 7)._1 && found("other", 7)._2 < 10 && !found("other", 8)._1)
  }

  test("writes whose property was removed, or is not kept, are found") {
    create()
    write("a", 3)
    val long = "x" * 201
    write(long, 5)
    new MetadataChanges(table).config(UpdateMap.replace(Map("k" -> "v"))): Unit
    assert(table.manifest.config == Map("k" -> "v"))
    assert(found("a", 3)._1 && !found("a", 4)._1)
    for (i <- 0 until 100) write(s"app$i", 1)
    commitUntil(table.version + 20)
    assert(found("a", 3)._1 && !found("a", 4)._1 && found(long, 5)._1 && !found(long, 6)._1)
  }
}
