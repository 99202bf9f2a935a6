// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table

import java.io.{IOException, InterruptedIOException}
import java.net.SocketTimeoutException
import java.nio.file.{Files, Path, Paths}
import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.{Callable, Executors}

import scala.jdk.CollectionConverters._

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.Version
import io.github.pysparklance.core.{
  CommitConflictException,
  CommitStateUnknownException,
  CorruptFileException,
  Field,
  InvalidRequestException,
  LogicalType,
  NotFoundException,
  Schema,
  UnsupportedFeatureException
}
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.storage.spi.{
  FileEntry,
  FileStore,
  ForwardingFileStore,
  RangeReader,
  UnconfirmedWriteException
}
import io.github.pysparklance.table.cleanup.CleanupPolicy
import io.github.pysparklance.table.deletion.DeletionVector
import io.github.pysparklance.table.manifest.{
  DataFile,
  Fragment,
  ManifestFile,
  NamingScheme,
  WriterVersion
}
import io.github.pysparklance.table.transaction.operation.Merge
import io.github.pysparklance.table.transaction.{CommitOptions, TableChanges}
import io.github.pysparklance.testkit.{
  CountingStorage,
  FaultyStorage,
  GoldenTables,
  TemporaryFolder
}

class LanceTableSuite extends AnyFunSuite with TemporaryFolder {
  private val store = Storage.local

  private def schema: Schema = Schema(
    IndexedSeq(Field(-1, "id", LogicalType.parse("int64"), nullable = true))
  ).withFreshIds

  /** A fragment whose file does not exist, because these tests read no data. */
  private def fragment(rows: Long, version: FileVersion = FileVersion.default): Fragment =
    Fragment.unassigned(
      Seq(DataFile(
        s"${java.util.UUID.randomUUID}.lance",
        IndexedSeq(0),
        IndexedSeq(0),
        version,
        99
      )),
      rows
    )

  private def path(name: String = "t"): String = folder.resolve(name).toString

  private val hint = "_versions/latest_version_hint.json"

  /** All files except the hint, which commits may leave stale. */
  private def files(table: Path): Set[String] = {
    val all = Files.walk(table)
    try all.iterator.asScala.filter(Files.isRegularFile(_)).map(table.relativize(
        _
      ).toString).toSet - hint
    finally all.close()
  }

  private def golden(name: String, version: Option[Long] = None): LanceTable =
    LanceTable.open(store, GoldenTables.path(name).toString, version)

  test("the history of a table, under both naming schemes") {
    Seq("history_v1_names.lance", "history_v2_names.lance").foreach { name =>
      assert(golden(name).version == 4)
      assert((1L to 4L).map(v => golden(name, Some(v)).rowCount.get) == Seq(100, 150, 139, 7))
      assert(LanceTable.versions(store, GoldenTables.path(name).toString) == (1L to 4L))
      val e = intercept[NotFoundException](golden(name, Some(5)))
      assert(e.getMessage.contains("not found: version 5"))
    }
  }

  test("a missing table") {
    Seq(path("nothing"), folder.toString).foreach { p =>
      val e = intercept[NotFoundException](LanceTable.open(store, p))
      assert(e.getMessage.contains("not found: table") && e.place.path.contains(p))
      assert(!LanceTable.exists(store, p))
      assert(LanceTable.openIfExists(store, p).isEmpty)
      assert(!LanceTable.drop(store, p))
    }
  }

  test("a concurrent version that was cleaned up is a conflict") {
    val stale = LanceTable.create(store, path(), schema, IndexedSeq(fragment(10)))
    val latest = stale.append(IndexedSeq(fragment(1))).append(IndexedSeq(fragment(2)))
    latest.planCleanup(CleanupPolicy(versions = Some(Set(1L, 2L)))).run(store)
    val e = intercept[CommitConflictException](stale.append(IndexedSeq(fragment(3))))
    assert(e.retryable && e.conflictingVersion == 2)
    assert(e.getMessage.contains("version 2 was committed and cleaned up concurrently"))
    val again = intercept[CommitConflictException](LanceTable.create(store, path(), schema))
    assert(again.getMessage.contains("versions 1 to 2 were"))
    assert(LanceTable.versions(store, path()) == Seq(3L))
    assert(latest.append(IndexedSeq(fragment(3))).version == 4)
  }

  test("columns of a fragment by field id, without missing ones") {
    val t = golden("columns.lance")
    assert(t.schema.fields.map(f => (f.id, f.name)) == Seq((0, "id"), (2, "twice")))
    val first = t.fragments(0)
    val second = t.fragments(1)
    assert(first.columns(Seq(0, 2, 7)).map { case (id, (f, c)) =>
      (id, first.files.indexOf(f), c)
    }.toSet ==
      Set((0, 0, 0), (2, 1, 0)))
    assert(second.columns(Seq(0, 2)).keySet == Set(0))
    assert(t.pathOf(first.files(1)).startsWith(s"${t.path}/data/"))
    assert(Files.exists(Paths.get(t.pathOf(first.files(1)))))
    assert(t.rowCount.contains(25L))
  }

  test("opening takes one listing and one read") {
    val counting = new CountingStorage
    LanceTable.open(counting, GoldenTables.path("deletions.lance").toString)
    assert((counting.lists.get, counting.opens.get, counting.reads.get) == ((1, 1, 1)))
    assert(counting.statuses.get == 0)
  }

  test("mixed naming schemes in a table are rejected with advice") {
    val t = GoldenTables.copy("history_v2_names.lance", folder)
    Files.write(t.resolve("_versions/1.manifest"), Array.emptyByteArray)
    val e = intercept[CorruptFileException](LanceTable.open(store, t.toString))
    assert(e.getMessage.contains("migrate_manifest_paths_v2"))
  }

  test("create, append, overwrite") {
    val created =
      LanceTable.create(store, path(), schema, IndexedSeq(fragment(10)), config = Map("k" -> "v"))
    assert(created.version == 1 && created.rowCount.contains(10L))
    assert(created.fragments.map(_.id) == Seq(0))
    assert(created.manifest.config == Map("k" -> "v"))
    assert(created.manifest.flags.writer == 8 && created.manifest.flags.reader == 0)
    val writer = created.manifest.writerVersion.get
    assert(writer == WriterVersion("pyspark-lance", Version.current.takeWhile(_ != '-')))

    val appended = created.append(IndexedSeq(fragment(5), fragment(6)))
    assert(appended.version == 2 && appended.rowCount.contains(21L))
    assert(appended.fragments.map(_.id) == Seq(0, 1, 2))
    assert(appended.manifest.transactionFile.exists(_.startsWith("1-")))

    val other = Schema(IndexedSeq(Field(0, "x", LogicalType.parse("string"), nullable = true)))
    val overwritten =
      appended.overwrite(IndexedSeq(fragment(1, FileVersion.V2_1)), other, FileVersion.V2_1)
    assert(overwritten.version == 3 && overwritten.rowCount.contains(1L))
    assert(overwritten.fragments.map(_.id) == Seq(3))
    assert(overwritten.schema == other && overwritten.fileVersion == FileVersion.V2_1)
    assert(overwritten.manifest.config == Map("k" -> "v"))

    val emptied = overwritten.overwrite(IndexedSeq.empty, other)
    assert(emptied.rowCount.contains(0L) && emptied.manifest.maxFragmentId.contains(3L))
    assert(emptied.append(IndexedSeq(fragment(2, FileVersion.V2_1))).fragments.map(_.id) == Seq(4))

    assert(LanceTable.open(store, path(), Some(2L)).fragments == appended.fragments)
    val names = files(folder.resolve("t"))
    assert(names.count(_.startsWith("_versions/")) == 5 && names.count(
      _.startsWith("_transactions/")
    ) == 5)
    assert(names.size == 10)
    assert(Files.readString(folder.resolve("t").resolve(hint)) == """{"version":5}""")
  }

  test("an append keeps the naming scheme, the indices, and all other manifest fields") {
    Seq(
      "history_v1_names.lance" -> "_versions/5.manifest",
      "history_v2_names.lance" -> "_versions/18446744073709551610.manifest"
    ).foreach {
      case (name, expected) =>
        val t = GoldenTables.copy(name, folder)
        val appended = LanceTable.open(store, t.toString).append(IndexedSeq(fragment(3)))
        assert(files(t).contains(expected))
        assert(appended.fragments.map(_.id) == Seq(2, 3))
        assert(appended.rowCount.contains(10L))
    }
  }

  test("an append keeps deletions and dropped columns") {
    val t = GoldenTables.copy("deletions.lance", folder)
    val before = LanceTable.open(store, t.toString)
    val after = before.append(IndexedSeq(fragment(3)))
    assert(after.fragments.take(2) == before.fragments)
    assert(after.manifest.flags == before.manifest.flags)
    assert(after.rowCount.contains(before.rowCount.get + 3))
  }

  test("a mismatched schema or file version is rejected, and the table is unchanged") {
    val t = LanceTable.create(store, path(), schema)
    val before = files(folder.resolve("t"))
    val e = intercept[InvalidRequestException](t.append(IndexedSeq(fragment(1, FileVersion.V2_1))))
    assert(e.getMessage.contains("version 2.1, the table has 2.2") && e.place.path.contains(path()))
    val bad = Schema(IndexedSeq(Field(0, "_rowid", LogicalType.parse("int32"), nullable = true)))
    intercept[InvalidRequestException](t.overwrite(IndexedSeq.empty, bad))
    intercept[InvalidRequestException](t.checkAppend(bad))
    assert(files(folder.resolve("t")) == before)
  }

  test("unsupported writes are rejected by name") {
    val t = GoldenTables.copy("history_v2_names.lance", folder)
    val golden = LanceTable.open(store, t.toString)
    val clustered = golden.manifest.message.toBuilder.setVersion(5).setWriterFeatureFlags(1L << 17)
    Files.write(
      t.resolve("_versions").resolve(NamingScheme.V2.fileName(5)),
      ManifestFile.encode(clustered, None, proto.Transaction.getDefaultInstance).bytes
    )
    val table = LanceTable.open(store, t.toString)
    val before = files(t)
    assert(intercept[UnsupportedFeatureException](
      table.checkWritable()
    ).getMessage.contains("clustering"))
    val e = intercept[UnsupportedFeatureException](table.append(IndexedSeq(fragment(1))))
    assert(e.getMessage.contains("clustering"))
    intercept[UnsupportedFeatureException](table.overwrite(IndexedSeq.empty, schema))
    val rows = Map(table.fragments.head.id -> DeletionVector.of(Array(1)))
    intercept[UnsupportedFeatureException](table.delete(rows, "true"))
    assert(files(t) == before)
  }

  test("creating an existing table") {
    LanceTable.create(store, path(), schema)
    val before = files(folder.resolve("t"))
    val e = intercept[CommitConflictException](LanceTable.create(store, path(), schema))
    assert(e.conflictingVersion == 1 && e.getMessage.contains("created or overwritten"))
    assert(files(folder.resolve("t")) == before)
  }

  test("a stale append is rebased over appends, but conflicts with an overwrite") {
    val stale = LanceTable.create(store, path(), schema, IndexedSeq(fragment(1)))
    stale.append(IndexedSeq(fragment(2)))
    val third = stale.append(IndexedSeq(fragment(3)))
    assert(third.version == 3 && third.rowCount.contains(6L))
    third.overwrite(IndexedSeq(fragment(7)), schema)
    val e = intercept[CommitConflictException](stale.append(IndexedSeq(fragment(1))))
    assert(e.conflictingVersion == 4 && e.getMessage.contains("overwritten"))
    val o = intercept[CommitConflictException](third.overwrite(IndexedSeq.empty, schema))
    assert(o.conflictingVersion == 4)
    assert(LanceTable.open(store, path()).rowCount.contains(7L))
  }

  test("a stale append is rebased over deletes and column changes of pylance") {
    // Versions 2 and 3 add and drop a nullable column, which allows files without it.
    val c = GoldenTables.copy("columns.lance", folder)
    val first = LanceTable.open(store, c.toString, Some(1L))
    assert(first.append(IndexedSeq(fragment(1))).rowCount.contains(26L))
    val d = GoldenTables.copy("deletions.lance", folder)
    val second = LanceTable.open(store, d.toString, Some(2L))
    assert(second.append(IndexedSeq(fragment(1))).rowCount.contains(7998L + 2000 + 1))
  }

  test("a version without a transaction is a conflict") {
    val stale = LanceTable.create(store, path(), schema)
    val second = stale.append(IndexedSeq(fragment(2)))
    val manifest = folder.resolve("t/_versions/18446744073709551613.manifest")
    val bytes = Files.readAllBytes(manifest)
    // Field 23, the position of the inline transaction, is outside of the file.
    val broken = new ByteEditor(bytes).replace(Seq(0xb8, 0x01, 0x00), Seq(0xb8, 0x01, 0x7f))
    Files.write(manifest, broken)
    Files.delete(folder.resolve(s"t/_transactions/${second.manifest.transactionFile.get}"))
    val e = intercept[CommitConflictException](stale.append(IndexedSeq(fragment(1))))
    assert(e.conflictingVersion == 2 && e.getMessage.contains("transaction cannot be read"))
  }

  test("many concurrent appends all succeed") {
    LanceTable.create(store, path(), schema)
    val pool = Executors.newFixedThreadPool(4)
    try {
      val writers = (1 to 4).map { w =>
        new Callable[Unit] {
          def call(): Unit = (1 to 10).foreach { _ =>
            LanceTable.open(store, path()).append(
              IndexedSeq(fragment(w.toLong)),
              options = CommitOptions(maxRetries = 1000)
            ): Unit
          }
        }
      }
      pool.invokeAll(writers.asJava).asScala.foreach(_.get)
    } finally pool.shutdown()
    val t = LanceTable.open(store, path())
    assert(t.version == 41 && t.rowCount.contains(10L * (1 + 2 + 3 + 4)))
    assert(t.fragments.map(_.id) == (0L until 40L))
    assert((1L to 41L).forall(v =>
      LanceTable.open(store, path(), Some(v)).fragments.length == v - 1
    ))
    val names = files(folder.resolve("t"))
    assert(names.count(_.startsWith("_versions/")) == 41)
    assert(names.count(_.startsWith("_transactions/")) == 41)
  }

  test("a failed publish leaves nothing behind; one that took effect counts") {
    val t = LanceTable.create(store, path(), schema)
    val before = files(folder.resolve("t"))
    def manifestPut(fault: FaultyStorage.Fault): FileStore =
      new FaultyStorage(store, p => if (p.endsWith(".manifest")) Some(fault) else None)

    val failing = LanceTable.open(manifestPut(FaultyStorage.Before), path())
    intercept[IOException](failing.append(IndexedSeq(fragment(1))))
    assert(files(folder.resolve("t")) == before)

    val unnoticed = LanceTable.open(manifestPut(FaultyStorage.After), path())
    val appended = unnoticed.append(IndexedSeq(fragment(1)))
    assert(appended.version == 2 && appended.rowCount.contains(1L))

    val denying = LanceTable.open(manifestPut(FaultyStorage.DeniedAfter), path())
    assert(denying.append(IndexedSeq(fragment(2))).version == 3)

    val silent = LanceTable.open(manifestPut(FaultyStorage.UnreadableAfter), path())
    val changed = new AtomicInteger
    TableChanges.listen(p => if (p == path()) changed.incrementAndGet(): Unit)
    intercept[CommitStateUnknownException](silent.append(IndexedSeq(fragment(3))))
    assert(changed.get == 1, "caches are refreshed, because the version may exist")
    assert(LanceTable.open(store, path()).version == 4)
    assert(t.append(IndexedSeq(fragment(4))).rowCount.contains(1L + 2 + 3 + 4))
  }

  test("an unconfirmed put is committed once, whether it took effect or not") {
    LanceTable.create(store, path(), schema)
    Seq(true, false).foreach { lands =>
      val faulty = new FaultyStorage(
        store,
        p => if (p.endsWith(".manifest")) Some(FaultyStorage.Unconfirmed(lands)) else None
      )
      val t = LanceTable.open(faulty, path())
      val appended = t.append(IndexedSeq(fragment(1)))
      assert(appended.version == t.version + 1)
    }
    assert(LanceTable.versions(store, path()) == Seq(1, 2, 3))
    assert(LanceTable.open(store, path()).rowCount.contains(2L))
  }

  test("an unconfirmed put yields to the version of another writer") {
    LanceTable.create(store, path(), schema)
    var isFirst = true
    val racing = new ForwardingFileStore(store) {
      override def createIfAbsent(path: String, bytes: Array[Byte]): Boolean =
        if (isFirst && path.endsWith(".manifest")) {
          isFirst = false
          LanceTable.open(store, LanceTableSuite.this.path()).append(IndexedSeq(fragment(5)))
          throw new UnconfirmedWriteException(path, new IOException("reset"))
        } else store.createIfAbsent(path, bytes)
    }
    val t = LanceTable.open(racing, path()).append(IndexedSeq(fragment(1)))
    assert(t.version == 3 && t.rowCount.contains(6L))
  }

  test("a put that is never confirmed has an unknown outcome, and its files are kept") {
    LanceTable.create(store, path(), schema)
    val failing = new ForwardingFileStore(store) {
      override def createIfAbsent(path: String, bytes: Array[Byte]): Boolean =
        if (path.endsWith(".manifest"))
          throw new UnconfirmedWriteException(path, new IOException("reset"))
        else store.createIfAbsent(path, bytes)
    }
    intercept[CommitStateUnknownException](
      LanceTable.open(failing, path()).append(IndexedSeq(fragment(1)))
    )
    assert(files(folder.resolve("t")).count(_.startsWith("_transactions/")) == 2)
  }

  private def denying(lands: Boolean): LanceTable = LanceTable.open(
    new FaultyStorage(
      store,
      p => if (p.endsWith(".manifest")) Some(FaultyStorage.Denied(lands)) else None
    ),
    path()
  )

  test("a put that is denied because its first request is in flight is committed once") {
    LanceTable.create(store, path(), schema)
    val appended = denying(lands = true).append(IndexedSeq(fragment(3)))
    assert(appended.version == 2 && appended.latest.version == 2)
    assert(appended.latest.rowCount.contains(3L))

    val write = Map("app" -> "1")
    val once = CommitOptions(unlessCommitted = _ == write)
    val written = denying(lands = true).append(IndexedSeq(fragment(5)), write, once)
    assert(written.version == 3 && written.latest.rowCount.contains(8L))

    val rows = Map(written.fragments.head.id -> DeletionVector.of(Array(1)))
    val deleted = denying(lands = true).delete(rows, "id = 1").latest
    assert(deleted.version == 4 && deleted.rowCount.contains(7L))
    assert(deleted.deletionVector(deleted.fragments.head).numDeletedRows == 1)
  }

  test("a put that is denied although the version does not exist has an unknown outcome") {
    LanceTable.create(store, path(), schema)
    intercept[CommitStateUnknownException](denying(lands = false).append(IndexedSeq(fragment(1))))
    assert(files(folder.resolve("t")).count(_.startsWith("_transactions/")) == 2)
    assert(LanceTable.versions(store, path()) == Seq(1))
  }

  test("a version that seemed to be of another writer is recognized by its transaction") {
    LanceTable.create(store, path(), schema)
    var isReadable = true
    val late = new ForwardingFileStore(store) {
      override def createIfAbsent(path: String, bytes: Array[Byte]): Boolean = {
        isReadable = !path.endsWith(".manifest")
        store.createIfAbsent(path, bytes) && isReadable
      }
      override def open(path: String, sizeBytes: Long): RangeReader =
        if (isReadable) store.open(path, sizeBytes)
        else {
          isReadable = true
          throw new NotFoundException(s"file $path")
        }
    }
    val t = LanceTable.open(late, path()).append(IndexedSeq(fragment(3)))
    assert(t.version == 2 && t.latest.version == 2 && t.latest.rowCount.contains(3L))
  }

  test("a version that a clean-up removed is not created by a writer that lost it") {
    LanceTable.create(store, path(), schema)
    val late = publishing { _ =>
      (1 to 2).foreach(_ => LanceTable.open(store, path()).append(IndexedSeq(fragment(1))))
      LanceTable.open(store, path()).planCleanup(CleanupPolicy(beforeVersion = Some(3))).run(store)
      false
    }
    val e = intercept[CommitConflictException](
      LanceTable.open(late, path()).append(IndexedSeq(fragment(1)))
    )
    assert(e.getMessage.contains("version 2 was committed and cleaned up"), e)
    assert(LanceTable.versions(store, path()) == Seq(3))
  }

  /** Returns a store that calls `around` when a manifest is created. */
  private def publishing(around: (=> Boolean) => Boolean): FileStore =
    new ForwardingFileStore(store) {
      override def createIfAbsent(path: String, bytes: Array[Byte]): Boolean =
        if (path.endsWith(".manifest")) around(store.createIfAbsent(path, bytes))
        else store.createIfAbsent(path, bytes)
    }

  test(
    "a thread interrupted during publishing learns the outcome, and stays interrupted"
  ) {
    LanceTable.create(store, path(), schema)
    def appending(storage: FileStore): LanceTable =
      LanceTable.open(storage, path()).append(IndexedSeq(fragment(1)))
    val done = publishing { create =>
      create
      Thread.currentThread.interrupt()
      throw new InterruptedIOException("stopped")
    }
    assert(appending(done).version == 2 && Thread.interrupted())
    val raw = publishing { create =>
      create
      throw new InterruptedException
    }
    assert(appending(raw).version == 3 && Thread.interrupted())
    val left = publishing { _ =>
      Thread.currentThread.interrupt()
      throw new InterruptedIOException("stopped")
    }
    // The request may still be in flight.
    intercept[CommitStateUnknownException](appending(left))
    assert(Thread.interrupted() && LanceTable.open(store, path()).version == 3)
    val broken = publishing { create =>
      create
      throw new IllegalStateException("a client with a bug")
    }
    assert(appending(broken).version == 4)
    def unconfirmed(cause: IOException) = publishing { create =>
      create
      throw new UnconfirmedWriteException("x", cause)
    }
    assert(appending(unconfirmed(new InterruptedIOException("stopped"))).version == 5)
    assert(Thread.interrupted())
    assert(appending(unconfirmed(new SocketTimeoutException("Read timed out"))).version == 6)
    assert(!Thread.interrupted())
  }

  test("an error after the commit point does not fail the commit") {
    val config = Map("lance.auto_cleanup.interval" -> "1")
    LanceTable.create(store, path(), schema, config = config)
    for (error <- Seq(new IllegalStateException("broken"), new InterruptedException)) {
      var isPublished = false
      val storage = new ForwardingFileStore(store) {
        override def createIfAbsent(path: String, bytes: Array[Byte]): Boolean = {
          isPublished = store.createIfAbsent(path, bytes)
          isPublished
        }
        override def replace(path: String, bytes: Array[Byte]): Unit =
          if (isPublished) throw error else store.replace(path, bytes)
        override def replaceUnsynced(path: String, bytes: Array[Byte]): Unit = replace(path, bytes)
        override def list(folder: String): IndexedSeq[FileEntry] =
          if (isPublished) throw error else store.list(folder)
      }
      val before = LanceTable.open(storage, path())
      val after = before.append(IndexedSeq(fragment(1)))
      assert(after.version == before.version + 1)
      assert(after.cleanUpAfterCommit().isEmpty)
      assert(Thread.interrupted() == error.isInstanceOf[InterruptedException])
    }
  }

  test("rows for columns whose type changed concurrently are rejected") {
    val long = LogicalType.parse("int64")
    def columns(id: Int, name: String, t: LogicalType) = Schema(
      IndexedSeq(schema.fields.head, Field(id, name, t, nullable = true))
    )
    def twoColumns = Fragment.unassigned(
      Seq(DataFile(
        s"${java.util.UUID.randomUUID}.lance",
        IndexedSeq(0, 1),
        IndexedSeq(0, 1),
        FileVersion.default,
        99
      )),
      1
    )
    val int = LogicalType.parse("int32")
    val old = LanceTable.create(store, path(), columns(1, "x", int), IndexedSeq(twoColumns))
    def changed(to: Schema): LanceTable = {
      val latest = LanceTable.open(store, path())
      latest.commit(Merge(latest.fragments, to, preservesNullability = true))
    }
    // Other columns may be added, and this one be renamed.
    val more = columns(1, "y", LogicalType.parse("int32"))
    changed(more.copy(fields = more.fields :+ Field(2, "z", long, nullable = true)))
    assert(old.append(IndexedSeq(twoColumns)).rowCount.contains(2L))
    val stale = changed(columns(1, "x", LogicalType.parse("int32")))
    changed(columns(3, "x", long))
    val e = intercept[CommitConflictException](stale.append(IndexedSeq(twoColumns)))
    assert(e.retryable && e.getMessage.contains("the type of the column x was changed"))
    changed(columns(1, "other", long))
    intercept[CommitConflictException](stale.append(IndexedSeq(twoColumns)))
    // Rows without the column are not affected.
    assert(stale.append(IndexedSeq(fragment(1))).rowCount.contains(3L))
  }

  test("rows for a column whose id belongs to another column now are rejected") {
    val int = LogicalType.parse("int32")
    def columns(name: String) =
      Schema(IndexedSeq(schema.fields.head, Field(1, name, int, nullable = true)))
    // No file has the column, so its id is assigned again.
    val stale = LanceTable.create(store, path(), columns("c"))
    LanceTable.open(store, path())
      .commit(Merge(IndexedSeq.empty, columns("note"), preservesNullability = true))
    val file = DataFile("a.lance", IndexedSeq(0, 1), IndexedSeq(0, 1), FileVersion.default, 99)
    val e = intercept[CommitConflictException](
      stale.append(IndexedSeq(Fragment.unassigned(Seq(file), 1)))
    )
    assert(e.getMessage.contains("the column was replaced"))
    assert(LanceTable.open(store, path()).rowCount.contains(0L))
  }

  test("a commit that must follow its base version") {
    val t = LanceTable.create(store, path(), schema, IndexedSeq(fragment(1)))
    val options = CommitOptions(onlyOnBase = true)
    assert(t.overwrite(IndexedSeq(fragment(2)), schema, options = options).version == 2)
    val stale = LanceTable.open(store, path())
    LanceTable.open(store, path()).append(IndexedSeq(fragment(3)))
    val e = intercept[CommitConflictException](
      stale.overwrite(IndexedSeq(fragment(4)), schema, options = options)
    )
    assert(e.retryable && LanceTable.open(store, path()).rowCount.contains(5L))
  }

  test("a writer that always loses the race gives up with an error") {
    LanceTable.create(store, path(), schema)
    def rival(): Unit = LanceTable.open(store, path()).append(IndexedSeq(fragment(1))): Unit
    val racing = new FaultyStorage(
      store,
      p => if (p.endsWith(".manifest")) Some(FaultyStorage.Rival(() => rival())) else None
    )
    val e = intercept[CommitConflictException](
      LanceTable
        .open(racing, path())
        .append(IndexedSeq(fragment(9)), options = CommitOptions(maxRetries = 3))
    )
    assert(e.getMessage.contains("in all 4 attempts"))
    val t = LanceTable.open(store, path())
    assert(t.version == 5 && t.rowCount.contains(4L))
    assert(files(folder.resolve("t")).count(_.startsWith("_transactions/")) == 5)
  }

  test("dropping deletes the table and keeps foreign files") {
    LanceTable.create(store, path(), schema)
    Files.createDirectories(folder.resolve("t/data"))
    Files.write(folder.resolve("t/data/x.lance"), Array[Byte](1))
    assert(LanceTable.drop(store, path()))
    assert(!Files.exists(folder.resolve("t")))

    LanceTable.create(store, path(), schema)
    Files.write(folder.resolve("t/notes.txt"), Array[Byte](1))
    assert(LanceTable.drop(store, path()))
    assert(files(folder.resolve("t")) == Set("notes.txt"))
    assert(!LanceTable.exists(store, path()))
    assert(LanceTable.create(store, path(), schema).version == 1)
  }

  test("tags and branches of a table do not outlive an interrupted drop") {
    def create(): LanceTable = LanceTable.create(store, path(), schema)
    def references = LanceTable.tags(store, path()).list().map(_.name) ++
      LanceTable.branches(store, path()).list().map(_.name)

    /** Fails at a removal. */
    final class Failing(at: Int) extends ForwardingFileStore(store) {
      var count = 0
      private def step[A](remove: => A): A = {
        count += 1
        if (count > at) throw new IOException("storage failed")
        remove
      }
      override def delete(path: String): Boolean = step(store.delete(path))
      override def deleteAll(paths: Seq[String]): Unit = step(store.deleteAll(paths))
      override def deleteFolder(path: String): Boolean = step(store.deleteFolder(path))
    }
    val steps = Iterator.from(0).map { at =>
      create()
      LanceTable.tags(store, path()).create("v1")
      LanceTable.branches(store, path()).create("dev")
      val isComplete =
        try LanceTable.drop(new Failing(at), path())
        catch { case _: IOException => false }
      if (LanceTable.exists(store, path())) LanceTable.drop(store, path()): Unit
      assert(references.isEmpty, at)
      create()
      assert(LanceTable.branches(store, path()).create("dev").name == "dev", at)
      LanceTable.drop(store, path())
      isComplete
    }
    assert(steps.indexWhere(identity) > 10)
  }

  test("a new table does not get the tags and branches of an earlier table") {
    def create(): LanceTable = LanceTable.create(store, path(), schema)
    def references = LanceTable.tags(store, path()).list().map(_.name) ++
      LanceTable.branches(store, path()).list().map(_.name)
    create()
    LanceTable.tags(store, path()).create("v1")
    LanceTable.branches(store, path()).create("dev")
    intercept[CommitConflictException](create())
    assert(references == Seq("v1", "dev"))
    store.deleteFolder(folder.resolve("t/_versions").toString)
    assert(create().version == 1 && references.isEmpty)
  }

  test("dropping keeps files of others in the folders of data and branches") {
    def write(file: String): Unit = {
      val place = folder.resolve("t").resolve(file)
      Files.createDirectories(place.getParent)
      Files.write(place, Array[Byte](1)): Unit
    }
    val others = Set(
      "data/raw.csv",
      "data/2024/raw.lance",
      "data/other.lance/_versions/1.manifest",
      "data/other.lance/data/x.lance",
      "tree/notes.txt",
      "tree/data/raw.csv",
      "tree/other.lance/_versions/1.manifest",
      "tree/other.lance/data/x.lance"
    )
    LanceTable.create(store, path(), schema)
    LanceTable.branches(store, path()).create("dev/a")
    others.foreach(write)
    Seq("data/x.lance", "data/x/1.blob", "data/.tmp_1", "tree/dev/a/data/y.lance").foreach(write)
    assert(LanceTable.drop(store, path()))
    assert(files(folder.resolve("t")) == others)
    assert(!LanceTable.exists(store, path()))
  }
}

/** Changes bytes that occur exactly once in a file. */
final private class ByteEditor(bytes: Array[Byte]) {
  def replace(old: Seq[Int], by: Seq[Int]): Array[Byte] = {
    val pattern = old.map(_.toByte)
    val at = bytes.toSeq.indexOfSlice(pattern)
    assert(at >= 0 && bytes.toSeq.indexOfSlice(pattern, at + 1) < 0)
    bytes.patch(at, by.map(_.toByte), old.length)
  }
}
