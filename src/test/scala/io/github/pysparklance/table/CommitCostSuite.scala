// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table

import java.util.UUID

import org.roaringbitmap.RoaringBitmap
import org.scalatest.Assertion
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.{Field, LogicalType, Schema}
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.table.cleanup.CleanupPolicy
import io.github.pysparklance.table.deletion.DeletionVector
import io.github.pysparklance.table.manifest.{DataFile, Fragment, FragmentsById}
import io.github.pysparklance.testkit.{CountingStorage, TemporaryFolder}

/** The objects that commits of tables with many fragments share with the version before, and the
  * files that they read.
  */
class CommitCostSuite extends AnyFunSuite with TemporaryFolder {
  private val numFragments = 3000

  private val schema = Schema(
    IndexedSeq("a", "b").map(Field(-1, _, LogicalType.parse("int64"), nullable = true))
  ).withFreshIds

  private val version = FileVersion.default

  private def path: String = folder.resolve("t").toString

  /** A fragment whose file does not exist. */
  private def fragment(): Fragment = Fragment.unassigned(
    Seq(
      DataFile(
        s"${UUID.randomUUID}.lance",
        IndexedSeq(0, 1),
        IndexedSeq(0, 1),
        version,
        99
      )
    ),
    10
  )

  private def create(store: CountingStorage, config: Map[String, String] = Map.empty): LanceTable =
    LanceTable.create(
      store,
      path,
      schema,
      IndexedSeq.fill(numFragments)(fragment()),
      config = config
    )

  private def row(offset: Long): DeletionVector =
    DeletionVector.of(RoaringBitmap.bitmapOfRange(offset, offset + 1))

  /** Checks a committed version against the stored one, and which fragments it shares. */
  private def check(before: LanceTable, committed: LanceTable, numShared: Int): Assertion = {
    val stored = LanceTable.open(committed.store, path)
    assert(committed.manifest.message == stored.manifest.message)
    assert(committed.fragments == stored.fragments && committed.fileVersion == stored.fileVersion)
    assert(committed.file.transaction(committed.root) == stored.file.transaction(stored.root))
    val known = before.fragments.map(f => f.id -> f).toMap
    assert(committed.fragments.count(f => known.get(f.id).exists(_ eq f)) == numShared)
  }

  test("a version shares the fragments of the version before, and equals the stored one") {
    val first = create(new CountingStorage)
    assert(first.file.isUnchanged)
    val second = first.append(IndexedSeq(fragment()))
    check(first, second, numFragments)
    assert(second.file.isUnchanged)
    val third = second.delete(Map(7L -> row(3), 9L -> DeletionVector.all(10)), "some rows")
    check(second, third, numFragments - 1)
    val fourth = third.overwrite(IndexedSeq(fragment()), schema)
    check(third, fourth, 0)
    assert(LanceTable.drop(first.store, path) && !fourth.file.isUnchanged)
  }

  test("fragments are found by id, in any order") {
    val store = new CountingStorage
    val table = create(store).delete(Map(5L -> DeletionVector.all(10)), "a fragment")
    assert(table.fragment(4).exists(_.id == 4) && table.fragment(numFragments - 1L).isDefined)
    assert(table.fragment(5).isEmpty && table.fragment(numFragments.toLong).isEmpty)
    val mixed = new FragmentsById(table.fragments.reverse)
    assert(mixed.get(4).exists(_.id == 4) && mixed.get(5).isEmpty)
    assert(new FragmentsById(IndexedSeq.empty).get(0).isEmpty)
  }

  test("data files of a wide table share their columns") {
    val store = new CountingStorage
    val columns = 0 until 100
    val wide = Schema(
      columns.map(i => Field(-1, s"c$i", LogicalType.parse("int64"), nullable = true))
    ).withFreshIds
    def added(n: Int): Fragment = Fragment.unassigned(
      Seq(DataFile(s"${UUID.randomUUID}.lance", columns.take(n), columns.take(n), version, 99)),
      10
    )
    val files = IndexedSeq(100, 100, 50, 100, 50, 100).map(added)
    val created = LanceTable.create(store, path, wide, files)
    val opened = LanceTable.open(store, path)
    assert(opened.fragments == created.fragments)
    def list(i: Int) = opened.fragments(i).message.getFiles(0).getFieldsList
    assert(Seq(1, 3, 5).forall(i => list(i) eq list(0)) && (list(4) eq list(2)))
    opened.fragments.zip(files).foreach { case (f, file) =>
      assert(f.files == file.files)
    }
    val fields = Seq(0, 1).map(opened.fragments(_).files.head.fields)
    assert(fields(0) == columns && (fields(0) eq fields(1)))
  }

  test("a manifest that was replaced by another one of the same length is not the same") {
    val store = new CountingStorage
    val first = create(store)
    LanceTable.drop(store, path)
    val other = create(store)
    assert(other.file.location.path == first.file.location.path)
    assert(other.file.isUnchanged && !first.file.isUnchanged)
  }

  test("a commit reads the latest version only if it is another one") {
    val store = new CountingStorage
    val first = create(store)
    store.reads.set(0)
    val second = first.append(IndexedSeq(fragment()))
    assert(store.reads.get == 0)
    first.append(IndexedSeq(fragment()))
    assert(store.reads.get > 0 && second.version == 2)
  }

  test("a tag is created without reading the manifest of its version") {
    val store = new CountingStorage
    create(store)
    store.opens.set(0)
    assert(LanceTable.tags(store, path).create("a").version == 1)
    assert(store.opens.get == 0)
  }

  test("the automatic clean-up lists versions only when it is due") {
    val store = new CountingStorage
    val table = create(store, Map("lance.auto_cleanup.interval" -> "3"))
    val second = table.append(IndexedSeq(fragment()))
    store.lists.set(0)
    assert(second.cleanUpAfterCommit().isEmpty && store.lists.get == 0)
    val third = second.append(IndexedSeq(fragment()))
    assert(third.cleanUpAfterCommit().exists(_.oldVersions == 2))
  }

  test("a clean-up does not read the latest version again, which is in memory") {
    val store = new CountingStorage
    val table = (1 to 2).foldLeft(create(store))((t, _) => t.append(IndexedSeq(fragment())))
    store.bytesRead.set(0)
    assert(table.planCleanup(CleanupPolicy(beforeVersion = Some(1L))).isEmpty)
    val latest = table.file.location.sizeBytes.get
    val all =
      store.list(s"$path/_versions").filter(_.name.endsWith(".manifest")).map(_.sizeBytes).sum
    // The older versions, and the end of the latest one.
    assert(store.bytesRead.get < all - latest + (80 << 10), (store.bytesRead.get, all, latest))
  }
}
