// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file

import java.nio.file.{Files, Path, Paths}
import java.util.Collections
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicInteger

import scala.util.{Random, Using}

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core._
import io.github.pysparklance.file.metadata.{DataFileMetadata, FileVersion}
import io.github.pysparklance.file.reading.BatchReader
import io.github.pysparklance.file.scheduling.ReadBudget
import io.github.pysparklance.file.spi._
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.storage.spi.{FileStore, RangeReader}
import io.github.pysparklance.testkit.{
  ColumnRows,
  CountingStorage,
  RandomBytes,
  TemporaryFolder,
  TestRun
}

class DataFileReaderSuite extends AnyFunSuite with TemporaryFolder {
  import DataFileReaderSuite._

  test("the descriptor contains the schema") {
    Using.resource(Storage.local.open(golden("nested_v2_2"))) { r =>
      val metadata = DataFileMetadata.read(r, None)
      assert(metadata.version == FileVersion.V2_2 && metadata.numColumns == 4)
      val schema = metadata.schema()
      assert(schema.fields.map(_.name) == Seq("k", "s", "f"))
      assert(schema.flatten.map(_.id) == (0 to 5))
      assert(schema.fields.flatMap(_.leaves).map(_.name) == Seq("k", "x", "item", "f"))
    }
  }

  versions.foreach { version =>
    test(s"nested columns of a pylance file, $version") {
      assert(readAll(golden(s"nested_$version")) == nestedRows)
    }

    test(s"pages of several columns, in batches and row ranges, $version") {
      val path = golden(s"pages_$version")
      val ranges = Seq(
        Seq(RowRange(0, 4000)),
        Seq(RowRange(0, 0), RowRange(17, 18)),
        Seq(RowRange(3999, 4000)),
        Seq(RowRange(100, 1300), RowRange(1300, 1301), RowRange(2500, 2600), RowRange(3998, 4000)),
        (0 until 4000 by 37).map(i => RowRange(i.toLong, i + 1L))
      )
      for {
        rows <- ranges
        batch <- Seq(1 << 20, 1024, 33, 7)
        budget <- Seq(ReadBudget.default, ReadBudget(1, 1))
      } {
        val expected = rows.flatMap(r => (r.from until r.until).map(i => pagesRow(i.toInt)))
        assert(readAll(path, rows = Some(rows), batch = batch, budget = budget) == expected)
      }
    }
  }

  test("large values are read into few arrays, window by window") {
    val random = new Random(TestRun.seed)
    val schema = Schema(IndexedSeq(
      Field(0, "v", LogicalType.FixedSizeList(LogicalType.Float, 256), nullable = false),
      Field(1, "d", LogicalType.Binary(large = false), nullable = true)
    ))
    val numRows = 2000
    val floats = new IntValues
    (0 until numRows * 256).foreach(_ => floats.append(random.nextInt() & 0x3fffffff))
    val vectors = new FixedSizeListValues(256, floats)
    vectors.extend(numRows)
    val documents = new BinaryValues
    (0 until numRows).foreach { _ =>
      val bytes = RandomBytes(random, 1000 + random.nextInt(3000))
      documents.append(bytes, 0, bytes.length)
    }
    val columns = IndexedSeq(LeafColumn(vectors, null), LeafColumn(documents, null))
    val path = folder.resolve("long.lance").toString
    val writer = new DataFileWriter(Storage.local.create(path), schema, FileVersion.V2_2)
    writer.write(columns, numRows)
    val summary = writer.finish()
    val arrays = Collections.newSetFromMap(new ConcurrentHashMap[Int, java.lang.Boolean])
    val reads = new AtomicInteger
    val local = Storage.local.open(path)
    val noting = new RangeReader(path, local.size) {
      def maxGapBytes: Int = 0
      protected def readFully(offset: Long, out: Array[Byte], outAt: Int, length: Int): Unit = {
        reads.incrementAndGet()
        arrays.add(System.identityHashCode(out))
        local.readInto(offset, out, outAt, length)
      }
      def close(): Unit = local.close()
    }
    val budget = ReadBudget(totalBytes = 1L << 20, maxWindowBytes = 64L << 10)
    Using.resource(DataFileReader.open(noting, summary.columnIndices, numRows.toLong)) { file =>
      val found =
        Using.resource(file.read(projections(schema), IndexedSeq(RowRange(0, numRows)), budget))(
          drain(_, 30)
        )
      val expected = columns.map(ColumnRows(_))
      found.indices.foreach(i => assert(found(i) == expected.map(_(i)), s"row $i"))
    }
    assert(reads.get > 60 && arrays.size < reads.get * 3 / 4, s"${arrays.size} of ${reads.get}")
  }

  test("a field without a column is null, even inside a struct") {
    val path = golden("nested_v2_2")
    val schema = schemaOf(path)
    val s = schema.fields(1)
    val absent = Field(9, "later", LogicalType.Double, nullable = true)
    val projections = IndexedSeq(
      FieldProjection(absent, _ => None),
      FieldProjection(
        s.copy(children = IndexedSeq(absent, s.children.head)),
        IndexedSeq(FieldProjection.Missing, 1)
      )
    )
    val found = read(Storage.local, path, projections, Seq(RowRange(0, 10)))
    val expected = nestedRows.map { row =>
      val struct = row(1).asInstanceOf[Seq[Any]]
      Seq(null, if (struct == null) null else Seq(null, struct.head))
    }
    assert(found == expected)
  }

  test("an empty projection returns batches without columns") {
    assert(read(
      Storage.local,
      golden("nested_v2_1"),
      IndexedSeq.empty,
      Seq(RowRange(2, 9))
    ).length == 7)
  }

  test("opening reads the tail once, and reading fetches only the projected columns") {
    val path = golden("pages_v2_2")
    val storage = new CountingStorage
    val schema = schemaOf(path)
    Using.resource(DataFileReader.open(storage.open(path), Seq(2), 4000)) { file =>
      assert(storage.reads.get == 1 && storage.bytesRead.get == FileTail.numBytes)
      val pages = file.metadata.column(2).pages
      Using.resource(file.read(
        IndexedSeq(FieldProjection(schema.fields(2), IndexedSeq(2))),
        IndexedSeq(RowRange(0, 4000))
      )) {
        drain(_, 1000)
      }
      val read = storage.bytesRead.get - FileTail.numBytes
      val wanted = pages.map(_.sizeBytes).sum
      assert(read >= wanted && read <= wanted + pages.length * 64L * 3)
      // small pages are read whole, so a page takes one request
      assert(storage.reads.get - 1 <= pages.length)
    }
  }

  test("a small file is read with two requests") {
    val path = golden("nested_v2_2")
    val storage = new CountingStorage
    assert(readAll(path, storage) == nestedRows)
    assert(
      storage.reads.get == 2 + 1
    ) // one more for the schema, which tables take from the manifest
  }

  test("files that do not match the table are rejected and closed") {
    val path = golden("nested_v2_2")
    val e =
      intercept[CorruptFileException](DataFileReader.open(Storage.local.open(path), Seq(0), 11))
    assert(e.getMessage.contains(path) && e.getMessage.contains("10 rows, but 11 are expected"))
    intercept[CorruptFileException](DataFileReader.open(Storage.local.open(path), Seq(4), 10))
    intercept[CorruptFileException](DataFileReader.open(Storage.local.open(path), Seq(-1), 10))
  }

  test("rows out of range or order, and batches that are too large, are rejected") {
    val path = golden("nested_v2_2")
    val k = IndexedSeq(FieldProjection(schemaOf(path).fields.head, IndexedSeq(0)))
    Using.resource(DataFileReader.open(Storage.local.open(path), Seq(0), 10)) { file =>
      intercept[InvalidRequestException](file.read(k, IndexedSeq(RowRange(0, 11))))
      intercept[InvalidRequestException](file.read(k, IndexedSeq(RowRange(5, 6), RowRange(5, 7))))
      val batches = file.read(k, IndexedSeq(RowRange(0, 3)))
      intercept[InvalidRequestException](batches.read(4))
      intercept[InvalidRequestException](batches.read(0))
      assert(batches.rowsAvailable == 3)
    }
  }

  test("truncated files raise errors that name the file") {
    val whole = Files.readAllBytes(Paths.get(golden("nested_v2_2")))
    val schema = schemaOf(golden("nested_v2_2"))
    val path = folder.resolve("cut.lance")
    whole.indices.foreach { length =>
      Files.write(path, whole.take(length))
      val e = intercept[LanceException](readRows(path, schema))
      assert(e.place.path.contains(path.toString), e.getMessage)
    }
  }

  test("corrupt bytes anywhere return rows or raise Lance errors") {
    val schema = schemaOf(golden("nested_v2_2"))
    versions.foreach { version =>
      val whole = Files.readAllBytes(Paths.get(golden(s"nested_$version")))
      val path = folder.resolve("damaged.lance")
      whole.indices.foreach { at =>
        val damaged = whole.clone()
        damaged(at) = (damaged(at) ^ Seq(0xff, 0x01, 0x80)(at % 3)).toByte
        Files.write(path, damaged)
        try readRows(path, schema): Unit
        catch {
          case e: LanceException => assert(e.place.path.contains(path.toString), s"byte $at: $e")
        }
      }
    }
  }

  private def readRows(path: Path, schema: Schema): Seq[Seq[Any]] =
    read(Storage.local, path.toString, projections(schema), Seq(RowRange(0, 10)))

  private def readAll(
      path: String,
      storage: FileStore = Storage.local,
      rows: Option[Seq[RowRange]] = None,
      batch: Int = 1 << 20,
      budget: ReadBudget = ReadBudget.default
  ): Seq[Seq[Any]] = {
    val numRows = rowsOf(path)
    val schema = Using.resource(storage.open(path))(DataFileMetadata.read(_, Some(Nil)).schema())
    read(
      storage,
      path,
      projections(schema),
      rows.getOrElse(Seq(RowRange(0, numRows))),
      batch,
      budget
    )
  }
}

object DataFileReaderSuite {
  val versions: Seq[String] = Seq("v2_1", "v2_2", "v2_3")

  def rowsOf(path: String): Long =
    if (path.contains("pages")) 4000L else if (path.contains("sparse")) 200L else 10L

  def golden(name: String): String =
    Paths.get(getClass.getResource(s"/golden/files/$name.lance").toURI).toString

  /** Row i of the files `nested_*`, as written by `make_files.py`. */
  val nestedRows: Seq[Seq[Any]] = (0 until 10).map { i =>
    def text(s: String): Any = s.getBytes("UTF-8").toSeq
    val struct =
      if (i % 5 == 0) null
      else Seq(if (i % 3 == 0) null else text(s"x$i"), if (i % 4 == 0) null else 0 until i % 3)
    def float(x: Double): Any = java.lang.Float.floatToRawIntBits(x.toFloat)
    Seq[Any](i.toLong, struct, if (i % 4 == 0) null else Seq(float(i.toDouble), float(i + 0.5)))
  }

  /** Row i of the files `pages_*`. */
  def pagesRow(i: Int): Seq[Any] = Seq[Any](
    (i * 7 % 256).toByte,
    s"value ${i * 31 % 1000}-$i".getBytes("UTF-8").toSeq,
    i.toLong * i
  )

  def schemaOf(path: String): Schema =
    Using.resource(Storage.local.open(path))(DataFileMetadata.read(_, Some(Nil)).schema())

  /** All fields, their leaves in the columns 0, 1, ... */
  def projections(schema: Schema): IndexedSeq[FieldProjection] = {
    var next = 0
    schema.fields.map { f =>
      val first = next
      next += f.leaves.length
      FieldProjection(f, first until next)
    }
  }

  def drain(batches: BatchReader, batch: Int): Seq[Seq[Any]] = {
    val rows = Seq.newBuilder[Seq[Any]]
    var available = batches.rowsAvailable
    while (available > 0) {
      val n = math.min(available, batch)
      val columns = batches.read(n).map(ColumnRows(_))
      (0 until n).foreach(i => rows += columns.map(_(i)))
      available = batches.rowsAvailable
    }
    rows.result()
  }

  def read(
      storage: FileStore,
      path: String,
      fields: IndexedSeq[FieldProjection],
      rows: Seq[RowRange],
      batch: Int = 1 << 20,
      budget: ReadBudget = ReadBudget.default
  ): Seq[Seq[Any]] = {
    val numRows = rowsOf(path)
    Using.resource(DataFileReader.open(storage.open(path), fields.flatMap(_.present), numRows)) {
      file =>
        Using.resource(file.read(fields, rows.toIndexedSeq, budget))(drain(_, batch))
    }
  }
}
