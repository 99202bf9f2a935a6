// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Paths}

import scala.util.{Random, Using}

import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.proto.v2_1.PageLayout
import io.github.pysparklance.file.metadata.{DataFileMetadata, FileVersion}
import io.github.pysparklance.file.spi.{DataFileSummary, WriteBudget}
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.testkit.{ColumnRows, PropertyChecks, RandomColumns, TemporaryFolder}

/** Columns other than numbers, strings, lists, and structs, written to files of version 2.1 and 2.2
  * and read back.
  */
class SpecialTypesSuite extends AnyFunSuite with TemporaryFolder with PropertyChecks {
  import DataFileReaderSuite.{drain, projections}

  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = 150)

  private val versions = Seq(FileVersion.V2_1, FileVersion.V2_2)
  private val smallPages = WriteBudget(pageBytes = 1, totalBytes = 1)
  private var files = 0

  private def writer(
      schema: Schema,
      version: FileVersion,
      budget: WriteBudget = WriteBudget.default
  ): DataFileWriter = {
    files += 1
    val output = Storage.local.create(folder.resolve(s"$files.lance").toString)
    new DataFileWriter(output, schema, version, budget)
  }

  private def write(schema: Schema, version: FileVersion, columns: Column*): DataFileSummary = {
    val out = writer(schema, version)
    out.write(columns.toIndexedSeq, columns.head.numRows)
    out.finish()
  }

  private def read(
      file: DataFileSummary,
      schema: Schema,
      rows: Seq[RowRange] = Nil,
      batch: Int = 1000
  ): Seq[Seq[Any]] = {
    val wanted = if (rows.isEmpty) IndexedSeq(RowRange(0, file.numRows)) else rows.toIndexedSeq
    val reader = Storage.local.open(file.path, file.sizeBytes)
    Using.resource(DataFileReader.open(reader, file.columnIndices, file.numRows)) { f =>
      Using.resource(f.read(projections(schema), wanted))(drain(_, batch))
    }
  }

  private def page(file: DataFileSummary, column: Int): PageLayout =
    Using.resource(Storage.local.open(file.path)) { reader =>
      val message = DataFileMetadata.read(reader, None).column(column).pages.head.encoding
      PageLayout.parseFrom(com.google.protobuf.Any.parseFrom(message).getValue)
    }

  private def schema(fields: Field*): Schema = Schema(fields.toIndexedSeq).withFreshIds

  private def field(name: String, t: LogicalType, children: Field*): Field =
    Field(-1, name, t, nullable = true, children.toIndexedSeq)

  private def packed(members: Field*): Field =
    field("p", LogicalType.Struct, members: _*)
      .copy(metadata = Map("lance-encoding:packed" -> "true"))

  private val int32 = LogicalType.Integer(32, signed = true)
  private val string = LogicalType.Utf8(large = false)

  private def ints(values: Int*): LeafColumn = {
    val v = new IntValues
    values.foreach(v.append)
    LeafColumn(v, null)
  }

  private def strings(values: String*): LeafColumn = {
    val v = new BinaryValues
    values.foreach { s =>
      val bytes = s.getBytes(UTF_8)
      v.append(bytes, 0, bytes.length)
    }
    LeafColumn(v, null)
  }

  private def validity(bits: Boolean*): Validity = {
    val v = new Validity
    bits.foreach(v.append)
    v
  }

  versions.foreach { version =>
    test(s"random columns round-trip, $version") {
      forAll(Gen.long) { (seed: Long) =>
        val random = new Random(seed)
        val columns = new RandomColumns(random)
        val isV2_2 = version == FileVersion.V2_2
        val fields = IndexedSeq.tabulate(1 + random.nextInt(2))(i =>
          columns.special(anyWidth = isV2_2).copy(name = s"f$i")
        )
        val s = Schema(fields).withFreshIds
        val out = writer(s, version, if (random.nextBoolean()) smallPages else WriteBudget.default)
        val expected = (0 to random.nextInt(3)).flatMap { _ =>
          val numRows = random.nextInt(if (random.nextInt(4) == 0) 3000 else 200)
          val batch = s.fields.map(columns.column(_, numRows))
          out.write(batch, numRows)
          val rows = batch.map(ColumnRows(_))
          (0 until numRows).map(i => rows.map(_(i)))
        }
        val file = out.finish()
        assert(read(file, s, batch = 1 + random.nextInt(3000)) == expected)
        val cut = random.nextInt(expected.length + 1)
        val some = Seq(RowRange(0, cut / 2L), RowRange(cut.toLong, file.numRows))
        assert(read(file, s, some) == expected.take(cut / 2) ++ expected.drop(cut))
        Files.delete(Paths.get(file.path))
      }
    }

    test(s"blobs are stored outside of pages, at multiples of 64, $version") {
      val marked = Map(BlobField.Marker -> "true")
      val blob = field("b", LogicalType.Binary(large = true)).copy(metadata = marked)
      val s = schema(blob, field("s", LogicalType.Struct, blob))
      val plain = strings("hello", "", "", "world!", "under a null")
      val top = plain.copy(validity = validity(true, false, true, true, true))
      val inner = StructColumn(
        5,
        IndexedSeq(plain.copy(validity = validity(true, true, false, true, true))),
        validity(true, true, true, true, false)
      )
      val file = write(s, version, top, inner)
      val stored = Schema(s.fields.map(BlobField.in(BlobMode.Descriptor)))
      val bytes = Files.readAllBytes(Paths.get(file.path))
      def content(descriptor: Any): Any = descriptor match {
        case Seq(position: Long, size: Long) =>
          assert(position % 64 == 0)
          new String(bytes, position.toInt, size.toInt, UTF_8)
        case other => other
      }
      val rows = read(file, stored)
      assert(rows.map(r => content(r(0))) == Seq("hello", null, "", "world!", "under a null"))
      assert(rows.map(_(1)).map {
        case Seq(one) => Seq(content(one))
        case other => other
      } == Seq(Seq("hello"), Seq(""), Seq(null), Seq("world!"), null))
      assert(page(file, 0).hasBlobLayout)
    }

    test(s"a packed struct cannot contain nulls, $version") {
      val s = schema(packed(field("a", int32), field("b", int32)))
      val a = ints(1, 2, 3).copy(validity = validity(true, false, true))
      def struct(v: Validity) = StructColumn(3, IndexedSeq(a, ints(4, 5, 6)), v)
      val e = intercept[InvalidRequestException](write(s, version, struct(null)))
      assert(e.getMessage.contains("""the member "a" of the packed struct "p" is null"""))
      assert(!Files.exists(folder.resolve(s"$files.lance")))
      val file = write(s, version, struct(validity(true, false, true)))
      assert(read(file, s).flatten == Seq(Seq(1, 4), null, Seq(3, 6)))
      assert(page(file, 0).getMiniBlockLayout.getValueCompression.hasPackedStruct)
      // The same in a list, below a null struct that hides it.
      val inList = schema(
        field(
          "l",
          LogicalType.List(large = false, ofStruct = true),
          field("item", LogicalType.Struct, s.fields.head)
        )
      )
      def list(items: Validity) = {
        val outer = StructColumn(3, IndexedSeq(struct(null)), items)
        ListColumn(2, Array(0, 2, 3), outer, null)
      }
      intercept[InvalidRequestException](write(inList, version, list(null)))
      val hidden = write(inList, version, list(validity(true, false, true)))
      assert(
        read(hidden, inList).flatten == Seq(Seq(Seq(Seq(1, 4)), null), Seq(Seq(Seq(3, 6))))
      )
    }

    test(
      s"a dictionary has indices of its width, and at most as many values as they can address, $version"
    ) {
      val t = LogicalType.Dictionary(string, LogicalType.Integer(8, signed = true), ordered = false)
      val s = schema(field("d", t))
      val some = strings("x", "", "y", "x").copy(validity = validity(true, false, true, true))
      val file = write(s, version, some)
      assert(
        read(file, s).flatten ==
          Seq("x", null, "y", "x").map(v => if (v == null) null else v.getBytes(UTF_8).toSeq)
      )
      val layout = page(file, 0).getMiniBlockLayout
      assert(layout.getNumDictionaryItems == 2)
      assert(layout.getValueCompression.getFlat.getBitsPerValue == 8)
      write(s, version, strings((0 until 128).map(_.toString): _*)): Unit
      val e = intercept[InvalidRequestException](
        write(s, version, strings((0 until 129).map(_.toString): _*))
      )
      assert(e.getMessage.contains("129 distinct values"))
    }

    test(s"structs without members cannot be null, $version") {
      val empty = field("e", LogicalType.Struct)
      val s = schema(empty)
      intercept[UnsupportedFeatureException](
        write(s, version, StructColumn(2, IndexedSeq.empty, validity(true, false)))
      )
      val file = write(s, version, StructColumn(2, IndexedSeq.empty, null))
      assert(read(file, s).flatten == Seq(Seq(), Seq()))
      val list = LogicalType.List(large = false, ofStruct = true)
      rejected(schema(field("l", list, empty)), version, "structs without members in lists")
    }
  }

  private def rejected(s: Schema, version: FileVersion, what: String): Unit = {
    val e = intercept[UnsupportedFeatureException](writer(s, version))
    if (!e.getMessage.contains(what)) fail(e.getMessage)
    if (Files.exists(folder.resolve(s"$files.lance"))) fail("the file is there")
  }

  test("types that a version does not support are rejected by name before anything is written") {
    val list = LogicalType.List(large = false, ofStruct = false)
    val structs = LogicalType.FixedSizeList(LogicalType.Struct, 2)
    val blob = field("b", LogicalType.Binary(large = true))
    val v1 = blob.copy(metadata = Map(BlobField.Marker -> "true"))
    val v2 = blob.copy(
      logicalType = LogicalType.Struct,
      metadata = Map("ARROW:extension:name" -> "lance.blob.v2")
    )
    val item = field("item", LogicalType.Struct, field("a", int32))
    val itemWithList = field("item", LogicalType.Struct, field("a", list, field("item", int32)))
    for (version <- versions) {
      rejected(schema(packed(field("a", LogicalType.Bool))), version, "booleans in packed structs")
      rejected(schema(packed(field("a", int32), item)), version, "type struct in packed structs")
      rejected(schema(packed(v1)), version, "blobs in packed structs")
      rejected(
        schema(packed(field("a", LogicalType.FixedSizeBinary(5000)))),
        version,
        "values of 5000 bytes"
      )
      rejected(schema(field("l", list, v1)), version, "blobs in lists")
      rejected(schema(field("b", LogicalType.FixedSizeBinary(0))), version, "binaries of 0 bytes")
    }
    rejected(schema(packed(field("a", string))), FileVersion.V2_1, "packed structs with strings")
    rejected(schema(field("f", structs, item)), FileVersion.V2_1, "fixed-size lists of structs")
    rejected(schema(v2), FileVersion.V2_1, "blobs of version 2")
    rejected(schema(field("f", structs, itemWithList)), FileVersion.V2_2, "together with lists")
  }

  test("pages of fixed-size lists of structs count entries, and start at rows") {
    val item = field("item", LogicalType.Struct, field("a", int32))
    val s = schema(field("f", LogicalType.FixedSizeList(LogicalType.Struct, 3), item))
    val out = writer(s, FileVersion.V2_2, smallPages)
    val a = new IntValues
    (0 until 60000).foreach(i => a.append(i * 7919))
    val items = StructColumn(60000, IndexedSeq(LeafColumn(a, null)), null)
    out.write(IndexedSeq(FixedSizeListColumn(20000, 3, items, null)), 20000)
    val file = out.finish()
    Using.resource(Storage.local.open(file.path)) { reader =>
      val pages = DataFileMetadata.read(reader, None).column(0).pages
      assert(pages.length > 1 && pages.map(_.numRows).sum == 60000)
      assert(pages.forall(_.numRows % 3 == 0))
    }
    assert(read(file, s).length == 20000)
  }
}
