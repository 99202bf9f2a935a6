// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.changes

import java.time.Instant

import org.scalatest.Assertion
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.{Field, LogicalType, Schema}
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.manifest.{DataFile, Fragment, HostileManifests}
import io.github.pysparklance.table.refs.Revision
import io.github.pysparklance.testkit.{CountingStorage, TemporaryFolder}

/** Reads many versions of a table whose manifests are so large that two do not fit in memory. */
class LargeManifestsSuite extends AnyFunSuite with TemporaryFolder {
  private val numVersions = 12L
  private val schema = Schema(
    IndexedSeq(Field(0, "id", LogicalType.parse("int64"), nullable = true))
  )

  private def path: String = folder.resolve("t").toString

  /** A fragment whose file does not exist. */
  private def fragment(name: String): Fragment = Fragment.unassigned(
    Seq(DataFile(s"$name.lance", IndexedSeq(0), IndexedSeq(0), FileVersion.default, 3)),
    4
  )

  /** Opens a table with large manifests except the last one. */
  private def open(): (CountingStorage, LanceTable) = {
    val first = LanceTable.create(Storage.local, path, schema, IndexedSeq(fragment("f1")))
    (2L to numVersions).foldLeft(first)((t, v) => t.append(IndexedSeq(fragment(s"f$v"))))
    val holeBytes = Runtime.getRuntime.maxMemory / 12
    (1L until numVersions).foreach(HostileManifests.enlarge(path, _, holeBytes))
    val store = new CountingStorage
    val table = LanceTable.open(store, path)
    Seq(store.opens, store.closes, store.mostOpen).foreach(_.set(0))
    (store, table)
  }

  private def time(version: Long): Instant =
    LanceTable.open(Storage.local, path, Some(version)).manifest.timestamp

  private def readOneByOne(store: CountingStorage, atLeast: Int): Assertion = {
    assert(store.opens.get >= atLeast && store.numOpen == 0)
    assert(store.mostOpen.get == 1)
  }

  test("the version of a time is found one version after the other") {
    val (store, _) = open()
    assert(LanceTable.open(store, path, Revision.AsOf(time(2))).version == 2)
    readOneByOne(store, atLeast = 11)
  }

  test("the versions of a range are read one after the other") {
    val (store, table) = open()
    val versions = new RangeVersions(table)
    val range = versions.range(ChangeBound.Version(3), None)
    val loaded = versions.load(range).flatMap(_.iterator).map(_.version)
    assert(loaded.toSeq == (2L to numVersions))
    readOneByOne(store, atLeast = 10)
    Seq(store.opens, store.closes, store.mostOpen).foreach(_.set(0))
    assert(versions.pairs(range, None).map(_._2.version).toSeq == (3L to numVersions))
    readOneByOne(store, atLeast = 10)
  }

  test("the changes of all versions are read one version after the other") {
    val (store, table) = open()
    val changes = new ChangeFeed(table).read(VersionRange(1, numVersions), net = false)
    assert(changes.parts.map(_.change.version) == (1L to numVersions))
    readOneByOne(store, atLeast = 11)
  }
}
