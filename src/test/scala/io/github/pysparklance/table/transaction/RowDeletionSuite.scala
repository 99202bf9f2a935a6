// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction

import java.nio.file.Files
import java.util.concurrent.{Callable, Executors}

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.{
  CommitConflictException,
  Field,
  InvalidRequestException,
  LogicalType,
  RowRange,
  Schema
}
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.deletion.DeletionVector
import io.github.pysparklance.table.manifest.{DataFile, DeletionFile, FeatureFlags, Fragment}
import io.github.pysparklance.testkit.{FaultyStorage, GoldenTables, TemporaryFolder}

/** Row deletions, alone and with concurrent changes. These tests read no data files, which need not
  * exist.
  */
class RowDeletionSuite extends AnyFunSuite with TemporaryFolder {
  private val store = Storage.local

  private val schema = Schema(
    IndexedSeq(Field(0, "id", LogicalType.parse("int64"), nullable = true))
  )

  private def fragment(rows: Long): Fragment = Fragment.unassigned(
    Seq(
      DataFile(
        s"${java.util.UUID.randomUUID}.lance",
        IndexedSeq(0),
        IndexedSeq(0),
        FileVersion.default,
        99
      )
    ),
    rows
  )

  private def path: String = folder.resolve("t").toString

  private def create(rows: Long*): LanceTable =
    LanceTable.create(store, path, schema, rows.map(fragment).toIndexedSeq)

  private def rows(offsets: Int*): DeletionVector = DeletionVector.of(offsets.toArray)

  private def deleted(t: LanceTable, fragmentId: Long): Seq[Int] = {
    val f = t.fragments.find(_.id == fragmentId).get
    t.deletionVector(f).deletedIn(RowRange(0, f.physicalRows.get)).toSeq
  }

  private def files(kind: String): Set[String] = {
    val at = folder.resolve("t").resolve(kind)
    if (!Files.exists(at)) Set.empty
    else Using.resource(
      Files.list(at)
    )(_.iterator.asScala.map(_.getFileName.toString).toSet) - "latest_version_hint.json"
  }

  test("a whole fragment is deleted without reading its deletion file") {
    val t = create(10, 20).delete(Map(0L -> rows(3)), "id = 3")
    files("_deletions").foreach(f => Files.delete(folder.resolve("t/_deletions").resolve(f)))
    val gone = t.delete(Map(0L -> DeletionVector.all(10)), "id < 10")
    assert(gone.fragments.map(_.id) == Seq(1) && files("_deletions").isEmpty)
    assert(gone.file.transaction(gone.root).get.getDelete.getDeletedFragmentIdsList.size == 1)
  }

  test("rows, more rows, whole fragments") {
    val t = create(10, 20, 30)
    val first = t.delete(Map(0L -> rows(3, 4), 2L -> rows(29)), "id in (3, 4, 59)")
    assert(first.version == 2 && first.rowCount.contains(57L))
    assert(first.manifest.flags.reads(FeatureFlags.deletionFiles) && first.manifest.flags.writes(1))
    assert(deleted(first, 0) == Seq(3, 4) && deleted(first, 2) == Seq(29))
    assert(first.fragments(1) == t.fragments(1))
    assert(first.fragments.head.deletionFile.get.readVersion == 1)

    val second = first.delete(Map(0L -> rows(0)), "id = 0")
    assert(deleted(second, 0) == Seq(0, 3, 4) && second.rowCount.contains(56L))
    val third =
      second.delete(Map(0L -> rows(1, 2, 5, 6, 7, 8, 9), 1L -> rows(0 until 20: _*)), "id < 30")
    assert(third.fragments.map(_.id) == Seq(2) && third.rowCount.contains(29L))
    assert(third.append(IndexedSeq(fragment(1))).fragments.map(_.id) == Seq(2, 3))
    val last = LanceTable.history(store, path).toSeq
    assert(last.map(_.operation.get) == Seq("Overwrite", "Delete", "Delete", "Delete", "Append"))
    assert(LanceTable.open(store, path, Some(2L)).rowCount.contains(57L))
  }

  test("deleting nothing creates no version") {
    val t = create(10)
    assert(t.delete(Map.empty, "false") eq t)
    assert(t.delete(Map(0L -> DeletionVector.empty), "false") eq t)
    assert(t.update(Map.empty, IndexedSeq.empty, Set.empty) eq t)
  }

  test("few rows are written to an Arrow file, many to a bitmap") {
    val t = create(20000)
    val few = t.delete(Map(0L -> rows(0 until 5000: _*)), "id < 5000")
    assert(few.fragments.head.deletionFile.get.fileType == DeletionFile.ArrowArray)
    assert(deleted(few, 0) == (0 until 5000))
    val many = few.delete(Map(0L -> rows(19999)), "id = 19999")
    assert(many.fragments.head.deletionFile.get.fileType == DeletionFile.Bitmap)
    assert(deleted(many, 0) == (0 until 5000) :+ 19999)
    assert(files("_deletions").map(_.split('.').last) == Set("arrow", "bin"))
  }

  test("on top of deletion files of pylance") {
    val copy = GoldenTables.copy("deletions.lance", folder)
    val t = LanceTable.open(store, copy.toString)
    val after = t.delete(Map(0L -> rows(5), 1L -> rows(0)), "id in (5, 8000)")
    assert(deleted(after, 0) == Seq(3, 5, 7999))
    assert(deleted(after, 1).length == 6001)
    assert(after.rowCount.contains(t.rowCount.get - 2))
  }

  test("missing rows") {
    val t = create(10)
    val before = files("_versions") ++ files("_deletions")
    val e = intercept[InvalidRequestException](t.delete(Map(1L -> rows(0)), ""))
    assert(e.getMessage.contains("fragment 1: version 1 does not have it"))
    val o = intercept[InvalidRequestException](t.delete(Map(0L -> rows(10)), ""))
    assert(o.getMessage.contains("row 10 of fragment 0: it has 10 rows"))
    assert(files("_versions") ++ files("_deletions") == before)
  }

  test("a stale deletion merges with concurrent ones, and records its version") {
    val stale = create(10, 10)
    stale.delete(Map(0L -> rows(1), 1L -> rows(1)), "")
    stale.append(IndexedSeq(fragment(5)))
    val merged = stale.delete(Map(0L -> rows(2)), "")
    assert(merged.version == 4 && deleted(merged, 0) == Seq(1, 2) && deleted(merged, 1) == Seq(1))
    assert(merged.fragments.length == 3)
    assert(merged.fragments.head.deletionFile.get.readVersion == 3)
    assert(merged.manifest.transactionFile.get.startsWith("3-"))
    // Together, they empty the fragment.
    val others = rows((0 until 10).filterNot(Set(1, 2, 9)): _*)
    val emptied = { merged.delete(Map(0L -> others), ""); stale.delete(Map(0L -> rows(9)), "") }
    assert(emptied.fragments.map(_.id) == Seq(1, 2))
  }

  test("a row that was deleted concurrently is a conflict, which leaves nothing behind") {
    val stale = create(10)
    stale.delete(Map(0L -> rows(1, 2)), "")
    val before = files("_versions") ++ files("_deletions") ++ files("_transactions")
    val e = intercept[CommitConflictException](stale.delete(Map(0L -> rows(2, 3)), ""))
    assert(e.conflictingVersion == 2 && e.getMessage.contains("retry the operation"))
    assert(files("_versions") ++ files("_deletions") ++ files("_transactions") == before)
    LanceTable.open(store, path).delete(Map(0L -> rows(0, 3, 4, 5, 6, 7, 8, 9)), "")
    val gone = intercept[CommitConflictException](stale.delete(Map(0L -> rows(9)), ""))
    assert(gone.getMessage.contains("fragment 0 was removed"))
  }

  test("a stale deletion conflicts with an overwrite") {
    val stale = create(10)
    stale.overwrite(IndexedSeq(fragment(10)), schema)
    val e = intercept[CommitConflictException](stale.delete(Map(0L -> rows(2)), ""))
    assert(e.getMessage.contains("overwritten"))
    assert(files("_deletions").isEmpty)
  }

  test("a deletion that loses the race merges and leaves no extra file") {
    create(10)
    var rivals = 2
    val racing: FileStore = new FaultyStorage(
      store,
      p =>
        if (p.endsWith(".manifest") && rivals > 0) {
          rivals -= 1
          val offset = rivals
          Some(FaultyStorage.Rival { () =>
            LanceTable.open(store, path).delete(Map(0L -> rows(offset)), ""): Unit
          })
        } else None
    )
    val t = LanceTable.open(racing, path).delete(Map(0L -> rows(7)), "")
    assert(t.version == 4 && deleted(t, 0) == Seq(0, 1, 7))
    assert(files("_deletions").size == 3 && files("_transactions").size == 4)
  }

  test("an append between two attempts keeps the deletion file") {
    create(10)
    var rivals = 1
    val racing = new FaultyStorage(
      store,
      p =>
        if (p.endsWith(".manifest") && rivals > 0) {
          rivals -= 1
          Some(FaultyStorage.Rival { () =>
            LanceTable.open(store, path).append(IndexedSeq(fragment(3))): Unit
          })
        } else None
    )
    val t = LanceTable.open(racing, path).delete(Map(0L -> rows(7)), "")
    assert(t.version == 3 && t.rowCount.contains(12L) && files("_deletions").size == 1)
    assert(t.fragments.head.deletionFile.get.readVersion == 1)
  }

  test("many concurrent deletions in one fragment are all kept") {
    create(1000)
    val pool = Executors.newFixedThreadPool(4)
    try {
      val writers = (0 until 4).map { w =>
        new Callable[Unit] {
          def call(): Unit = (0 until 8).foreach { i =>
            LanceTable
              .open(store, path)
              .delete(
                Map(0L -> rows(w * 100 + i)),
                "",
                options = CommitOptions(maxRetries = 1000)
              ): Unit
          }
        }
      }
      pool.invokeAll(writers.asJava).asScala.foreach(_.get)
    } finally pool.shutdown()
    val t = LanceTable.open(store, path)
    assert(t.version == 33 && deleted(t, 0) == (for (w <- 0 until 4; i <- 0 until 8)
      yield w * 100 + i))
    assert(files("_versions").size == 33 && files("_deletions").size == 32)
  }
}
