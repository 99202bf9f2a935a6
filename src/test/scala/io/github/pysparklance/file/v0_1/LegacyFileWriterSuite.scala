// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.v0_1

import java.nio.file.{Files, Paths}

import scala.util.{Random, Using}

import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.v0_1.Dictionary
import io.github.pysparklance.file.DataFiles
import io.github.pysparklance.file.metadata.FieldMessages
import io.github.pysparklance.file.spi._
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.testkit.{ColumnRows, PropertyChecks, RandomColumns, TemporaryFolder}

class LegacyFileWriterSuite extends AnyFunSuite with TemporaryFolder with PropertyChecks {
  import LegacyFileWriterSuite._

  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = 60)

  private def writer(
      schema: Schema,
      name: String = "a.lance",
      budget: WriteBudget = WriteBudget.default,
      batchRows: Int = LegacyFileWriter.maxBatchRows,
      dictionaries: Map[Int, Dictionary.Items] = Map.empty
  ): LegacyFileWriter = new LegacyFileWriter(
    Storage.local.create(folder.resolve(name).toString),
    schema,
    FieldMessages.toMessages,
    budget,
    dictionaries,
    batchRows
  )

  test("random nested columns round-trip, regardless of the batches") {
    var n = 0
    forAll(Gen.long, Gen.choose(0, 3)) { (seed: Long, depth: Int) =>
      val random = new Random(seed)
      val columns = new RandomColumns(random)
      val fields = IndexedSeq.tabulate(1 + random.nextInt(4)) { i =>
        columns.field(depth, fixedSizeLists = true).copy(name = s"f$i")
      }
      val schema = Schema(fields, Map("seed" -> seed.toString)).withFreshIds
      whenever(schema.flatten.forall(_.logicalType != LogicalType.Map)) {
        n += 1
        val budget = if (random.nextInt(4) == 0) WriteBudget(1, 4000) else WriteBudget.default
        val batchRows = if (random.nextBoolean()) 1 + random.nextInt(500) else 8192
        val w = writer(schema, s"$n.lance", budget, batchRows)
        val expected = (0 until random.nextInt(4)).flatMap { _ =>
          val numRows = random.nextInt(if (random.nextInt(4) == 0) 9000 else 300)
          val batch = schema.fields.map(f => holdable(f, columns.column(f, numRows)))
          w.write(batch, numRows)
          val rows = batch.map(ColumnRows(_))
          (0 until numRows).map(i => rows.map(_(i)))
        }
        val summary = w.finish()
        assert(summary.numRows == expected.length)
        assert(summary.sizeBytes == Files.size(Paths.get(summary.path)))
        assert(summary.fieldIds == schema.flatten.map(_.id) && summary.columnIndices.isEmpty)
        val found = readBack(summary, schema)
        assert(found.length == expected.length)
        found.indices.foreach(i => if (found(i) != expected(i)) assert(found(i) == expected(i), i))
        checkBounds(summary, schema, expected)
        Files.delete(Paths.get(summary.path))
      }
    }
  }

  /** Checks that no value of a batch is outside of its bounds. Bounds of integers, and of strings
    * without long values, must be exact.
    */
  private def checkBounds(
      summary: DataFileSummary,
      schema: Schema,
      rows: Seq[Seq[Any]]
  ): Unit = Using.resource(open(summary)) { file =>
    schema.fields.indices.foreach { c =>
      val field = schema.fields(c)
      field.logicalType match {
        case LogicalType.Integer(64, true) if rows.nonEmpty =>
          val Some(bounds) = file.statistics(field.id): @unchecked
          val values = bounds.runs.map(r =>
            rows.slice(r.from.toInt, r.until.toInt).map(_(c).asInstanceOf[Long])
          )
          assert(ColumnRows(bounds.min) == values.map(_.min))
          assert(ColumnRows(bounds.max) == values.map(_.max))
        case LogicalType.FixedSizeList(_, _) | LogicalType.List(_, _) =>
          assert(file.statistics(field.id).isEmpty)
        case _ => ()
      }
    }
  }

  test("pages and page table equal a pylance file byte for byte") {
    val golden = Files.readAllBytes(Paths.get(LegacyFileReaderSuite.path))
    val schema = LegacyFileReaderSuite.schema
    val tail = FileTail.of(Storage.local.open(LegacyFileReaderSuite.path))(identity)
    val metadata = Metadata.read(tail)
    val known = new Dictionaries(tail, metadata)
    val dictionaries = schema.flatten.collect {
      case f @ Field(id, _, LogicalType.Dictionary(value, _, _), _, _, _, _, _) =>
        id -> known.read(f, value)
    }.toMap
    val w = writer(schema, batchRows = 100, dictionaries = dictionaries)
    Using.resource(LegacyFileReaderSuite.open(Storage.local)) { file =>
      val projections = schema.fields.map(LegacyFileReaderSuite.projection)
      val rows = file.read(projections, IndexedSeq(RowRange(0, LegacyFileReaderSuite.numRows)))
      Using.resource(rows) { reader =>
        while (reader.rowsAvailable > 0) {
          val n = math.min(64, reader.rowsAvailable)
          w.write(reader.read(n), n)
        }
      }
    }
    val ours = Files.readAllBytes(Paths.get(w.finish().path))
    val end = metadata.pageTablePosition.toInt +
      16 * metadata.numBatches * schema.flatten.length
    assert(ours.take(end).sameElements(golden.take(end)))
    assert(ours.takeRight(8).sameElements(golden.takeRight(8)))
  }

  test(
    "string statistics have up to 64 bytes, end at a character, and are rounded up for longer values"
  ) {
    val schema = oneField(LogicalType.Utf8(large = false))
    val long = "a" * 70
    var files = 0
    def bounds(rows: Seq[String]*): (Seq[Any], Seq[Any]) = {
      files += 1
      val w = writer(schema, s"$files.lance", batchRows = rows.head.length)
      rows.foreach(r => w.write(IndexedSeq(texts(r: _*)), r.length))
      Using.resource(open(w.finish())) { file =>
        val Some(b) = file.statistics(0): @unchecked
        def strings(c: Column) = ColumnRows(c).map {
          case null => null
          case bytes: Seq[_] => new String(bytes.asInstanceOf[Seq[Byte]].toArray, "UTF-8")
          case other => other
        }
        (strings(b.min), strings(b.max))
      }
    }
    assert(bounds(Seq("b", null, "ccc"), Seq(null, null, null)) ==
      ((Seq("b", null), Seq("ccc", null))))
    assert(bounds(Seq("z", long)) == ((Seq("a" * 64), Seq("{"))))
    assert(bounds(Seq("ccc", long)) == ((Seq("a" * 64), Seq("ccd"))))
    val split = "a" * 63 + "\u00e9" + "rest"
    assert(bounds(Seq(split, split)) == ((Seq("a" * 63), Seq("a" * 62 + "b"))))
    val last = "\udbff\udfff" * 17
    assert(bounds(Seq(last, last)) == ((Seq("\udbff\udfff" * 16), Seq(null))))
  }

  test("rounded-up byte strings are greater than all strings with the prefix") {
    def raised(bytes: Int*) = StatisticsBuilder.raised(bytes.map(_.toByte).toArray).map(_.toSeq)
    assert(raised(1, 2).contains(Seq[Byte](1, 3)))
    assert(raised(1, 0xff).contains(Seq[Byte](2, 0)))
    assert(raised(0xff, 0xff).isEmpty)
    def text(s: String) =
      StatisticsBuilder.raisedText(s.getBytes("UTF-8")).map(new String(_, "UTF-8"))
    assert(text("az").contains("a{") && text("a\u007f").contains("b\u007f"))
    assert(text("\u00bf").contains("\u00ff"))
  }

  test("statistics of floats, unsigned integers, booleans, and decimals") {
    import java.lang.Double.doubleToRawLongBits
    def bounds(t: LogicalType, values: Values): (Seq[Any], Seq[Any]) = {
      val builder = new StatisticsBuilder(Field(0, "x", t, nullable = true))
      builder.add(values)
      def content(v: Values) = ColumnRows(LeafColumn(v, null))
      (content(builder.min), content(builder.max))
    }
    def doubles(x: Double*) = {
      val v = new LongValues
      x.foreach(d => v.append(doubleToRawLongBits(d)))
      v
    }
    def bits(x: Double): Seq[Any] = Seq(doubleToRawLongBits(x))
    assert(bounds(LogicalType.Double, doubles(Double.NaN, 1.5, -2)) == ((bits(-2), bits(1.5))))
    assert(bounds(LogicalType.Double, doubles(0.0)) == ((bits(-0.0), bits(0.0))))
    assert(bounds(LogicalType.Double, doubles(Double.NaN)) ==
      ((bits(Double.NegativeInfinity), bits(Double.PositiveInfinity))))
    def bytes(x: Int*) = {
      val v = new ByteValues
      x.foreach(b => v.append(b.toByte))
      v
    }
    assert(bounds(LogicalType.Integer(8, signed = false), bytes(200, 3, 100)) ==
      ((Seq(3.toByte), Seq(200.toByte))))
    assert(bounds(LogicalType.Integer(8, signed = true), bytes(200, 3, 100)) ==
      ((Seq(200.toByte), Seq(100.toByte))))
    assert(bounds(LogicalType.Bool, bytes(1, 1)) == ((Seq(1.toByte), Seq(1.toByte))))
    val unsigned = new LongValues
    Seq(-1L, 1L, Long.MinValue).foreach(unsigned.append)
    assert(bounds(LogicalType.Integer(64, signed = false), unsigned) == ((Seq(1L), Seq(-1L))))
    val decimals = new WideValues(16)
    val at = decimals.extend(3)
    Seq((-1L, -1L), (5L, 0L), (-1L, 0L)).zipWithIndex.foreach { case ((low, high), i) =>
      Buffer.putLong(decimals.bytes, at + i * 16, low)
      Buffer.putLong(decimals.bytes, at + i * 16 + 8, high)
    }
    def one(i: Int): Seq[Any] = Seq(decimals.bytes.slice(i * 16, i * 16 + 16).toSeq)
    assert(bounds(LogicalType.Decimal(128, 30, 2), decimals) == ((one(0), one(2))))
  }

  test("dictionaries of the written values, or of the table, which accept no other values") {
    val schema = oneField(
      LogicalType.Dictionary(
        LogicalType.Utf8(large = false),
        LogicalType.Integer(8, signed = true),
        ordered = false
      )
    )
    val own = writer(schema, batchRows = 2)
    own.write(IndexedSeq(texts("b", "a", null, "b")), 4)
    own.write(IndexedSeq(texts(null, "c")), 2)
    assert(readBack(own.finish(), schema) ==
      Seq("b", "a", null, "b", null, "c").map(s => Seq(if (s == null) null else text(s))))
    val known = Dictionary.Items(texts("a", "b").values, null)
    val kept = writer(schema, "b.lance", dictionaries = Map(0 -> known))
    kept.write(IndexedSeq(texts("b", "a")), 2)
    assert(readBack(kept.finish(), schema) == Seq("b", "a").map(s => Seq(text(s))))
    val without = writer(schema, "e.lance", dictionaries = Map(0 -> known))
    intercept[UnsupportedFeatureException](without.write(IndexedSeq(texts("a", null)), 2))
    val rejected = writer(schema, "c.lance", dictionaries = Map(0 -> known))
    val e = intercept[UnsupportedFeatureException](rejected.write(IndexedSeq(texts("x")), 1))
    assert(e.getMessage.contains("dictionary of the table"))
    val full = writer(schema, "d.lance")
    val many = (0 to 128).map(i => s"v$i")
    val f = intercept[UnsupportedFeatureException](full.write(IndexedSeq(texts(many: _*)), 129))
    assert(f.getMessage.contains("more than 128 values"))
  }

  test("a file without rows, and a file whose field ids do not start at the first") {
    val field = Field(7, "x", LogicalType.Utf8(large = false), nullable = true)
    val schema = Schema(IndexedSeq(field.copy(id = 9), field))
    assert(readBack(writer(schema).finish(), schema).isEmpty)
    val w = writer(schema, "b.lance")
    w.write(IndexedSeq(texts("nine"), texts("seven")), 1)
    val summary = w.finish()
    assert(summary.fieldIds == Seq(7, 9))
    assert(readBack(summary, schema) == Seq(Seq(text("nine"), text("seven"))))
  }

  test("values that would be read differently are rejected by name, and the file is deleted") {
    val int = LogicalType.Integer(32, signed = true)
    val item = Field(1, "item", int, nullable = true)
    val ints = new IntValues
    ints.append(1)
    ints.append(2)
    val nulls = Validity.of(true, false)
    val list = new FixedSizeListValues(1, ints)
    list.extend(2)
    list.itemValidity = nulls
    val cases = Seq[(Field, Column)](
      Field(0, "x", int, nullable = true) -> LeafColumn(ints, nulls),
      Field(0, "x", int, nullable = true) -> NullColumn(2),
      Field(0, "x", LogicalType.Utf8(large = false), nullable = true) -> texts("a", ""),
      Field(0, "x", LogicalType.Utf8(large = false), nullable = false) -> texts("a", null),
      Field(0, "x", LogicalType.FixedSizeList(int, 1), nullable = true) -> LeafColumn(list, null),
      Field(
        0,
        "x",
        LogicalType.List(large = false, ofStruct = false),
        nullable = true,
        IndexedSeq(item)
      ) ->
        ListColumn(2, Array(0, 1, 1), LeafColumn(ints, null), nulls),
      Field(0, "x", LogicalType.Struct, nullable = true, IndexedSeq(item)) ->
        StructColumn(2, IndexedSeq(LeafColumn(ints, null)), nulls)
    )
    cases.foreach { case (field, column) =>
      val w = writer(Schema(IndexedSeq(field)))
      val e = intercept[UnsupportedFeatureException](w.write(IndexedSeq(column), 2))
      assert(e.place.column.contains("x") && e.getMessage.contains("0.1"), e.getMessage)
      assert(!Files.exists(folder.resolve("a.lance")))
      intercept[InvalidRequestException](w.finish())
    }
    val texted = writer(oneField(int))
    intercept[InvalidRequestException](texted.write(IndexedSeq(texts("a")), 1))
    val short = writer(oneField(int))
    intercept[InvalidRequestException](short.write(IndexedSeq(LeafColumn(ints, null)), 1))
  }

  test("types that this version does not support are rejected before anything is written") {
    val int = Field(2, "i", LogicalType.Integer(32, signed = true), nullable = false)
    val entries = Field(
      1,
      "entries",
      LogicalType.Struct,
      nullable = false,
      IndexedSeq(int, int.copy(id = 3))
    )
    Seq(
      Field(0, "x", LogicalType.Map, nullable = true, IndexedSeq(entries)) -> "map",
      Field(0, "x", LogicalType.Struct, nullable = true) -> "structs without fields",
      Field(
        0,
        "x",
        LogicalType.Binary(large = true),
        nullable = true,
        metadata = Map("lance-encoding:blob" -> "true")
      ) -> "blobs",
      Field(
        0,
        "x",
        LogicalType.Dictionary(
          LogicalType.Double,
          LogicalType.Integer(8, signed = true),
          ordered = false
        ),
        nullable = true
      ) -> "dictionaries of double"
    ).foreach { case (field, words) =>
      val e = intercept[UnsupportedFeatureException](writer(Schema(IndexedSeq(field))))
      assert(e.getMessage.contains(words) && e.place.column.contains("x"), e.getMessage)
      assert(!Files.exists(folder.resolve("a.lance")))
    }
    val e = intercept[UnsupportedFeatureException](writer(Schema(IndexedSeq.empty)))
    assert(e.getMessage.contains("without columns"), e.getMessage)
    assert(!Files.exists(folder.resolve("a.lance")))
  }
}

private object LegacyFileWriterSuite {

  def oneField(logicalType: LogicalType): Schema =
    Schema(IndexedSeq(Field(0, "x", logicalType, nullable = true)))

  def texts(values: String*): LeafColumn = {
    val out = new BinaryValues
    val validity = new Validity
    values.foreach { v =>
      val bytes = if (v == null) Array.emptyByteArray else v.getBytes("UTF-8")
      out.append(bytes, 0, bytes.length)
      validity.append(v != null)
    }
    LeafColumn(out, validity)
  }

  def text(s: String): Any = s.getBytes("UTF-8").toSeq

  def open(summary: DataFileSummary): FileReader = DataFiles.open(
    Storage.local.open(summary.path),
    summary.fieldIds,
    Nil,
    summary.numRows
  )

  def readBack(summary: DataFileSummary, schema: Schema): Seq[Seq[Any]] =
    Using.resource(open(summary)) { file =>
      val fields = schema.fields.map(f => FieldProjection(f, id => Some(id)))
      Using.resource(file.read(fields, IndexedSeq(RowRange(0, summary.numRows)))) { rows =>
        val out = Seq.newBuilder[Seq[Any]]
        while (rows.rowsAvailable > 0) {
          val n = math.min(rows.rowsAvailable, 1000)
          val columns = rows.read(n).map(ColumnRows(_))
          (0 until n).foreach(i => out += columns.map(_(i)))
        }
        out.result()
      }
    }

  /** Returns the column without values that this version does not support: nulls, except of byte
    * strings, and non-null empty strings.
    */
  def holdable(field: Field, column: Column): Column = (field.logicalType, column) match {
    case (LogicalType.Utf8(_) | LogicalType.Binary(_), _) => holdableBytes(field, column)
    case (_, NullColumn(n)) => fillers(field, n)
    case (_, ConstantColumn(v, n, _)) => ConstantColumn(valid(v), n, null)
    case (_, LeafColumn(v, _)) => LeafColumn(valid(v), null)
    case (_, FixedSizeListColumn(n, dimension, items, _)) =>
      val LogicalType.FixedSizeList(item, _) = field.logicalType: @unchecked
      val own = holdable(Field(-1, "item", item, nullable = true), items)
      FixedSizeListColumn(n, dimension, own, null)
    case (_, ListColumn(n, offsets, items, _)) =>
      ListColumn(n, offsets, holdable(field.children.head, items), null)
    case (_, StructColumn(n, children, _)) =>
      val own = children.indices.map(i => holdable(field.children(i), children(i)))
      StructColumn(n, own, null)
  }

  private def valid(values: Values): Values = {
    values match {
      case lists: FixedSizeListValues =>
        lists.itemValidity = null
        valid(lists.items): Unit
      case _ => ()
    }
    values
  }

  private def holdableBytes(field: Field, column: Column): Column = {
    val out = new BinaryValues
    val validity = new Validity
    ColumnRows(column).foreach {
      case null =>
        if (field.nullable) out.appendFiller(1) else out.append(Array[Byte](1), 0, 1)
        validity.append(!field.nullable)
      case bytes =>
        val array = bytes.asInstanceOf[Seq[Byte]].toArray
        out.append(array, 0, array.length)
        validity.append(array.nonEmpty || !field.nullable)
    }
    LeafColumn(out, validity)
  }

  private def fillers(field: Field, n: Int): Column = field.logicalType match {
    case LogicalType.Struct => StructColumn(n, field.children.map(fillers(_, n)), null)
    case LogicalType.List(_, _) =>
      ListColumn(n, new Array[Int](n + 1), fillers(field.children.head, 0), null)
    case LogicalType.Utf8(_) | LogicalType.Binary(_) if field.nullable => NullColumn(n)
    case _ =>
      val values = Values.allocate(field.valueType)
      values.appendFiller(n)
      LeafColumn(values, null)
  }
}
