// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.changes

import java.nio.file.{Files, Paths}
import java.nio.{ByteBuffer, ByteOrder}
import java.time.Instant
import java.time.temporal.ChronoUnit

import scala.jdk.CollectionConverters._
import scala.util.Using

import com.google.protobuf.Timestamp
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.{
  Column,
  CorruptFileException,
  Field,
  InvalidRequestException,
  LeafColumn,
  LogicalType,
  LongValues,
  NotFoundException,
  Schema,
  UnsupportedFeatureException
}
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.cleanup.CleanupPolicy
import io.github.pysparklance.table.cloning.ShallowClone
import io.github.pysparklance.table.columns.{ColumnUpdate, SchemaUpdate}
import io.github.pysparklance.table.history.History
import io.github.pysparklance.table.maintenance.{Compaction, CompactionOptions}
import io.github.pysparklance.table.manifest.{DataFile, Fragment}
import io.github.pysparklance.table.metadata.MetadataChanges
import io.github.pysparklance.table.refs.Revision
import io.github.pysparklance.table.rowid.RowIdSequence
import io.github.pysparklance.table.scan.MetadataColumn
import io.github.pysparklance.table.schema.{FieldPath, SchemaChange}
import io.github.pysparklance.table.transaction.operation.{DataReplacement, Merge, UpdateMap}
import io.github.pysparklance.table.{FragmentWriter, LanceTable, proto}
import io.github.pysparklance.testkit.{CountingStorage, TableRows, TemporaryFolder}

class ChangeFeedSuite extends AnyFunSuite with TemporaryFolder {
  private val store = Storage.local
  private type Row = (Long, Long)

  private def create(
      rows: Seq[Seq[Row]],
      stable: Boolean = true,
      name: String = "t",
      schema: Schema = TableRows.schema
  ): LanceTable = {
    val path = folder.resolve(name).toString
    val files = rows.map(TableRows.write(store, path, _)).toIndexedSeq
    LanceTable.create(store, path, schema, files, enableStableRowIds = stable)
  }

  private def append(t: LanceTable, rows: Row*): LanceTable =
    t.append(IndexedSeq(TableRows.write(store, t.path, rows)))

  private def delete(t: LanceTable)(ids: Long*): LanceTable =
    t.delete(TableRows.where(store, t)(r => ids.contains(r.head)), "test")

  /** Moves rows with new values to a new fragment. */
  private def update(t: LanceTable)(changes: Row*): LanceTable = {
    val byId = changes.toMap
    val where = TableRows.where(store, t)(r => byId.contains(r.head.asInstanceOf[Long]))
    val rows = TableRows(store, t, IndexedSeq(MetadataColumn.RowId))
      .filter(r => byId.contains(r.head.asInstanceOf[Long]))
      .map(r => (r.head.asInstanceOf[Long], r.last.asInstanceOf[Long]))
    val file = TableRows.write(store, t.path, rows.map { case (id, _) => id -> byId(id) })
    val added =
      if (!t.hasStableRowIds) file
      else
        Fragment.unassigned(
          file.files,
          rows.length.toLong,
          Some(RowIdSequence.of(rows.map(_._2).toArray).toBytes)
        )
    t.update(where, IndexedSeq(added), Set(t.schema.field("value").get.id))
  }

  private def changed(t: LanceTable, begin: Long, net: Boolean = false, keys: Seq[String] = Nil) = {
    val feed = new ChangeFeed(t)
    val changes = feed.read(feed.range(ChangeBound.Version(begin), None), net, keys)
    val rows = ChangeRows(store, changes)
    assert(rows.length == changes.numRows)
    rows.map(_.toString)
  }

  private val rows = Seq(Seq(1L -> 10L, 2L -> 20L, 3L -> 30L), Seq(4L -> 40L, 5L -> 50L))

  for (stable <- Seq(true, false)) {
    val ids = if (stable) "with stable row ids" else "without stable row ids"

    test(s"inserted and deleted rows of each commit, $ids") {
      val t = delete(delete(append(create(rows, stable), 6L -> 60L))(2, 6))(4, 5)
      assert(changed(t, 1) == Seq(
        "1 insert 1,10",
        "1 insert 2,20",
        "1 insert 3,30",
        "1 insert 4,40",
        "1 insert 5,50",
        "2 insert 6,60",
        "3 delete 6,60",
        "3 delete 2,20",
        "4 delete 4,40",
        "4 delete 5,50"
      ))
      assert(changed(t, 3, net = true) == changed(t, 3))
      assert(changed(t, 2, net = true) == Seq("3 delete 2,20", "4 delete 4,40", "4 delete 5,50"))
      assert(changed(t, 5) == Nil)
    }

    test(s"an overwrite deletes all rows and inserts others, $ids") {
      val t = create(rows, stable)
      val now = t.overwrite(IndexedSeq(TableRows.write(store, t.path, Seq(1L -> 10L))), t.schema)
      val deleted = rows.flatten.map { case (id, value) => s"2 delete $id,$value" }
      assert(changed(now, 2) == deleted :+ "2 insert 1,10")
      assert(changed(now, 2, keys = Seq("id")).sorted == (deleted.tail ++
        Seq("2 update_preimage 1,10", "2 update_postimage 1,10")).sorted)
    }

    test(s"compactions and configuration change no rows, $ids") {
      val t = append(delete(create(rows, stable))(2), 6L -> 60L)
      new Compaction(t).run(CompactionOptions()): Unit
      val set = new MetadataChanges(t.latest).config(UpdateMap.upsert(Map("k" -> "v")))
      assert(set.version == t.version + 3 && set.fragments.length == 1)
      assert(changed(set, t.version + 1) == Nil)
      val now = update(delete(set)(3))(1L -> 11L)
      val deleted = s"${now.version - 1} delete 3,30"
      assert(changed(now, t.version + 1).head == deleted)
      assert(ChangeRows.applied(
        TableRows(store, t),
        ChangeRows(store, new ChangeFeed(now).read(VersionRange(t.version + 1, now.version), true))
      ) == ChangeRows.counts(TableRows(store, now)))
    }

    test(s"column updates in place are updates of only these rows, $ids") {
      val t = create(rows, stable)
      val plan = ColumnUpdate.plan(t, Seq("value"))
      val writer = plan.tasks.head.open(store)
      writer.write(Array(1L), IndexedSeq(column(21L)))
      val now = plan.commit(Seq(writer.finish(), plan.tasks(1).run(store)))
      val pair = Seq("2 update_preimage 2,20", "2 update_postimage 2,21")
      assert(changed(now, 2) == pair && changed(now, 2, net = true) == pair)
    }

    test(s"replaced files are updates of all rows of their fragments, $ids") {
      val t = delete(create(rows, stable))(5)
      val field = t.schema.field("value").get
      val file = TableRows.writeColumn(store, t.path, field, Seq(41L, 51L)).files.head
      val now = t.commit(DataReplacement(Seq(t.fragments(1).id -> file)))
      assert(changed(now, 3) == Seq("3 update_preimage 4,40", "3 update_postimage 4,41"))
    }

    test(s"a restore undoes changes, $ids") {
      val t = create(rows, stable)
      val later = delete(update(append(t, 6L -> 60L))(1L -> 11L, 4L -> 44L))(2)
      val now = new History(t).restore()
      val found = changed(now, now.version)
      val expected =
        if (stable)
          Seq("update_preimage 1,11", "update_preimage 4,44", "update_postimage 1,10") ++
            Seq("update_postimage 4,40", "delete 6,60", "insert 2,20")
        else
          Seq("delete 1,11", "delete 4,44", "insert 1,10", "insert 4,40", "delete 6,60") :+
            "insert 2,20"
      assert(found.sorted == expected.map(e => s"${now.version} $e").sorted)
      assert(changed(now, 2, net = true) == Nil, later)
    }

    test(s"columns that were added, renamed, dropped, or widened change no rows, $ids") {
      val t = delete(create(rows, stable))(1)
      def change(c: SchemaChange): LanceTable = SchemaUpdate.plan(t.latest, Seq(c)).run()
      val text = Field(Field.Unassigned, "more", LogicalType.parse("string"), nullable = true)
      change(SchemaChange.Add(FieldPath.root, text))
      change(SchemaChange.Rename(FieldPath.of("id"), "key"))
      change(SchemaChange.SetType(FieldPath.of("value"), LogicalType.parse("decimal:128:38:0")))
      assert(changed(t.latest, 3) == Nil)
      val before = changed(t.latest, 2)
      assert(
        before.length == 1 && before.head.startsWith("2 delete 1,") && before.head.endsWith(",null")
      )
    }
  }

  test(
    "updated rows are pairs by stable row id, by primary key, and by columns that identify rows"
  ) {
    val pairs = Seq("2 update_preimage 2,20", "2 update_postimage 2,21")
    val moved = Seq("2 delete 2,20", "2 insert 2,21")
    assert(changed(update(create(rows))(2L -> 21L), 2) == pairs)
    val plain = update(create(rows, stable = false, "plain"))(2L -> 21L)
    assert(changed(plain, 2) == moved && changed(plain, 2, keys = Seq("id")) == pairs)
    assert(changed(plain, 2, keys = Seq("value")) == moved)
    val key = Schema(TableRows.schema.fields.map { f =>
      if (f.name == "id") f.copy(nullable = false, unenforcedPrimaryKey = Some(1)) else f
    })
    val keyed = update(create(rows, stable = false, "keyed", key))(2L -> 21L)
    assert(changed(keyed, 2) == pairs && changed(keyed, 2, net = true) == pairs)
    val e = intercept[InvalidRequestException](changed(plain, 2, keys = Seq("nope")))
    assert(e.getMessage.contains("nope"))
  }

  test("net changes have one change for each row, from its first to its last values") {
    val t = create(rows)
    val now = delete(update(update(append(t, 6L -> 60L, 7L -> 70L))(2L -> 21L, 6L -> 61L))(
      2L -> 22L,
      3L -> 33L
    ))(3, 7)
    assert(changed(now, 2, net = true) == Seq(
      "3 update_preimage 2,20",
      "3 insert 6,61",
      "4 delete 3,30",
      "4 update_postimage 2,22"
    ))
  }

  test("keys that are not unique lose no change") {
    val twice = Seq(Seq(1L -> 10L, 1L -> 11L, 2L -> 20L))
    val t = create(twice, stable = false)
    val now = delete(append(append(t, 1L -> 12L), 2L -> 21L))(1)
    for (net <- Seq(false, true)) {
      val read = new ChangeFeed(now).read(VersionRange(2, now.version), net, Seq("id"))
      val found = ChangeRows.applied(TableRows(store, t), ChangeRows(store, read))
      assert(found == ChangeRows.counts(TableRows(store, now)))
    }
  }

  test("keys that are not unique lose no change, if a compaction or restore moves their rows") {
    for (stable <- Seq(true, false)) {
      val t = create(Seq(Seq(1L -> 10L, 2L -> 20L)), stable, s"twice$stable")
      append(t, 1L -> 12L): Unit
      new Compaction(t.latest).run(CompactionOptions()): Unit
      def deleted(value: Long): LanceTable = {
        val latest = t.latest
        latest.delete(TableRows.where(store, latest)(_.last == value), "test")
      }
      val compacted = t.latest
      val first = deleted(10)
      val second = deleted(12)
      new History(compacted).restore(): Unit
      val last = deleted(10)
      for {
        end <- Seq(first, second, last)
        net <- Seq(false, true)
        keys <- Seq(Nil, Seq("id"))
      } {
        val read = new ChangeFeed(end).read(VersionRange(2, end.version), net, keys)
        val found = ChangeRows.applied(TableRows(store, t), ChangeRows(store, read))
        assert(found == ChangeRows.counts(TableRows(store, end)), (stable, end.version, net, keys))
      }
    }
  }

  test("keys of more rows than fit in memory are an error that names the versions") {
    val t = create(rows, stable = false)
    val now = update(update(append(t, 6L -> 60L, 7L -> 70L))(2L -> 21L))(3L -> 31L)
    val feed = new ChangeFeed(now, maxKeyRows = 4)
    def read(begin: Long, end: Long, net: Boolean): Seq[String] =
      ChangeRows(store, feed.read(VersionRange(begin, end), net, Seq("id"))).map(_.toString)
    // Keys are read of each commit alone, and inserted rows need none.
    assert(read(1, 4, net = false).length == 11 && read(3, 4, net = true).length == 4)
    assert(read(1, 2, net = true).length == 7)
    val e = intercept[InvalidRequestException](read(2, 4, net = true))
    assert(e.getMessage.contains("versions 2 to 4") && e.getMessage.contains("of 6 changed rows"))
  }

  test("a damaged transaction is an error, a missing one is not") {
    val t = append(create(rows), 6L -> 60L)
    def found = changed(LanceTable.open(store, t.path), 2)
    rewriteManifests(t.path)(_.setTransactionFile("missing.txn"))
    assert(found == Seq("2 insert 6,60"))
    val folder = Files.createDirectories(Paths.get(t.path).resolve("_transactions"))
    Files.write(folder.resolve("broken.txn"), Array.fill[Byte](9)(-1)): Unit
    rewriteManifests(t.path)(_.setTransactionFile("broken.txn"))
    val e = intercept[CorruptFileException](found)
    assert(e.getMessage.contains("transaction"), e.getMessage)
  }

  test("a column that is dropped and added again has no values from before") {
    val t = create(rows)
    val value = FieldPath.of("value")
    def field(kind: String) =
      Field(Field.Unassigned, "value", LogicalType.parse(kind), nullable = true)
    def replaced(kind: String): Unit =
      SchemaUpdate.plan(
        t.latest,
        Seq(SchemaChange.Drop(value), SchemaChange.Add(FieldPath.root, field(kind)))
      ).run(): Unit
    replaced("int64")
    assert(changed(t.latest, 1).forall(_.endsWith(",null")))
    replaced("int32")
    assert(changed(t.latest, 1).forall(_.endsWith(",null")))
  }

  test("a primary key of another type than before an overwrite pairs no rows") {
    def schema(kind: String) = Schema(TableRows.schema.fields.map { f =>
      if (f.name == "id")
        f.copy(
          logicalType = LogicalType.parse(kind),
          nullable = false,
          unenforcedPrimaryKey = Some(1)
        )
      else f
    })
    val t = create(rows.take(1), stable = false, schema = schema("int64"))
    val times = schema("timestamp:us:-")
    val out = FragmentWriter.open(store, t.path, times, FileVersion.default)
    out.write(IndexedSeq(column(1L), column(10L)), 1)
    val now = t.overwrite(IndexedSeq(out.finish()), times)
    val feed = new ChangeFeed(now)
    for (net <- Seq(false, true)) {
      val read = feed.read(VersionRange(2, 2), net)
      val value = IndexedSeq(read.schema.field("value").get)
      assert(ChangeRows(store, read, Some(value)).map(_.toString) ==
        Seq("2 delete 10", "2 delete 20", "2 delete 30", "2 insert 10"))
    }
  }

  test(
    "versions of another branch and removed versions are named, with the first remaining version"
  ) {
    val t = append(append(create(rows), 6L -> 60L), 7L -> 70L)
    LanceTable.branches(store, t.path).create("b", Revision.Version(2))
    val branch = append(LanceTable.open(store, t.path, Revision.OnBranch("b", None)), 8L -> 80L)
    assert(changed(branch, 3) == Seq("3 insert 8,80"))
    for (version <- Seq(1L, 2L)) {
      val e = intercept[NotFoundException](changed(branch, version))
      assert(
        e.getMessage.contains(
          s"version $version is not on branch b, which begins with version 2"
        ) &&
          e.getMessage.contains("first version whose changes can be read is 3"),
        e.getMessage
      )
    }
    val other = intercept[NotFoundException](new ChangeFeed(branch).at(1))
    assert(other.getMessage.contains("not on branch b"), other.getMessage)
    LanceTable.branches(store, t.path).delete("b")
    val more = append(append(t, 9L -> 90L), 10L -> 100L)
    more.planCleanup(CleanupPolicy(beforeVersion = Some(4L))).run(store)
    assert(changed(more, 5) == Seq("5 insert 10,100"))
    val end = intercept[NotFoundException](new ChangeFeed(more).at(2))
    assert(end.getMessage.contains("version 2 was") && end.getMessage.contains("can be read is 5"))
    for ((version, why) <- Seq(4L -> "the version before version 4", 2L -> "version 2 was")) {
      val e = intercept[NotFoundException](changed(more, version))
      assert(
        e.getMessage.contains(why) && e.getMessage.contains("can be read is 5"),
        e.getMessage
      )
    }
  }

  test("a clone begins with all its rows") {
    val t = append(create(rows), 6L -> 60L)
    val copy = folder.resolve("clone").toString
    new ShallowClone(t)(copy): Unit
    val now = append(LanceTable.open(store, copy), 7L -> 70L)
    assert(changed(now, 2).length == 7 && changed(now, 3) == Seq("3 insert 7,70"))
    val e = intercept[NotFoundException](changed(now, 1))
    assert(e.getMessage.contains("not in this clone, which begins with version 2"), e.getMessage)
  }

  test("bounds in the wrong order or behind the latest version are rejected") {
    val t = append(create(rows), 6L -> 60L)
    val feed = new ChangeFeed(t)
    def range(begin: Long, end: Option[Long] = None) =
      feed.range(ChangeBound.Version(begin), end.map(ChangeBound.Version(_)))
    assert(range(3).isEmpty && range(2, Some(1)).isEmpty)
    for ((begin, end) <- Seq(0L -> None, 4L -> None, 1L -> Some(3L), 3L -> Some(1L)))
      intercept[InvalidRequestException](range(begin, end))
    val earlier = LanceTable.open(store, t.path, Some(1L))
    assert(new ChangeFeed(earlier).range(
      ChangeBound.Version(1),
      Some(ChangeBound.Version(2))
    ).end == 2)
  }

  test("times select versions at or after the start, and at or before the end") {
    val t = append(append(create(rows), 6L -> 60L), 7L -> 70L)
    def time(v: Long): Instant = LanceTable.open(store, t.path, Some(v)).manifest.timestamp
    val feed = new ChangeFeed(t)
    def range(begin: Instant, end: Option[Instant] = None): VersionRange =
      feed.range(ChangeBound.Time(begin), end.map(ChangeBound.Time(_)))
    assert(range(time(2)) == VersionRange(2, 3))
    assert(range(time(2).plusNanos(1000), Some(time(3))) == VersionRange(3, 3))
    assert(range(Instant.EPOCH, Some(time(3).minusNanos(1000))) == VersionRange(1, 2))
    // The microsecond that a change feed shows, and its end as in TIMESTAMP AS OF.
    for (version <- 1L to 3L) {
      val shown = time(version).truncatedTo(ChronoUnit.MICROS)
      for (bound <- Seq(shown, shown.plusNanos(999)))
        assert(range(bound, Some(bound)) == VersionRange(version, version))
    }
    assert(range(time(3).plusSeconds(1)).isEmpty)
    intercept[NotFoundException](range(Instant.EPOCH, Some(Instant.EPOCH)))
  }

  test("a start time selects the first version at or after it, with clocks that differ") {
    val t = append(append(append(create(rows), 6L -> 60L), 7L -> 70L), 8L -> 80L)
    val start = Instant.parse("2026-01-01T10:00:00Z")
    val minutes = Map(1L -> 0, 2L -> 5, 3L -> 1, 4L -> 10)
    rewriteManifests(t.path) { b =>
      val time = start.plusSeconds(60L * minutes(b.getVersion))
      b.setTimestamp(Timestamp.newBuilder().setSeconds(time.getEpochSecond))
    }
    val feed = new ChangeFeed(LanceTable.open(store, t.path))
    def first(minute: Int): Long =
      feed.range(ChangeBound.Time(start.plusSeconds(60L * minute)), None).begin
    assert(Seq(0, 1, 3, 5, 6, 10, 11).map(first) == Seq(1, 2, 2, 2, 4, 4, 5))
  }

  test(
    "without transactions, versions that only insert or only delete rows have changes, others are named"
  ) {
    val t = delete(update(delete(append(create(rows), 6L -> 60L))(2))(3L -> 33L))(6)
    forgetTransactions(t.path)
    val forgotten = LanceTable.open(store, t.path)
    def found(begin: Long, end: Long): Seq[String] =
      ChangeRows(store, new ChangeFeed(forgotten).read(VersionRange(begin, end))).map(_.toString)
    assert(found(2, 3) == Seq("2 insert 6,60", "3 delete 2,20") && found(1, 1).length == 5)
    assert(found(5, 5) == Seq("5 delete 6,60"))
    val e = intercept[UnsupportedFeatureException](found(3, 5))
    assert(e.getMessage.contains("version 4") && e.getMessage.contains("from version 5 on"))
  }

  /** Rewrites the manifests as releases did that had no transactions. */
  private def forgetTransactions(path: String): Unit = rewriteManifests(path)(identity)

  /** Rewrites the manifests without the transactions in them.
    *
    * @param change makes other changes
    */
  private def rewriteManifests(
      path: String
  )(change: proto.Manifest.Builder => proto.Manifest.Builder): Unit = {
    editManifests(path) { b =>
      change(
        b.clearTransactionSection().clearTransactionSectionDeprecated().clearTransactionFile()
      )
    }
  }

  /** Rewrites the manifests, and keeps the sections before them. */
  private def editManifests(
      path: String
  )(change: proto.Manifest.Builder => proto.Manifest.Builder): Unit = {
    val folder = Paths.get(path).resolve("_versions")
    Using.resource(Files.list(folder))(_.iterator.asScala.toSeq)
      .filter(_.toString.endsWith(".manifest"))
      .foreach { file =>
        val bytes = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN)
        val at = bytes.getLong(bytes.limit() - 16).toInt
        val message = new Array[Byte](bytes.getInt(at))
        bytes.position(at + 4)
        bytes.get(message)
        val changed = change(proto.Manifest.parseFrom(message).toBuilder).build().toByteArray
        val out = ByteBuffer.allocate(at + changed.length + 20).order(ByteOrder.LITTLE_ENDIAN)
        out.put(bytes.array, 0, at).putInt(changed.length).put(changed).putLong(at.toLong)
        out.put(bytes.array, bytes.limit() - 8, 8)
        Files.write(file, out.array)
      }
  }

  private val updates = Seq[(String, LanceTable => LanceTable)](
    "DataReplacement of a column" -> { t =>
      val field = t.schema.field("value").get
      val file = TableRows.writeColumn(store, t.path, field, Seq(41L, 51L)).files.head
      t.commit(DataReplacement(Seq(t.fragments(1).id -> file)))
    },
    "DataReplacement of a file" -> { t =>
      t.commit(DataReplacement(Seq(t.fragments(1).id -> updatedFile(t))))
    },
    "Merge" -> { t =>
      val message = t.fragments(1).message.toBuilder
      val file = updatedFile(t)
      message.getFilesBuilder(0).setPath(file.path).setFileSizeBytes(file.fileSizeBytes)
      val fragments = IndexedSeq(t.fragments(0), Fragment(message.build()))
      t.commit(Merge(fragments, t.schema, preservesNullability = true))
    },
    "Update" -> (update(_)(4L -> 41L, 5L -> 51L))
  )

  private def updatedFile(t: LanceTable): DataFile =
    TableRows.write(store, t.path, Seq(4L -> 41L, 5L -> 51L)).files.head

  for {
    ((operation, run), i) <- updates.zipWithIndex
    isRecorded <- Seq(true, false)
  } test(
    s"a restore undoes a $operation, version recorded with the rows $isRecorded"
  ) {
    val t = create(rows, name = s"t$i$isRecorded")
    run(t): Unit
    // Releases of pylance up to 9 replace files so.
    if (!isRecorded) editManifests(t.path) { b =>
      if (b.getVersion == 2)
        b.getFragmentsBuilderList.forEach { f =>
          f.setInlineLastUpdatedAtVersions(f.getInlineCreatedAtVersions): Unit
        }
      b
    }
    val now = new History(t).restore()
    assert(TableRows(store, now) == TableRows(store, t))
    val found = changed(now, 3).sorted
    assert(found == Seq(
      "3 update_postimage 4,40",
      "3 update_postimage 5,50",
      "3 update_preimage 4,41",
      "3 update_preimage 5,51"
    ))
    assert(changed(now, 2, net = true) == Nil && changed(now, 2).length == 8)
    // The next restore goes through both.
    assert(changed(new History(t).restore(), 4) == Nil)
  }

  test("only the manifests of the range and the files that differ are read") {
    var t = create(rows)
    (1 to 60).foreach(i => t = append(t, (100L + i) -> i.toLong))
    t = delete(t)(1)
    (1 to 20).foreach(i => t = append(t, (200L + i) -> i.toLong))
    val counting = new CountingStorage
    val at = LanceTable.open(counting, t.path)
    def opens(begin: Long, end: Long): Int = {
      val before = counting.opens.get
      new ChangeFeed(at).read(VersionRange(begin, end)): Unit
      counting.opens.get - before
    }
    // Two manifests, which hold their transactions.
    assert(opens(30, 30) == 2)
    // And the deletion file.
    assert(opens(62, 62) == 3)
    assert(opens(40, 49) == 11)
    assert(opens(t.version, t.version) == 1)
  }

  private def column(values: Long*): Column = {
    val v = new LongValues
    values.foreach(v.append)
    LeafColumn(v, null)
  }
}
