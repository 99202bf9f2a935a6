// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table

import java.util.UUID

import org.roaringbitmap.RoaringBitmap
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.{Field, LogicalType, Schema}
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.cleanup.CleanupPolicy
import io.github.pysparklance.table.deletion.DeletionVector
import io.github.pysparklance.table.history.History
import io.github.pysparklance.table.manifest.{DataFile, Fragment}
import io.github.pysparklance.testkit.{StaleStorage, TemporaryFolder}

/** Operations on storage whose listings miss new versions. A writer then bases its commit on an old
  * version, loses the race for the next number, and must not replace, repeat, or forget anything.
  */
class StaleListingSuite extends AnyFunSuite with TemporaryFolder {
  private val schema = Schema(
    IndexedSeq(Field(-1, "id", LogicalType.parse("int64"), nullable = true))
  ).withFreshIds

  private def path: String = folder.resolve("t").toString

  /** A fragment whose file does not exist. */
  private def fragment(): Fragment = Fragment.unassigned(
    Seq(
      DataFile(s"${UUID.randomUUID}.lance", IndexedSeq(0), IndexedSeq(0), FileVersion.default, 99)
    ),
    10
  )

  private def row(offset: Long): DeletionVector =
    DeletionVector.of(RoaringBitmap.bitmapOfRange(offset, offset + 1))

  private def create(): LanceTable =
    LanceTable.create(Storage.local, path, schema, IndexedSeq(fragment()))

  for (lag <- Seq(1, 2, 5))
    test(s"appends and deletes based on old versions are all there, $lag listings behind") {
      val store = new StaleStorage(lag)
      create()
      (0L until 4L).foreach { i =>
        LanceTable.open(store, path).append(IndexedSeq(fragment()))
        LanceTable.open(store, path).delete(Map(0L -> row(i)), "one row")
      }
      val table = LanceTable.open(Storage.local, path)
      assert(LanceTable.versions(Storage.local, path) == (1L to 9L))
      assert(table.fragments.map(_.id) == (0L until 5L) && table.rowCount.contains(46L))
      val deleted = table.deletionVector(table.fragments.head)
      assert((0L until 10L).filter(deleted.isDeleted) == (0L until 4L))
    }

  test("a clean-up keeps the files of a version that its listings miss") {
    val first = create()
    val file = first.pathOf(first.fragments.head.files.head)
    Storage.local.replace(file, Array[Byte](1))
    first.overwrite(IndexedSeq(fragment()), schema)
    val store = new StaleStorage(lag = 100)
    val second = LanceTable.open(store, path)
    assert(second.planCleanup(CleanupPolicy()).files.exists(_.path == file))
    assert(new History(LanceTable.open(store, path, Some(1L))).restore().version == 3)
    assert(LanceTable.open(store, path).version == 2)
    assert(!second.planCleanup(CleanupPolicy()).files.exists(_.path == file))
  }

  test("a tag that listings miss can be opened") {
    create()
    val tags = LanceTable.tags(new StaleStorage(lag = 1), path)
    tags.create("a")
    assert(tags("a").version == 1)
    assert(tags.list().isEmpty && tags.list().map(_.name) == Seq("a"))
  }
}
