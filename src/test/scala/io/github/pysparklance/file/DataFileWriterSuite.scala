// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file

import java.io.IOException
import java.nio.file.{Files, Paths}

import scala.util.{Random, Using}

import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core._
import io.github.pysparklance.file.metadata.{DataFileMetadata, FileVersion, Footer}
import io.github.pysparklance.file.spi.{DataFileSummary, WriteBudget}
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.storage.spi.OutputFile
import io.github.pysparklance.testkit.{
  ColumnRows,
  PropertyChecks,
  RandomColumns,
  TemporaryFolder,
  TestRun
}

class DataFileWriterSuite extends AnyFunSuite with TemporaryFolder with PropertyChecks {
  import DataFileReaderSuite.{drain, projections}

  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = 40)

  private val versions = Gen.oneOf(FileVersion.V2_1, FileVersion.V2_2, FileVersion.V2_3)
  private val smallPages = WriteBudget(pageBytes = 1, totalBytes = 1)

  private def numbers(numRows: Int): LeafColumn = {
    val v = new LongValues
    (0 until numRows).foreach(i => v.append(i.toLong * i))
    LeafColumn(v, null)
  }

  private val oneLong =
    Schema(IndexedSeq(Field(0, "k", LogicalType.Integer(64, signed = true), nullable = true)))

  private def create(name: String): OutputFile = Storage.local.create(folder.resolve(name).toString)

  private def readBack(
      summary: DataFileSummary,
      schema: Schema,
      rows: IndexedSeq[RowRange],
      batch: Int
  ): Seq[Seq[Any]] = {
    val reader = Storage.local.open(summary.path, summary.sizeBytes)
    Using.resource(DataFileReader.open(reader, summary.columnIndices, summary.numRows)) { file =>
      Using.resource(file.read(projections(schema), rows))(drain(_, batch))
    }
  }

  private def assertSame(found: Seq[Seq[Any]], expected: Seq[Seq[Any]]): Unit = {
    assert(found.length == expected.length)
    found.indices.find(i => found(i) != expected(i)).foreach { i =>
      assert(found(i) == expected(i), s"row $i")
    }
  }

  test("batches of random nested columns round-trip, regardless of the pages") {
    var n = 0
    forAll(Gen.long, Gen.choose(0, 3), versions) { (seed: Long, depth: Int, version: FileVersion) =>
      val random = new Random(seed)
      val columns = new RandomColumns(random)
      val fields = IndexedSeq.tabulate(1 + random.nextInt(4)) { i =>
        columns.field(depth, fixedSizeLists = true).copy(name = s"f$i")
      }
      val schema = Schema(fields, Map("seed" -> seed.toString)).withFreshIds
      whenever(
        version != FileVersion.V2_1 || schema.flatten.forall(_.logicalType != LogicalType.Map)
      ) {
        n += 1
        val budget = if (random.nextBoolean()) smallPages else WriteBudget.default
        val writer = new DataFileWriter(create(s"$n.lance"), schema, version, budget)
        val expected = (0 until random.nextInt(4)).flatMap { _ =>
          val numRows = random.nextInt(if (random.nextInt(4) == 0) 9000 else 300)
          val batch = schema.fields.map(columns.column(_, numRows))
          writer.write(batch, numRows)
          val rows = batch.map(ColumnRows(_))
          (0 until numRows).map(i => rows.map(_(i)))
        }
        val summary = writer.finish()
        assert(summary.numRows == expected.length)
        assert(summary.sizeBytes == Files.size(Paths.get(summary.path)))
        assert(summary.fieldIds == schema.fields.flatMap(_.leaves).map(_.id))
        assert(summary.columnIndices == summary.fieldIds.indices)
        assert(DataFileReaderSuite.schemaOf(summary.path) == schema)
        val all = IndexedSeq(RowRange(0, summary.numRows))
        assertSame(readBack(summary, schema, all, 1 + random.nextInt(5000)), expected)
        val cut = random.nextInt(expected.length + 1)
        val some = IndexedSeq(RowRange(0, cut / 2L), RowRange(cut.toLong, summary.numRows))
        assertSame(
          readBack(summary, schema, some, 1000),
          expected.take(cut / 2) ++ expected.drop(cut)
        )
        Files.delete(Paths.get(summary.path))
      }
    }
  }

  test("a file does not depend on background encoding") {
    val columns = new RandomColumns(new Random(TestRun.seed))
    val fields =
      IndexedSeq.tabulate(6)(i => columns.field(i % 3, fixedSizeLists = true).copy(name = s"f$i"))
    val schema = Schema(fields).withFreshIds
    val batches = IndexedSeq.fill(12)(schema.fields.map(columns.column(_, 2000)))
    val files =
      for ((name, processors) <- Seq("alone" -> 1, "helped" -> 2, "crowded" -> 64)) yield {
        val threads = new EncodingThreads(processors)
        val writer =
          new DataFileWriter(create(s"$name.lance"), schema, FileVersion.V2_2, smallPages, threads)
        batches.foreach(writer.write(_, 2000))
        val summary = writer.finish()
        assert(!threads.claim(), "no file is being written any more")
        Files.readAllBytes(Paths.get(summary.path)).toSeq
      }
    assert(files.distinct.length == 1)
  }

  test("buffers start at multiples of 64, with 0x48 between them") {
    val writer = new DataFileWriter(create("a.lance"), oneLong, FileVersion.V2_2, smallPages)
    (0 until 30).foreach(_ => writer.write(IndexedSeq(numbers(1000)), 1000))
    val summary = writer.finish()
    val bytes = Files.readAllBytes(Paths.get(summary.path))
    Using.resource(Storage.local.open(summary.path)) { reader =>
      val metadata = DataFileMetadata.read(reader, None)
      val pages = metadata.column(0).pages
      assert(pages.length > 1 && pages.map(_.numRows).sum == 30000)
      val buffers = pages.flatMap(_.buffers).filter(_.length > 0) :+ metadata.globalBuffers.head
      assert(buffers.head.offset == 0 && buffers.forall(_.offset % 64 == 0))
      buffers.zip(buffers.tail).foreach { case (a, b) =>
        assert(b.offset - a.end < 64 && bytes.slice(a.end.toInt, b.offset.toInt).forall(_ == 0x48))
      }
    }
  }

  test("the container equals that of pylance byte for byte, except for the pages") {
    DataFileReaderSuite.versions.filter(_ != "v2_3").foreach { version => // read, not written
      val golden = DataFileReaderSuite.golden(s"nested_$version")
      val theirs = Files.readAllBytes(Paths.get(golden))
      Using.resource(Storage.local.open(golden)) { reader =>
        val metadata = DataFileMetadata.read(reader, Some(Nil))
        val schema = metadata.schema()
        val writer = new DataFileWriter(create(s"$version.lance"), schema, metadata.version)
        val descriptor = descriptorOf(writer.finish().path)
        val range = metadata.globalBuffers.head
        // pylance's message also contains the number of rows.
        assert(theirs.slice(range.offset.toInt, range.end.toInt).startsWith(descriptor))
        assert(Footer.parse(Buffer(metadata.footer.toBytes ++ Nil), reader.size) == metadata.footer)
        assert(theirs.takeRight(Footer.numBytes).sameElements(metadata.footer.toBytes))
      }
    }
  }

  private def descriptorOf(path: String): Array[Byte] =
    Using.resource(Storage.local.open(path)) { reader =>
      val range = DataFileMetadata.read(reader, None).globalBuffers.head
      reader.read(range).toBytes
    }

  test("a file without rows has columns and a schema") {
    val summary = new DataFileWriter(create("empty.lance"), oneLong, FileVersion.V2_1).finish()
    assert(summary.numRows == 0)
    assert(readBack(summary, oneLong, IndexedSeq.empty, 10).isEmpty)
  }

  test("many columns share the budget") {
    val schema = Schema((0 until 300).map { i =>
      Field(i, s"s$i", LogicalType.Utf8(large = false), nullable = true)
    })
    val budget = WriteBudget(pageBytes = 8L << 20, totalBytes = 24L << 20)
    val writer = new DataFileWriter(create("wide.lance"), schema, FileVersion.V2_2, budget)
    val column = new BinaryValues
    val text = Array.fill(1000)('x'.toByte)
    (0 until 100).foreach { i =>
      text(i) = i.toByte
      column.append(text, 0, text.length)
    }
    (0 until 2).foreach { _ =>
      writer.write(IndexedSeq.fill(300)(LeafColumn(column, null)), 100)
      assert(writer.bufferedBytes <= budget.totalBytes * 3 / 2)
    }
    assert(writer.finish().numRows == 200)
  }

  test("columns that do not match the schema are rejected, and the file is deleted") {
    val path = folder.resolve("a.lance")
    val writer = new DataFileWriter(create("a.lance"), oneLong, FileVersion.V2_1)
    writer.write(IndexedSeq(numbers(3)), 3)
    val e = intercept[InvalidRequestException](writer.write(IndexedSeq(numbers(3)), 4))
    assert(e.getMessage.contains(path.toString))
    assert(!Files.exists(path))
    intercept[InvalidRequestException](writer.finish())
    val ints = new IntValues
    ints.append(1)
    val other = new DataFileWriter(create("b.lance"), oneLong, FileVersion.V2_1)
    val mismatch =
      intercept[InvalidRequestException](other.write(IndexedSeq(LeafColumn(ints, null)), 1))
    assert(mismatch.place.column.contains("k"))
    assert(!Files.exists(folder.resolve("b.lance")))
  }

  test("abort deletes the file, and does nothing after finish") {
    val aborted = new DataFileWriter(create("a.lance"), oneLong, FileVersion.V2_1)
    aborted.write(IndexedSeq(numbers(3)), 3)
    aborted.abort()
    assert(!Files.exists(folder.resolve("a.lance")))
    val finished = new DataFileWriter(create("b.lance"), oneLong, FileVersion.V2_1)
    finished.finish()
    finished.abort()
    assert(Files.exists(folder.resolve("b.lance")))
  }

  test("a failed write to storage aborts the file") {
    var aborted = false
    val full = new OutputFile {
      val path = "full.lance"
      var position = 0L
      def write(bytes: Array[Byte], from: Int, length: Int): Unit =
        if (position > 1000) throw new IOException("disk full") else position += length
      def close(): Unit = ()
      def abort(): Unit = aborted = true
    }
    val writer = new DataFileWriter(full, oneLong, FileVersion.V2_2, smallPages)
    intercept[IOException] {
      (0 until 100).foreach(_ => writer.write(IndexedSeq(numbers(10000)), 10000))
      writer.finish()
    }
    assert(aborted)
  }

  test("unsupported versions and types are rejected by name") {
    Seq(FileVersion.V0_1).foreach { v =>
      val out = create(s"$v.lance")
      val e = intercept[UnsupportedFeatureException](new DataFileWriter(out, oneLong, v))
      assert(e.getMessage.contains(v.text))
      assert(!Files.exists(Paths.get(out.path)))
    }
    val int = Field(2, "key", LogicalType.Integer(32, signed = true), nullable = false)
    val entries =
      Field(1, "entries", LogicalType.Struct, nullable = false, IndexedSeq(int, int.copy(id = 3)))
    val map =
      Schema(IndexedSeq(Field(0, "m", LogicalType.Map, nullable = true, IndexedSeq(entries))))
    val e = intercept[UnsupportedFeatureException](
      new DataFileWriter(create("m.lance"), map, FileVersion.V2_1)
    )
    assert(e.getMessage.contains("use file version 2.2 or later"))
    val withoutId = Schema(oneLong.fields.map(_.copy(id = Field.Unassigned)))
    intercept[InvalidRequestException](new DataFileWriter(
      create("i.lance"),
      withoutId,
      FileVersion.V2_1
    ))
  }
}
