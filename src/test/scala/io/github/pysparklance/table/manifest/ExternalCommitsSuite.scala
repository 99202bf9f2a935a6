// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.manifest

import java.io.IOException
import java.nio.file.{Files, Paths}

import io.github.pysparklance.core.{
  CommitStateUnknownException,
  CorruptFileException,
  NotFoundException
}
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.storage.spi.{
  FileStore,
  ForwardingFileStore,
  ManifestRow,
  ManifestStore,
  TablePath
}
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.testkit.{
  CommitSuite,
  IndexedStorage,
  MemoryManifestStore,
  TemporaryFolder
}

class ExternalCommitsSuite extends CommitSuite with TemporaryFolder {
  private val local = Storage.local
  private val manifests = new MemoryManifestStore

  val store: FileStore = new IndexedStorage(local, manifests)

  def path(name: String): String = folder.resolve(name).toString

  private def base(p: String): String = IndexedStorage.base(p)

  private def names(p: String): Set[String] =
    local.list(s"$p/_versions").map(_.name).filterNot(_.endsWith(".json")).toSet

  private def v2(version: Long): String = NamingScheme.V2.fileName(version)

  test("items name the final manifests and their sizes, and no other files remain") {
    val p = path("t")
    create(p).append(IndexedSeq(fragment()))
    val rows = manifests.all(base(p))
    assert(rows.keySet == Set(1L, 2L) && names(p) == Set(v2(1), v2(2)))
    rows.foreach { case (v, row) =>
      assert(row.path == s"${base(p)}/_versions/${v2(v)}")
      assert(row.sizeBytes.contains(Files.size(Paths.get(p, "_versions", v2(v)))))
    }
    assert(LanceTable.drop(store, p) && manifests.all(base(p)).isEmpty)
  }

  final private class Died extends Error

  /** Crashes at a step of a commit, before or after it takes effect. */
  final private class Steps(at: Int, before: Boolean) {
    var count = 0
    var failure: () => Throwable = () => new Died

    def apply[A](step: => A): A = {
      val mine = count
      count += 1
      if (mine == at && before) throw failure()
      val done = step
      if (mine == at) throw failure()
      done
    }

    val files: FileStore = new ForwardingFileStore(local) {
      override def replace(path: String, bytes: Array[Byte]): Unit =
        if (path.contains(".manifest")) Steps.this.apply(local.replace(path, bytes))
        else local.replace(path, bytes)
      override def copy(from: String, to: String): Unit = Steps.this.apply(local.copy(from, to))
      override def delete(path: String): Boolean =
        if (path.contains(".manifest")) Steps.this.apply(local.delete(path)) else local.delete(path)
    }

    val rows: ManifestStore = new ManifestStore {
      def get(base: String, version: Long): Option[ManifestRow] = manifests.get(base, version)
      def latest(base: String): Option[ManifestRow] = manifests.latest(base)
      def putIfAbsent(base: String, row: ManifestRow): Boolean =
        Steps.this.apply(manifests.putIfAbsent(base, row))
      def putIfPresent(base: String, row: ManifestRow): Boolean =
        Steps.this.apply(manifests.putIfPresent(base, row))
      def remove(base: String, version: Long): Unit = manifests.remove(base, version)
      def removeAll(base: String): Unit = manifests.removeAll(base)
    }

    val store: FileStore = new IndexedStorage(files, rows)
  }

  test(
    "a crash at any step leaves a readable table, and readers finish the commit"
  ) {
    val sound = new Steps(-1, before = true)
    create(path("whole"))
    LanceTable.open(sound.store, path("whole")).append(IndexedSeq(fragment(5)))
    assert(sound.count == 5) // staging, item, copy, item, deletion
    for (step <- 0 until sound.count; before <- Seq(true, false)) {
      val p = path(s"t$step$before")
      create(p)
      val steps = new Steps(step, before)
      val opened = LanceTable.open(steps.store, p)
      intercept[Died](opened.append(IndexedSeq(fragment(5))))
      // The item that references the staged copy commits the version.
      val committed = step > 1 || step == 1 && !before
      val read = LanceTable.open(store, p)
      assert(read.version == (if (committed) 2 else 1), s"step $step, before $before")
      assert(read.rowCount.contains(if (committed) 15L else 10L))
      assert(manifests.all(base(p)).values.forall(_.path.endsWith(".manifest")))
      val next = read.append(IndexedSeq(fragment(1)))
      assert(LanceTable.versions(store, p) == (1L to next.version))
      // A copy that no item references, or whose deletion failed, remains until clean-up.
      assert((names(p) -- (1L to next.version).map(v2)).size <= 1)
    }
  }

  test("a staging copy stays while its item may be in flight") {
    val p = path("flight")
    create(p)
    var inFlight = Option.empty[ManifestRow]
    val rows: ManifestStore = new ManifestStore {
      def get(base: String, version: Long): Option[ManifestRow] = manifests.get(base, version)
      def latest(base: String): Option[ManifestRow] = {
        inFlight.foreach(manifests.putIfAbsent(base, _))
        manifests.latest(base)
      }
      def putIfAbsent(base: String, row: ManifestRow): Boolean = {
        if (inFlight.isEmpty && row.version == 2) inFlight = Some(row)
        false
      }
      def putIfPresent(base: String, row: ManifestRow): Boolean = manifests.putIfPresent(base, row)
      def remove(base: String, version: Long): Unit = manifests.remove(base, version)
      def removeAll(base: String): Unit = manifests.removeAll(base)
    }
    val appended =
      LanceTable.open(new IndexedStorage(local, rows), p).append(IndexedSeq(fragment(5)))
    val read = LanceTable.open(store, p)
    assert(appended.version == 2 && read.version == 2 && read.rowCount.contains(15L))
  }

  test("after an error, the writer determines the outcome, or reports that it is unknown") {
    for (step <- 0 until 5; before <- Seq(true, false)) {
      val p = path(s"e$step$before")
      create(p)
      val steps = new Steps(step, before)
      steps.failure = () => new IOException("storage failed")
      val outcome =
        try LanceTable.open(steps.store, p).append(IndexedSeq(fragment(5))).version.toString
        catch {
          case _: IOException => "not committed"
          case e: CommitStateUnknownException =>
            e.getClass.getSimpleName
        }
      val expected =
        if (step == 0) "not committed"
        else if (step == 1 && before) "CommitStateUnknownException"
        else "2"
      assert(outcome == expected, s"step $step, before $before")
      assert(LanceTable.open(store, p).version == (if (expected == "2") 2 else 1))
    }
  }

  test("a repeated request that finds its own item has succeeded") {
    val p = path("t")
    create(p)
    val repeating = new ManifestStore {
      def get(base: String, version: Long): Option[ManifestRow] = manifests.get(base, version)
      def latest(base: String): Option[ManifestRow] = manifests.latest(base)
      def putIfAbsent(base: String, row: ManifestRow): Boolean = {
        manifests.putIfAbsent(base, row)
        manifests.putIfAbsent(base, row)
      }
      def putIfPresent(base: String, row: ManifestRow): Boolean = manifests.putIfPresent(base, row)
      def remove(base: String, version: Long): Unit = manifests.remove(base, version)
      def removeAll(base: String): Unit = manifests.removeAll(base)
    }
    val opened = LanceTable.open(new IndexedStorage(local, repeating), p)
    assert(opened.append(IndexedSeq(fragment(5))).version == 2)
    assert(LanceTable.open(store, p).rowCount.contains(15L) && names(p) == Set(v2(1), v2(2)))
  }

  test("a version is readable by its number during its commit") {
    val p = path("t")
    create(p)
    intercept[Died](
      LanceTable.open(new Steps(2, before = true).store, p).append(IndexedSeq(fragment(5)))
    )
    assert(!manifests.all(base(p))(2).path.endsWith(".manifest"))
    assert(LanceTable.open(store, p, Some(2L)).rowCount.contains(15L))
    assert(names(p) == Set(v2(1), v2(2)))
    assert(manifests.all(base(p))(2).path.endsWith(".manifest"))
  }

  test("tables from before the manifest store") {
    val p = path("old")
    LanceTable.create(local, p, schema, IndexedSeq(fragment())).append(IndexedSeq(fragment(5)))
    assert(LanceTable.open(store, p).version == 2 && manifests.all(base(p)).isEmpty)
    assert(LanceTable.open(store, p, Some(1L)).rowCount.contains(10L))
    assert(manifests.all(base(p)).keySet == Set(1L))
    // The item of an old version must not hide newer versions after another commit.
    manifests.removeAll(base(p))
    LanceTable.open(store, p).append(IndexedSeq(fragment(1)))
    assert(LanceTable.open(store, p).version == 3)
    assert(LanceTable.versions(store, p) == Seq(1, 2, 3))
  }

  test("items of old writers have no size; items that contradict the storage are rejected") {
    val p = path("t")
    create(p)
    val row = manifests.all(base(p))(1)
    manifests.set(base(p), row.copy(sizeBytes = None))
    assert(LanceTable.open(store, p).version == 1)
    manifests.set(base(p), row.copy(sizeBytes = Some(7)))
    val size = intercept[CorruptFileException](LanceTable.open(store, p))
    assert(size.getMessage.contains("the manifest store declares 7") && size.place.path.isDefined)
    manifests.set(base(p), row.copy(path = "elsewhere/_versions/1.manifest"))
    val outside = intercept[CorruptFileException](LanceTable.open(store, p))
    assert(outside.getMessage.contains("is not below"))
    manifests.set(base(p), row.copy(path = s"${base(p)}/../x/1.manifest"))
    intercept[CorruptFileException](LanceTable.open(store, p))
    // Other writers record the final name in an old naming scheme, or a staged copy that no longer
    // exists.
    Seq("1.manifest", s"${v2(1)}-${java.util.UUID.randomUUID}").foreach { name =>
      manifests.set(base(p), row.copy(path = s"${base(p)}/_versions/$name"))
      assert(LanceTable.open(store, p).version == 1)
      assert(LanceTable.open(store, p, Some(1L)).version == 1)
    }
  }

  test("a deleted version is removed from both") {
    val p = path("t")
    create(p).append(IndexedSeq(fragment()))
    val versions = new Versions(store, TablePath(p))
    versions.remove(versions.at(1))
    assert(manifests.all(base(p)).keySet == Set(2L) && names(p) == Set(v2(2)))
    intercept[NotFoundException](LanceTable.open(store, p, Some(1L)))
  }
}
