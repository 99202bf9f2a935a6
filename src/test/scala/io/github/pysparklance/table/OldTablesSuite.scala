// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core._
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.table.deletion.DeletionVector
import io.github.pysparklance.table.manifest.ManifestFile
import io.github.pysparklance.table.scan.{FragmentReader, FragmentScan, FragmentStatistics}
import io.github.pysparklance.testkit.{ColumnRows, CountingStorage, GoldenTables, TemporaryFolder}

/** Tables of version 0.1, and manifests as written by the earliest releases. */
class OldTablesSuite extends AnyFunSuite with TemporaryFolder {
  private val golden = GoldenTables.path("legacy.lance")
  private val ids = (0L until 1000L).filter(_ != 3L)

  private def table(path: Path = golden): LanceTable =
    LanceTable.open(Storage.local, path.toString)

  /** Returns the golden table with a changed manifest. */
  private def changed(change: proto.Manifest.Builder => Unit): LanceTable = {
    val copy = GoldenTables.copy("legacy.lance", Files.createTempDirectory(folder, "old"))
    val before = table(copy)
    val message = before.manifest.message.toBuilder
    change(message)
    val bytes = ManifestFile.encode(message, None, proto.Transaction.getDefaultInstance).bytes
    Files.write(copy.resolve("_versions/18446744073709551613.manifest"), bytes)
    table(copy)
  }

  private def fragments(message: proto.Manifest.Builder)(
      change: (proto.DataFragment.Builder, Int) => Unit
  ): Unit =
    (0 until message.getFragmentsCount).foreach(i => change(message.getFragmentsBuilder(i), i))

  private def read(
      t: LanceTable,
      columns: Seq[String],
      store: FileStore = Storage.local,
      selections: Map[Int, RowSelection] = Map.empty
  ): Seq[Seq[Any]] = {
    val fields = columns.map(t.schema.field(_).get).toIndexedSeq
    t.fragments.indices.flatMap { i =>
      val rows = RowRange(0, t.fragments(i).physicalRows.get)
      val scan = FragmentScan(t, i, rows, selections.get(i), 0L, IndexedSeq.empty)
      Using.resource(FragmentReader.open(store, scan, fields, batchRows = 64)) { reader =>
        val found = Seq.newBuilder[Seq[Any]]
        while (reader.next()) {
          val slots = reader.columns.map(ColumnRows(_))
          val live =
            if (reader.live == null) 0 until reader.numRows
            else reader.live.toSeq.take(reader.numLive)
          live.foreach(r => found += slots.map(_(r)))
        }
        found.result()
      }
    }
  }

  private def text(s: String): Any = s.getBytes("UTF-8").toSeq

  test("a table of version 0.1") {
    val t = table()
    assert(t.fileVersion == FileVersion.V0_1 && t.rowCount.contains(999L))
    assert(t.fragments.flatMap(_.files).forall(_.columnIndices.isEmpty))
    val expected = ids.map { i =>
      Seq[Any](i, if (i % 3 == 0) null else text(f"n$i%03d"), text(if (i % 2 == 0) "a" else "b"))
    }
    assert(read(t, Seq("id", "name", "kind")) == expected)
  }

  test("missing row counts are read from the files") {
    val t = changed { m =>
      m.clearWriterVersion()
      fragments(m) { (f, _) =>
        f.clearPhysicalRows()
        if (f.hasDeletionFile) f.getDeletionFileBuilder.clearNumDeletedRows(): Unit
      }
    }
    assert(t.rowCount.isEmpty)
    assert(t.fragments.map(_.physicalRows) == Seq(Some(500L), Some(500L)))
    assert(t.liveRowsBefore == Seq(0L, 499L))
    assert(read(t, Seq("id")) == ids.map(Seq(_)))
  }

  test("only row counts of releases that name themselves are trusted") {
    val wrong: proto.Manifest.Builder => Unit =
      fragments(_)((f, i) => f.setPhysicalRows(490L + i): Unit)
    val nameless = changed { m =>
      m.clearWriterVersion()
      wrong(m)
    }
    assert(nameless.rowCount.isEmpty && read(nameless, Seq("id")) == ids.map(Seq(_)))
    val named = changed(wrong)
    val e = intercept[CorruptFileException](read(named, Seq("id")))
    assert(e.getMessage.contains("500 rows, but 490 are expected"))
  }

  test("file sizes recorded before the file was complete are not trusted") {
    val t = changed(fragments(_)((f, _) => f.getFilesBuilder(0).setFileSizeBytes(2000L): Unit))
    assert(read(t, Seq("id")) == ids.map(Seq(_)))
  }

  test("the file version is that of the footer, not of the manifest") {
    val t = changed { m =>
      fragments(m)((f, _) =>
        f.getFilesBuilder(0).setFileMajorVersion(0).setFileMinorVersion(0): Unit
      )
      m.clearDataFormat(): Unit
    }
    assert(t.fileVersion == FileVersion.V0_1 && read(t, Seq("id")) == ids.map(Seq(_)))
    val claimed = changed { m =>
      fragments(m)((f, _) =>
        f.getFilesBuilder(0).setFileMajorVersion(2).setFileMinorVersion(0): Unit
      )
      m.clearDataFormat(): Unit
    }
    assert(read(claimed, Seq("id")) == ids.map(Seq(_)))
  }

  test("a commit copies the dictionaries into its manifest") {
    val copy = GoldenTables.copy("legacy.lance", folder)
    val deleted = table(copy).delete(Map(0L -> DeletionVector.of(Array(7))), "id = 7")
    assert(read(deleted, Seq("id")) == ids.filter(_ != 7L).map(Seq(_)))
    val manifest = Files.readAllBytes(copy.resolve("_versions/18446744073709551612.manifest"))
    val Some(kind) =
      deleted.manifest.message.getFieldsList.asScala.find(_.getName == "kind"): @unchecked
    val at = kind.getDictionary.getOffset.toInt
    val offsets = (0 to 2).map(i => Buffer(manifest).i64(at + i * 8).toInt)
    assert(kind.getDictionary.getLength == 2)
    assert(offsets.zip(offsets.drop(1)).map { case (a, b) => new String(manifest.slice(a, b)) } ==
      Seq("a", "b"))
    // Other dictionaries are unchanged.
    val again = deleted.delete(Map(1L -> DeletionVector.of(Array(7))), "id = 507")
    assert(again.manifest.message.getFieldsList == deleted.manifest.message.getFieldsList)
  }

  private def text(words: String*): LeafColumn = {
    val values = new BinaryValues
    val validity = new Validity
    words.foreach { w =>
      val bytes = if (w == null) Array.emptyByteArray else w.getBytes("UTF-8")
      values.append(bytes, 0, bytes.length)
      validity.append(w != null)
    }
    LeafColumn(values, validity)
  }

  private def longs(numbers: Long*): LeafColumn = {
    val values = new LongValues
    numbers.foreach(values.append)
    LeafColumn(values, null)
  }

  test("files appended to a table of version 0.1 use its dictionaries") {
    val copy = GoldenTables.copy("legacy.lance", folder).toString
    val t = LanceTable.open(Storage.local, copy)
    def writer() = FragmentWriter.open(Storage.local, copy, t.schema, t.fileVersion)
    val out = writer()
    out.write(IndexedSeq(longs(1000, 1001, 1002), text("x", null, "y"), text("b", "a", "b")), 3)
    val appended = t.append(IndexedSeq(out.finish()))
    val found = read(appended, Seq("id", "name", "kind"))
    def bytes(s: String): Any = s.getBytes("UTF-8").toSeq
    assert(found.length == 1002 && found.map(_.head) == ids ++ Seq(1000L, 1001L, 1002L))
    assert(found.takeRight(3) == Seq(
      Seq(1000L, bytes("x"), bytes("b")),
      Seq(1001L, null, bytes("a")),
      Seq(1002L, bytes("y"), bytes("b"))
    ))
    val file = appended.manifest.fragments.last.files.head
    assert(file.fields == Seq(0, 1, 2) && file.columnIndices.isEmpty)
    assert(file.fileVersion == FileVersion.V0_1 && file.fileSizeBytes > 0)
    val other = writer()
    val e = intercept[UnsupportedFeatureException] {
      other.write(IndexedSeq(longs(1), text("x"), text("c")), 1)
    }
    assert(e.getMessage.contains("dictionary of the table") && e.place.column.contains("kind"))
  }

  test(
    "new tables of version 0.1 reject dictionary columns, whose dictionary all files would share"
  ) {
    val t = table()
    val path = folder.resolve("new.lance").toString
    val e = intercept[UnsupportedFeatureException] {
      FragmentWriter.open(Storage.local, path, t.schema, FileVersion.V0_1)
    }
    assert(e.getMessage.contains("dictionary") && e.place.column.contains("kind"))
    intercept[UnsupportedFeatureException] {
      LanceTable.create(Storage.local, path, t.schema, IndexedSeq.empty, FileVersion.V0_1)
    }
    assert(!Files.exists(folder.resolve("new.lance")))
    val plain = Schema(t.schema.fields.take(2))
    val out = FragmentWriter.open(Storage.local, path, plain, FileVersion.V0_1)
    out.write(IndexedSeq(longs(5), text("five")), 1)
    val created =
      LanceTable.create(Storage.local, path, plain, IndexedSeq(out.finish()), FileVersion.V0_1)
    assert(read(created, Seq("id")) == Seq(Seq(5L)) && created.fileVersion == FileVersion.V0_1)
  }

  test("page statistics select the batches to read") {
    val t = table()
    val Some(id) = t.schema.field("id"): @unchecked
    val selections = t.fragments.indices.map { i =>
      val rows = RowRange(0, t.fragments(i).physicalRows.get)
      val scan = FragmentScan(t, i, rows, None, 0L, IndexedSeq.empty)
      val Some(bounds) = FragmentStatistics.read(Storage.local, scan, id): @unchecked
      assert(bounds.runs.length == 5 && bounds.field.logicalType == id.logicalType)
      val min = ColumnRows(bounds.min).map(_.asInstanceOf[Long])
      val max = ColumnRows(bounds.max).map(_.asInstanceOf[Long])
      val Some(kind) = t.schema.field("kind"): @unchecked
      assert(FragmentStatistics.read(Storage.local, scan, kind).isEmpty)
      i -> FragmentStatistics.select(bounds, b => min(b) <= 612L && max(b) >= 598L)
    }.toMap
    assert(selections(0).isEmpty)
    assert(selections(1).ranges == Seq(RowRange(0, 200)))
    val (whole, some) = (new CountingStorage, new CountingStorage)
    val all = read(t, Seq("id", "name"), whole).filter(r => Seq(598L, 612L).contains(r.head))
    val found = read(t, Seq("id", "name"), some, selections)
    assert(found.map(_.head) == (500L until 700L))
    assert(found.filter(r => Seq(598L, 612L).contains(r.head)) == all && all.length == 2)
    // One of the two files is not even opened.
    assert(some.opens.get == whole.opens.get - 1)
    assert(some.bytesRead.get < whole.bytesRead.get * 2 / 3)
  }
}
