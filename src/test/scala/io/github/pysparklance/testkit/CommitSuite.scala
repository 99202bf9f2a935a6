// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.testkit

import java.util.UUID
import java.util.concurrent.{Callable, Executors}

import scala.jdk.CollectionConverters._
import scala.util.Try

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.{
  CommitConflictException,
  Field,
  LogicalType,
  NotFoundException,
  Schema
}
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.storage.spi.{FileStore, TablePath}
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.manifest.{DataFile, Fragment}
import io.github.pysparklance.table.transaction.CommitOptions

/** Tests of commits, for every commit mechanism. */
abstract class CommitSuite extends AnyFunSuite {

  /** The storage under test. */
  def store: FileStore

  /** Returns an unused path for a table with that name. */
  def path(name: String): String

  /** Whether this is a long test run. */
  protected def isLong: Boolean = TestRun.isLong

  /** Number of concurrent writers. */
  protected val numWriters = 6

  /** Number of appends of each writer. */
  protected val numAppends = 3

  private val patient = CommitOptions(maxRetries = 200, timeoutMillis = 120000)

  protected val schema: Schema = Schema(
    IndexedSeq(Field(-1, "id", LogicalType.parse("int64"), nullable = true))
  ).withFreshIds

  /** A fragment whose file does not exist, because these tests read no data. */
  protected def fragment(rows: Long = 10): Fragment = Fragment.unassigned(
    Seq(
      DataFile(s"${UUID.randomUUID}.lance", IndexedSeq(0), IndexedSeq(0), FileVersion.default, 99)
    ),
    rows
  )

  protected def create(path: String): LanceTable =
    LanceTable.create(store, path, schema, IndexedSeq(fragment()))

  /** Runs a block concurrently in several threads. */
  protected def together[A](n: Int)(body: Int => A): IndexedSeq[A] = {
    val pool = Executors.newFixedThreadPool(n)
    try
      pool
        .invokeAll((0 until n).map(i => (() => body(i)): Callable[A]).asJava)
        .asScala
        .map(_.get)
        .toIndexedSeq
    finally pool.shutdown()
  }

  test("versions are consecutive and remain readable") {
    val p = path("versions")
    assert(!LanceTable.exists(store, p) && LanceTable.openIfExists(store, p).isEmpty)
    val first = create(p)
    val second = first.append(IndexedSeq(fragment(5)))
    val third = second.overwrite(IndexedSeq(fragment(3)), schema)
    assert((first.version, second.version, third.version) == ((1L, 2L, 3L)))
    assert(LanceTable.versions(store, p) == Seq(1, 2, 3))
    assert((1L to 3L).map(v => LanceTable.open(store, p, Some(v)).rowCount.get) == Seq(10, 15, 3))
    assert(LanceTable.open(store, p).version == 3)
    assert(LanceTable.history(store, p).flatMap(_.operation).toSeq ==
      Seq("Overwrite", "Append", "Overwrite"))
    intercept[NotFoundException](LanceTable.open(store, p, Some(4L)))
    assert(LanceTable.drop(store, p) && !LanceTable.exists(store, p))
    assert(create(p).version == 1)
  }

  test("of many concurrent creations of a table, one succeeds") {
    val p = path("create")
    val made = together(numWriters)(_ => Try(create(p)))
    assert(made.count(_.isSuccess) == 1)
    made.flatMap(_.failed.toOption).foreach(e => assert(e.isInstanceOf[CommitConflictException], e))
    assert(LanceTable.versions(store, p) == Seq(1))
  }

  test("concurrent appends are all committed, in versions without gaps") {
    val p = path("appends")
    create(p)
    val versions = together(numWriters) { _ =>
      (0 until numAppends).map { _ =>
        LanceTable.open(store, p).append(IndexedSeq(fragment(1)), options = patient).version
      }
    }.flatten
    assert(versions.sorted == (2L to numWriters * numAppends + 1L))
    assert(LanceTable.versions(store, p) == (1L to numWriters * numAppends + 1L))
    val latest = LanceTable.open(store, p)
    assert(latest.rowCount.contains(10L + numWriters * numAppends))
    assert(latest.fragments.map(_.id).distinct.length == numWriters * numAppends + 1)
    val left = store.list(TablePath(p).resolve("_versions")).map(_.name)
    assert(left.filterNot(_.endsWith(".json")).forall(_.endsWith(".manifest")), left)
  }

  test("a commit that conflicts with a later one is rejected") {
    val p = path("conflict")
    val base = create(p)
    base.overwrite(IndexedSeq(fragment(1)), schema)
    val e = intercept[CommitConflictException](base.append(IndexedSeq(fragment(7))))
    assert(e.conflictingVersion == 2)
    assert(LanceTable.open(store, p).rowCount.contains(1L))
  }
}
