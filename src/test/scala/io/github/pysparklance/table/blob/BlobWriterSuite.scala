// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.blob

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._
import scala.util.{Random, Using}

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core._
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.scan.{FragmentReader, FragmentScan}
import io.github.pysparklance.table.{FragmentWriter, LanceTable}
import io.github.pysparklance.testkit.{ColumnRows, TemporaryFolder}

/** Version 2 blobs in the data file, in shared files, and in files of their own. */
class BlobWriterSuite extends AnyFunSuite with TemporaryFolder {
  private val store = Storage.local
  private val random = new Random(5)
  private var tables = 0

  private def blob(name: String, thresholds: (String, String)*): Field = Field(
    -1,
    name,
    LogicalType.Struct,
    nullable = true,
    IndexedSeq(
      Field(-1, "data", LogicalType.Binary(large = true), nullable = true),
      Field(-1, "uri", LogicalType.Utf8(large = false), nullable = true)
    ),
    Map("ARROW:extension:name" -> "lance.blob.v2") ++
      thresholds.map { case (k, v) => s"lance-encoding:blob-$k-size-threshold" -> v }
  )

  private val small = Seq("inline" -> "4", "dedicated" -> "10", "pack-file" -> "16")

  private def binaries(lengths: Int*): LeafColumn = {
    val v = new BinaryValues
    val validity = new Validity
    lengths.foreach { n =>
      val bytes = new Array[Byte](math.max(0, n))
      random.nextBytes(bytes)
      v.append(bytes, 0, bytes.length)
      validity.append(n >= 0)
    }
    LeafColumn(v, validity)
  }

  private def newTable(): String = {
    tables += 1
    folder.resolve(s"$tables.lance").toString
  }

  private def files(table: String): Seq[Path] =
    if (!Files.exists(folder.resolve(table))) Nil
    else
      Using.resource(Files.walk(folder.resolve(table)))(
        _.iterator.asScala.filter(Files.isRegularFile(_)).toIndexedSeq
      )

  private def read(path: String, mode: BlobMode): Seq[Seq[Any]] = {
    val t = LanceTable.open(store, path)
    val all = RowRange(0, t.physicalRows(t.fragments.head))
    val scan = FragmentScan(t, 0, all, None, FragmentScan.defaultGapRows, IndexedSeq.empty)
    val found = Seq.newBuilder[Seq[Any]]
    val wanted = t.schema.fields.map(BlobField.in(mode))
    Using.resource(FragmentReader.open(store, scan, wanted, batchRows = 7)) { r =>
      while (r.next()) {
        val values = r.columns.map(ColumnRows(_))
        Option(r.live).fold(0 until r.numRows: Seq[Int])(_.toSeq).foreach(i =>
          found += values.map(_(i))
        )
      }
    }
    found.result()
  }

  test("the size of a blob selects its file; batches of any nesting round-trip") {
    val list = LogicalType.List(large = false, ofStruct = true)
    val schema = Schema(IndexedSeq(
      blob("b", small: _*),
      Field(-1, "s", LogicalType.Struct, nullable = true, IndexedSeq(blob("c"))),
      Field(-1, "l", list, nullable = true, IndexedSeq(blob("item", small: _*)))
    )).withFreshIds
    val path = newTable()
    val out = FragmentWriter.open(store, path, schema, FileVersion.V2_2)
    val batches = Seq(Seq(3, -1, 0, 5, 6, 5, 10), Seq(20, 4, 11, 7), Seq(1)).map { lengths =>
      val n = lengths.length
      val inner = StructColumn(n, IndexedSeq(binaries(lengths.map(_ * 9000): _*)), null)
      val items = ListColumn(n, Array.range(0, n + 1), binaries(lengths.reverse: _*), null)
      IndexedSeq(binaries(lengths: _*), inner, items)
    }
    val expected = batches.flatMap { columns =>
      val rows = columns.map(ColumnRows(_))
      val copy = (0 until columns.head.numRows).map(i => rows.map(_(i)))
      out.write(columns, columns.head.numRows)
      copy
    }
    val fragment = out.finish()
    LanceTable.create(store, path, schema, IndexedSeq(fragment), FileVersion.V2_2): Unit
    assert(read(path, BlobMode.Content) == expected)
    val kinds = read(path, BlobMode.Descriptor).map(_.head match {
      case Seq(kind, _, size, id, _) => (kind, size, id)
      case other => other
    })
    // 5, 6, and 5 bytes fill the first shared file.
    assert(kinds.take(3) == Seq((0, 3L, 0), null, (0, 0L, 0)))
    assert(kinds.slice(3, 6) == Seq((1, 5L, 1), (1, 6L, 1), (1, 5L, 1)))
    assert(kinds(6) match { case (1, 10L, id: Int) => id > 1; case _ => false })
    assert(kinds(7) match { case (2, 20L, _) => true; case _ => false })
    assert(kinds(8) == ((0, 4L, 0)))
    assert(fragment.files.head.fields.length == 3)
  }

  test("an aborted write deletes the files of its blobs") {
    val schema = Schema(IndexedSeq(blob("b", small: _*))).withFreshIds
    val aborted = newTable()
    val out = FragmentWriter.open(store, aborted, schema, FileVersion.V2_2)
    out.write(IndexedSeq(binaries(20, 5, 30)), 3)
    assert(files(aborted).length >= 3)
    out.abort()
    assert(files(aborted).isEmpty)
    val failed = newTable()
    val wrong = FragmentWriter.open(store, failed, schema, FileVersion.V2_2)
    wrong.write(IndexedSeq(binaries(20, 5, 30)), 3)
    val numbers = new IntValues
    numbers.append(1)
    intercept[InvalidRequestException](wrong.write(IndexedSeq(LeafColumn(numbers, null)), 1))
    assert(files(failed).isEmpty)
    val finished = newTable()
    val done = FragmentWriter.open(store, finished, schema, FileVersion.V2_2)
    done.write(IndexedSeq(binaries(20, 5, 30)), 3)
    val fragment = done.finish()
    done.abort()
    assert(files(finished).length == 4)
    // As a write does when its commit fails.
    val name = fragment.files.head.path
    val dataFile = files(finished).find(_.getFileName.toString == name).get
    BlobSideFiles.delete(store, dataFile.toString, name)
    assert(files(finished) == Seq(dataFile))
  }

  test("blobs are not buffered, and files without blobs have no side files") {
    val v2 = Schema(IndexedSeq(blob("b"))).withFreshIds
    val legacy = Field(
      0,
      "b",
      LogicalType.Binary(large = true),
      nullable = true,
      metadata = Map(BlobField.Marker -> "true")
    )
    for (
      (schema, version) <- Seq(v2 -> FileVersion.V2_2, Schema(Vector(legacy)) -> FileVersion.V2_1)
    ) {
      val path = newTable()
      val out = FragmentWriter.open(store, path, schema, version)
      val batch = binaries(50000, 200000, 5000000, 60000)
      (1 to 20).foreach { _ =>
        out.write(IndexedSeq(batch), 4)
        val onDisk = files(path).filter(_.toString.endsWith(".lance")).map(Files.size(_)).sum
        assert(out.numBytes - onDisk < (1 << 20))
      }
      out.finish(): Unit
      assert((files(path).length > 1) == (version == FileVersion.V2_2))
    }
  }

  test("invalid thresholds are rejected before anything is written") {
    Seq("inline" -> "many", "inline" -> "-1", "dedicated" -> "0", "pack-file" -> "").foreach {
      bad =>
        val path = newTable()
        val schema = Schema(IndexedSeq(blob("b", bad))).withFreshIds
        val e = intercept[InvalidRequestException](
          FragmentWriter.open(store, path, schema, FileVersion.V2_2)
        )
        assert(e.getMessage.contains(s"blob-${bad._1}-size-threshold is '${bad._2}'"))
        assert(files(path).isEmpty)
    }
  }
}
