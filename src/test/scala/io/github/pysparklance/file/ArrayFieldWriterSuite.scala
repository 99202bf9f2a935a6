// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file

import java.nio.file.{Files, Paths}

import scala.util.{Random, Using}

import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core._
import io.github.pysparklance.file.metadata.{DataFileMetadata, FileVersion}
import io.github.pysparklance.file.spi.{DataFileSummary, FileWriter, WriteBudget}
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.testkit.{ColumnRows, PropertyChecks, RandomColumns, TemporaryFolder}

/** Files of version 2.0, as written by this library. */
class ArrayFieldWriterSuite extends AnyFunSuite with TemporaryFolder with PropertyChecks {
  import ArrayFieldWriterSuite._
  import DataFileReaderSuite.drain

  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = 60)

  private val smallPages = WriteBudget(pageBytes = 1, totalBytes = 1)

  private def create(
      name: String,
      schema: Schema,
      budget: WriteBudget = WriteBudget.default
  ): FileWriter =
    DataFiles.create(
      Storage.local.create(folder.resolve(name).toString),
      schema,
      FileVersion.V2_0,
      budget
    )

  private def readBack(
      summary: DataFileSummary,
      schema: Schema,
      rows: IndexedSeq[RowRange],
      batch: Int
  ): Seq[Seq[Any]] = {
    val columnOf = summary.fieldIds.zip(summary.columnIndices).toMap
    val fields = schema.fields.map(spi.FieldProjection(_, columnOf.get(_)))
    val reader = Storage.local.open(summary.path, summary.sizeBytes)
    Using.resource(DataFileReader.open(reader, summary.columnIndices, summary.numRows)) { file =>
      Using.resource(file.read(fields, rows))(drain(_, batch))
    }
  }

  private def written(schema: Schema, column: Column): DataFileSummary = {
    val writer = create(s"${System.nanoTime}.lance", schema)
    writer.write(IndexedSeq(column), column.numRows)
    writer.finish()
  }

  private def roundTrip(field: Field, column: Column): Seq[Any] = {
    val schema = Schema(IndexedSeq(field)).withFreshIds
    val summary = written(schema, column)
    readBack(summary, schema, IndexedSeq(RowRange(0, summary.numRows)), 1000).map(_.head)
  }

  private def encodings(summary: DataFileSummary): Seq[String] =
    Using.resource(Storage.local.open(summary.path)) { reader =>
      val metadata = DataFileMetadata.read(reader, None)
      summary.columnIndices.flatMap(i => metadata.column(i).pages.map(p => treeOf(p.encoding)))
    }

  test("batches of random nested columns round-trip, regardless of the pages") {
    var n = 0
    forAll(Gen.long, Gen.choose(0, 3)) { (seed: Long, depth: Int) =>
      val random = new Random(seed)
      val columns = new RandomColumns(random)
      val fields = IndexedSeq.tabulate(1 + random.nextInt(4)) { i =>
        withoutMaps(columns.field(depth, fixedSizeLists = true)).copy(name = s"f$i")
      }
      val schema = Schema(fields, Map("seed" -> seed.toString)).withFreshIds
      n += 1
      val budget = if (random.nextBoolean()) smallPages else WriteBudget.default
      val writer = create(s"$n.lance", schema, budget)
      val expected = (0 until random.nextInt(4)).flatMap { _ =>
        val numRows = random.nextInt(if (random.nextInt(4) == 0) 9000 else 300)
        val batch = schema.fields.map { f =>
          withoutNullStructs(f, columns.column(f, numRows), columns)
        }
        writer.write(batch, numRows)
        val rows = batch.map(ColumnRows(_))
        (0 until numRows).map(i => rows.map(_(i)))
      }
      val summary = writer.finish()
      assert(summary.numRows == expected.length)
      assert(summary.sizeBytes == Files.size(Paths.get(summary.path)))
      assert(summary.fieldIds == schema.flatten.map(_.id))
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

  private def assertSame(found: Seq[Seq[Any]], expected: Seq[Seq[Any]]): Unit = {
    assert(found.length == expected.length)
    found.indices.find(i => found(i) != expected(i)).foreach { i =>
      assert(found(i) == expected(i), s"row $i")
    }
  }

  test("few distinct strings make a dictionary, others stay plain") {
    val few = strings(1000, i => if (i % 7 == 0) null else s"word ${i % 200}")
    val many = strings(1000, i => s"word ${i % 300}")
    val short = strings(50, i => s"word ${i % 2}")
    val none = strings(1000, _ => null)
    Seq(
      few -> "dictionary(no_nulls(flat8),binary(no_nulls(flat64),flat8))",
      many -> "binary(no_nulls(flat64),flat8)",
      short -> "binary(no_nulls(flat64),flat8)",
      none -> "binary(no_nulls(flat64),flat8)"
    ).foreach { case (column, expected) =>
      val schema = Schema(IndexedSeq(text)).withFreshIds
      val summary = written(schema, column)
      assert(encodings(summary) == Seq(expected))
      val all = IndexedSeq(RowRange(0, summary.numRows))
      assert(readBack(summary, schema, all, 333).map(_.head) == ColumnRows(column))
    }
  }

  test("field metadata selects the compression of strings") {
    val column =
      strings(3000, i => if (i % 9 == 0) null else s"https://example.org/items/${i * 7919}/view")
    def asking(of: (String, String)*) =
      text.copy(metadata = of.map { case (k, v) => s"lance-encoding:$k" -> v }.toMap)
    val plain = "binary(no_nulls(flat64),flat8)"
    Seq(
      asking("compression" -> "zstd", "compression-level" -> "9") ->
        "binary(no_nulls(flat64),flat8zstd9)",
      asking("compression" -> "zstd") -> "binary(no_nulls(flat64),flat8zstd)",
      asking("compression" -> "lz4") -> "binary(no_nulls(flat64),flat8lz4)",
      asking("compression" -> "fsst") -> s"fsst($plain)",
      asking("compression" -> "none") -> plain,
      // The reference has no codes for large ones.
      asking("compression" -> "fsst").copy(logicalType = LogicalType.Binary(large = true)) -> plain
    ).foreach { case (field, expected) =>
      val summary = written(Schema(IndexedSeq(field)), column)
      assert(encodings(summary) == Seq(expected))
      assert(roundTrip(field, column) == ColumnRows(column))
    }
    assert(roundTrip(
      asking("compression" -> "zstd"),
      strings(3, _ => null)
    ) == Seq(null, null, null))
    val e = intercept[InvalidRequestException] {
      create("bad.lance", Schema(IndexedSeq(asking("compression" -> "gzip"))))
    }
    assert(e.getMessage.contains("gzip") && e.place.column.contains("s"))
    assert(!Files.exists(folder.resolve("bad.lance")))
  }

  test("the compression of a numeric field is ignored, as in the reference") {
    val field = Field(
      0,
      "i",
      LogicalType.Integer(32, signed = true),
      nullable = true,
      metadata = Map("lance-encoding:compression" -> "rle")
    )
    val numbers = new IntValues
    Seq(7, 7, 7, 8).foreach(numbers.append)
    assert(roundTrip(field, LeafColumn(numbers, null)) == Seq(7, 7, 7, 8))
  }

  test("bytes of nulls are omitted") {
    val values = new BinaryValues
    Seq("ab", "hidden", "", "c").foreach(s => values.append(s.getBytes, 0, s.length))
    val column = LeafColumn(values, Validity.of(true, false, true, true))
    assert(roundTrip(text, column) == ColumnRows(column))
    val size = written(Schema(IndexedSeq(text)).withFreshIds, column)
    val bytes = Files.readAllBytes(Paths.get(size.path))
    // Indices 2, 2 + 4, 2, 3 and "abc", as on the format page.
    assert(Seq(0, 8, 16, 24).map(Buffer.longAt(bytes, _)) == Seq(2L, 6L, 2L, 3L))
    assert(new String(bytes, 64, 3) == "abc" && bytes(67) == 0x48)
  }

  test("dictionary columns have indices of their type's width, and a null item") {
    val int = LogicalType.Integer(32, signed = true)
    val key = LogicalType.Integer(16, signed = true)
    val numbers = new IntValues
    val validity = new Validity
    (0 until 400).foreach { i =>
      numbers.append(i % 130)
      validity.append(i % 3 != 0)
    }
    val cases = Seq(
      text.logicalType -> strings(500, i => s"word ${i % 40}") -> "binary(no_nulls(flat64),flat8)",
      text.logicalType -> strings(500, i => if (i % 5 == 0) null else s"word $i") ->
        "binary(no_nulls(flat64),flat8)",
      text.logicalType -> strings(5, _ => null) -> "binary(no_nulls(flat64),flat8)",
      int -> LeafColumn(numbers, null) -> "no_nulls(flat32)",
      int -> LeafColumn(numbers, validity) -> "some_nulls(flat32)"
    )
    cases.foreach { case ((t, column), items) =>
      val field = text.copy(logicalType = LogicalType.Dictionary(t, key, ordered = false))
      val summary = written(Schema(IndexedSeq(field)), column)
      assert(encodings(summary) == Seq(s"dictionary(no_nulls(flat16),$items)"))
      assert(roundTrip(field, column) == ColumnRows(column))
    }
    val narrow = LogicalType.Dictionary(int, LogicalType.Integer(8, signed = true), ordered = false)
    val e = intercept[InvalidRequestException] {
      roundTrip(text.copy(logicalType = narrow), LeafColumn(numbers, null))
    }
    assert(e.getMessage.contains("130 distinct values") && e.place.column.contains("s"))
  }

  test("packed structs are one column") {
    val members = IndexedSeq(
      Field(1, "a", LogicalType.Integer(32, signed = true), nullable = false),
      Field(
        2,
        "v",
        LogicalType.FixedSizeList(LogicalType.Integer(8, signed = true), 3),
        nullable = false
      )
    )
    val packed =
      Field(0, "p", LogicalType.Struct, nullable = false, members, Map("packed" -> "true"))
    val random = new RandomColumns(new Random(7))
    val children = members.map(m => LeafColumn(clean(random.values(m.valueType, 500)), null))
    val column = StructColumn(500, children, null)
    val summary = written(Schema(IndexedSeq(packed)).withFreshIds, column)
    assert(encodings(summary) == Seq(
      "packed_struct(no_nulls(flat32),no_nulls(fixed_size_list(no_nulls(flat8))))"
    ))
    assert(roundTrip(packed, column) == ColumnRows(column))
    val someNull = StructColumn(2, children, Validity.of(true, false))
    val e = intercept[UnsupportedFeatureException](roundTrip(
      packed,
      someNull.copy(children =
        members.map(m => LeafColumn(clean(random.values(m.valueType, 2)), null))
      )
    ))
    assert(e.getMessage.contains("packed struct 'p'"))
    val texts = text.copy(logicalType = LogicalType.FixedSizeList(text.logicalType, 2))
    assert(intercept[UnsupportedFeatureException](roundTrip(texts, column)).getMessage.contains(
      "'s' of type fixed_size_list:string:2"
    ))
    val withText = packed.copy(children = members :+ text.copy(id = 3))
    val rejected = intercept[UnsupportedFeatureException](roundTrip(withText, column))
    assert(rejected.getMessage.contains("'s' of type string"))
  }

  test("blobs are stored outside of pages") {
    val blob = Field(
      0,
      "b",
      LogicalType.Binary(large = true),
      nullable = true,
      metadata = Map(BlobField.Marker -> "true")
    )
    val column = strings(4, i => if (i == 1) null else "x" * (i * 100))
    val schema = Schema(IndexedSeq(blob)).withFreshIds
    val summary = written(schema, column)
    val descriptors = Schema(schema.fields.map(BlobField.in(BlobMode.Descriptor)))
    val all = IndexedSeq(RowRange(0, 4))
    val bytes = Files.readAllBytes(Paths.get(summary.path))
    val found = readBack(summary, descriptors, all, 10).map(_.head)
    assert(found == Seq(Seq(0L, 0L), Seq(1L, 0L), Seq(0L, 200L), Seq(256L, 300L)))
    assert(new String(bytes, 256, 300) == "x" * 300)
    assert(encodings(summary) == Seq("packed_struct(no_nulls(flat64),no_nulls(flat64))"))
  }

  test("null structs and types unsupported in 2.0 are rejected, and the file is deleted") {
    val int = Field(1, "a", LogicalType.Integer(32, signed = true), nullable = true)
    val struct = Field(0, "q", LogicalType.Struct, nullable = true, IndexedSeq(int))
    val ints = new IntValues
    ints.append(1)
    ints.append(2)
    val someNull = StructColumn(2, IndexedSeq(LeafColumn(ints, null)), Validity.of(true, false))
    val writer = create("null.lance", Schema(IndexedSeq(struct)))
    val e = intercept[UnsupportedFeatureException](writer.write(IndexedSeq(someNull), 2))
    assert(e.getMessage.contains("null struct") && e.place.column.contains("q"))
    assert(!Files.exists(folder.resolve("null.lance")))

    val entries = Field(1, "entries", LogicalType.Struct, nullable = false, IndexedSeq(int, int))
    Seq(
      "a map" -> Field(0, "m", LogicalType.Map, nullable = true, IndexedSeq(entries)),
      "a fixed-size list of structs" -> Field(
        0,
        "m",
        LogicalType.FixedSizeList(LogicalType.Struct, 2),
        nullable = true,
        IndexedSeq(struct)
      ),
      "a blob v2" -> Field(
        0,
        "m",
        LogicalType.Struct,
        nullable = true,
        metadata = Map("ARROW:extension:name" -> "lance.blob.v2")
      )
    ).foreach { case (what, field) =>
      val e =
        intercept[UnsupportedFeatureException](create(
          "m.lance",
          Schema(IndexedSeq(field)).withFreshIds
        ))
      assert(e.getMessage.contains(s"$what in a data file of version 2.0"))
      assert(e.place.column.contains("m"))
      assert(!Files.exists(folder.resolve("m.lance")))
    }
  }

  test("null lists hide null structs and their items") {
    val int = Field(2, "a", LogicalType.Integer(32, signed = true), nullable = true)
    val struct = Field(1, "item", LogicalType.Struct, nullable = true, IndexedSeq(int))
    val list =
      Field(
        0,
        "l",
        LogicalType.List(large = false, ofStruct = true),
        nullable = true,
        IndexedSeq(struct)
      )
    val ints = new IntValues
    (1 to 4).foreach(ints.append)
    val items =
      StructColumn(4, IndexedSeq(LeafColumn(ints, null)), Validity.of(true, false, true, true))
    val column = ListColumn(4, Array(0, 1, 2, 2, 4), items, Validity.of(true, false, true, true))
    assert(roundTrip(list, column) == Seq(Seq(Seq(1)), null, Nil, Seq(Seq(3), Seq(4))))
  }
}

object ArrayFieldWriterSuite {
  private val text = Field(0, "s", LogicalType.Utf8(large = false), nullable = true)

  private def strings(numRows: Int, of: Int => String): LeafColumn = {
    val values = new BinaryValues
    val validity = new Validity
    (0 until numRows).foreach { i =>
      val s = of(i)
      validity.append(s != null)
      if (s == null) values.appendFiller(1) else values.append(s.getBytes, 0, s.length)
    }
    LeafColumn(values, validity)
  }

  /** Returns the same values, without null items. */
  private def clean(values: Values): Values = {
    values match {
      case lists: FixedSizeListValues => lists.itemValidity = null
      case _ => ()
    }
    values
  }

  private def withoutMaps(field: Field): Field = {
    val children = field.children.map(withoutMaps)
    field.logicalType match {
      case LogicalType.Map =>
        val list = LogicalType.List(large = false, ofStruct = true)
        field.copy(logicalType = list, children = children)
      case _ => field.copy(children = children)
    }
  }

  private def withoutNullStructs(field: Field, column: Column, random: RandomColumns): Column =
    (field.logicalType, column) match {
      case (LogicalType.Struct, StructColumn(n, children, _)) =>
        StructColumn(
          n,
          field.children.zip(children).map { case (f, c) => withoutNullStructs(f, c, random) },
          null
        )
      case (LogicalType.Struct, other) =>
        val children = field.children.map { f =>
          withoutNullStructs(f, random.column(f, other.numRows), random)
        }
        StructColumn(other.numRows, children, null)
      case (_, list: ListColumn) =>
        list.copy(items = withoutNullStructs(field.children.head, list.items, random))
      case (_, other) => other
    }

  /** Returns the names of the nodes in a page's tree. */
  private def treeOf(encoding: Array[Byte]): String = {
    import io.github.pysparklance.encoding.proto.v2_0.ArrayEncoding
    import ArrayEncoding.ArrayEncodingCase._
    def name(e: ArrayEncoding): String = e.getArrayEncodingCase match {
      case FLAT =>
        val c = e.getFlat.getCompression
        val scheme = c.getScheme + (if (c.hasLevel) c.getLevel else "")
        s"flat${e.getFlat.getBitsPerValue}$scheme"
      case NULLABLE if e.getNullable.hasNoNulls =>
        s"no_nulls(${name(e.getNullable.getNoNulls.getValues)})"
      case NULLABLE if e.getNullable.hasAllNulls => "all_nulls"
      case NULLABLE => s"some_nulls(${name(e.getNullable.getSomeNulls.getValues)})"
      case BINARY => s"binary(${name(e.getBinary.getIndices)},${name(e.getBinary.getBytes)})"
      case DICTIONARY =>
        s"dictionary(${name(e.getDictionary.getIndices)},${name(e.getDictionary.getItems)})"
      case FSST => s"fsst(${name(e.getFsst.getBinary)})"
      case FIXED_SIZE_LIST => s"fixed_size_list(${name(e.getFixedSizeList.getItems)})"
      case LIST => s"list(${name(e.getList.getOffsets)})"
      case PACKED_STRUCT =>
        val inner = (0 until e.getPackedStruct.getInnerCount).map(e.getPackedStruct.getInner)
        inner.map(name).mkString("packed_struct(", ",", ")")
      case other => other.name.toLowerCase
    }
    name(ArrayEncoding.parseFrom(com.google.protobuf.Any.parseFrom(encoding).getValue))
  }
}
