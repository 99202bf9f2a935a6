// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.manifest

import java.io.IOException
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path, Paths}

import io.github.pysparklance.core.{CommitConflictException, CorruptFileException}
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.storage.spi.{
  FileEntry,
  FileStore,
  ForwardingFileStore,
  Listing,
  TablePath
}
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.cleanup.CleanupPolicy
import io.github.pysparklance.table.refs.Revision
import io.github.pysparklance.testkit.{CommitSuite, GoldenTables, Pylance, TemporaryFolder}

class StorageCommitsSuite extends CommitSuite with TemporaryFolder {
  val store: FileStore = Storage.local

  def path(name: String): String = folder.resolve(name).toString

  /** Local files with the listing order of another storage, and counted requests. */
  final private class As(kind: Listing, failing: String => Boolean = _ => false)
      extends ForwardingFileStore(Storage.local) {
    var listed = 0
    var lists = 0
    var named = 0
    var statuses = 0
    override def listing(folder: String): Listing = kind
    override def list(folder: String): IndexedSeq[FileEntry] = {
      lists += 1
      super.list(folder)
    }
    override def listNames(folder: String): IndexedSeq[String] = {
      named += 1
      super.listNames(folder)
    }
    override def listInOrder(folder: String): Iterator[FileEntry] = {
      assert(kind == Listing.Ordered)
      Storage.local.list(folder).sortBy(_.name).iterator.map { e =>
        listed += 1
        e
      }
    }
    override def status(path: String): Option[FileEntry] = {
      statuses += 1
      if (failing(path)) throw new IOException(s"$path: storage does not respond")
      super.status(path)
    }
  }

  /** A folder with empty manifests. */
  private def table(name: String, scheme: NamingScheme, versions: Seq[Long]): TablePath = {
    val folder = Paths.get(path(name), "_versions")
    Files.createDirectories(folder)
    versions.foreach(v => Files.createFile(folder.resolve(scheme.fileName(v))))
    TablePath(path(name))
  }

  private def hintOf(root: TablePath): Path =
    Paths.get(root.root, "_versions", "latest_version_hint.json")

  private def hint(root: TablePath, content: String): Unit =
    Files.write(hintOf(root), content.getBytes(UTF_8)): Unit

  private def latest(store: FileStore, root: TablePath): Option[Long] =
    new Versions(store, root).latest().map(_.version)

  private def since(store: FileStore, root: TablePath, version: Long): Seq[Long] =
    new Versions(store, root).since(version).map(_.version)

  private val kinds = Seq(Listing.Whole, Listing.Ordered, Listing.Slow)
  private val schemes = Seq(NamingScheme.V1, NamingScheme.V2)

  test("the latest version and those since one, on every kind of storage, with any hint or none") {
    for (scheme <- schemes; gone <- Seq(0, 3)) {
      val root = table(s"t$scheme$gone", scheme, gone + 1L to 12L)
      Files.createFile(Paths.get(root.root, "_versions", s"${scheme.fileName(13)}-0a1b2c"))
      Files.createFile(Paths.get(root.root, "_versions", ".tmp_14.manifest_0a1b2c"))
      val hints =
        Seq("7", "12", "4", "13", "2", "99999", "0", "-1", "\"7\"", "null", "12.5", "1e99")
          .map(v => s"""{"version":$v}""") ++ Seq("", "[]", "{", "7", "x" * 9000)
      for (kind <- kinds; content <- None +: hints.map(Some(_))) {
        Files.deleteIfExists(hintOf(root))
        content.foreach(hint(root, _))
        assert(latest(new As(kind), root).contains(12L), s"$scheme $kind $content")
        Seq(gone + 0L, 5L, 11L, 12L, 13L).foreach(v =>
          assert(since(new As(kind), root, v) == (v + 1 to 12L), s"$scheme $kind $content $v")
        )
      }
    }
    for (kind <- kinds) {
      assert(latest(new As(kind), TablePath(path("none"))).isEmpty)
      assert(since(new As(kind), TablePath(path("none")), 0).isEmpty)
    }
  }

  test("requests to an ordered listing") {
    val root = table("t", NamingScheme.V2, 1L to 500L)
    val store = new As(Listing.Ordered)
    assert(latest(store, root).contains(500L) && store.lists == 0 && store.listed <= 2)
    store.listed = 0
    assert(since(store, root, 490) == (491L to 500L) && store.lists == 0 && store.listed <= 12)
  }

  test("requests that the hint saves, and when it is not used") {
    val root = table("t", NamingScheme.V2, 1L to 1200L)
    hint(root, """{"version":1190}""")
    val express = new As(Listing.Slow)
    assert(latest(express, root).contains(1200L) && express.lists == 0 && express.statuses == 12)
    val slow = new As(Listing.Slow)
    assert(since(slow, root, 1180).length == 20 && slow.named == 1 && slow.statuses == 0)
    val local = new As(Listing.Whole)
    assert(latest(local, root).contains(1200L) && since(local, root, 100).length == 1100)
    assert(local.named == 2 && local.lists == 0 && local.statuses == 0)
    // A failed request is not mistaken for the end of the versions.
    val failing = new As(Listing.Slow, _.endsWith(NamingScheme.V2.fileName(1195)))
    assert(latest(failing, root).contains(1200L) && failing.lists == 1)
  }

  test("a stale hint does not hide versions whose predecessors were cleaned up") {
    for (scheme <- schemes) {
      val root = table(s"removed$scheme", scheme, Seq(20L))
      hint(root, """{"version":10}""")
      kinds.foreach(kind => assert(since(new As(kind), root, 10) == Seq(20L), s"$scheme $kind"))
      val kept = table(s"kept$scheme", scheme, Seq(10L, 20L))
      hint(kept, """{"version":10}""")
      kinds.foreach(kind => assert(since(new As(kind), kept, 10) == Seq(20L), s"$scheme $kind"))
    }
  }

  test("clean-up of versions above an outdated hint does not hide the latest version") {
    val p = path("cleaned")
    val store = new As(Listing.Slow)
    LanceTable.create(store, p, schema)
    LanceTable.tags(store, p).create("kept", Revision.Latest)
    (1 to 5).foreach(_ => LanceTable.open(store, p).append(IndexedSeq(fragment())))
    hint(TablePath(p), """{"version":1}""")
    val policy = CleanupPolicy(beforeVersion = Some(6L), errorIfTaggedOldVersions = false)
    LanceTable.open(store, p).planCleanup(policy).run(store): Unit
    assert(LanceTable.versions(store, p) == Seq(1L, 6L))
    assert(latest(store, TablePath(p)).contains(6L))
    // Another writer has restored the outdated hint.
    hint(TablePath(p), """{"version":1}""")
    val outdated = LanceTable.open(store, p)
    intercept[CommitConflictException](outdated.append(IndexedSeq(fragment())))
    assert(LanceTable.open(store, p).append(IndexedSeq(fragment())).version == 7L)
  }

  test("the hint is written only where listings have no order") {
    for (
      (kind, expected) <- Seq(Listing.Whole -> true, Listing.Slow -> true, Listing.Ordered -> false)
    ) {
      val p = path(s"t$kind")
      LanceTable.create(new As(kind), p, schema).append(IndexedSeq(fragment()))
      assert(Files.exists(hintOf(TablePath(p))) == expected)
      if (expected)
        assert(new String(Files.readAllBytes(hintOf(TablePath(p))), UTF_8) == """{"version":2}""")
    }
  }

  test("an environment variable disables hints") {
    Seq("0", "false", " OFF ", "False").foreach(v => assert(!VersionHint.isEnabled(Some(v)), v))
    Seq(None, Some("1"), Some("true"), Some("")).foreach(v => assert(VersionHint.isEnabled(v), v))
  }

  test("detached versions are found only by number") {
    val root = table("t", NamingScheme.V2, 1L to 2L)
    val number = Long.MinValue + 12345
    val versions = new Versions(store, root)
    val target = versions.location(number, NamingScheme.V2)
    assert(target.path.endsWith("/d9223372036854788153.manifest"))
    assert(versions.publish(target, Array[Byte](1)) && !versions.publish(target, Array[Byte](2)))
    for (kind <- kinds) {
      val found = new Versions(new As(kind), root)
      assert(found.list().map(_.version) == Seq(1, 2) && found.latest().exists(_.version == 2))
      assert(found.at(number).path == target.path)
      assert(found.listAll().map(_.version) == Seq(number, 1, 2))
    }
  }

  test("mixed naming schemes in one table are rejected with advice to migrate") {
    val p = GoldenTables.copy("history_v1_names.lance", folder).toString
    val before =
      LanceTable.versions(store, p).map(v => v -> LanceTable.open(store, p, Some(v)).rowCount)
    // The state after an interrupted migration.
    val versions = Paths.get(p, "_versions")
    Files.move(versions.resolve("2.manifest"), versions.resolve(NamingScheme.V2.fileName(2)))
    val e = intercept[CorruptFileException](LanceTable.open(store, p))
    assert(e.getMessage.contains("migrateManifestPathsV2"))
    assert(LanceTable.migrateManifestPathsV2(store, p) == 3)
    assert(LanceTable.migrateManifestPathsV2(store, p) == 0)
    val after =
      LanceTable.versions(store, p).map(v => v -> LanceTable.open(store, p, Some(v)).rowCount)
    assert(after == before)
    assert(Storage.local.list(s"$p/_versions").forall(e =>
      !e.name.endsWith(".manifest") || e.name.length == 29
    ))
    val seen = Pylance.versions(p)
    assert(seen.map(_.get("version").asLong) == before.map(_._1))
    assert(seen.map(_.get("rows").asLong) == before.map(_._2.get))
  }

  test("a table migrated by pylance, and later appends of both") {
    val p = GoldenTables.copy("history_v1_names.lance", folder).toString
    Pylance.run("dataset(path).migrate_manifest_paths_v2(); result = None", "path" -> p)
    val table = LanceTable.open(store, p)
    assert(table.version == 4 && LanceTable.migrateManifestPathsV2(store, p) == 0)
    val names = Storage.local.list(s"$p/_versions").map(_.name)
    assert((1L to 4L).forall(v => names.contains(NamingScheme.V2.fileName(v))))
  }
}
