// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file

import java.nio.file.{Files, Paths}

import scala.util.{Random, Using}

import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core._
import io.github.pysparklance.file.metadata.{DataFileMetadata, FileVersion, Footer}
import io.github.pysparklance.file.reading.LeafColumns
import io.github.pysparklance.file.scheduling.ReadBudget
import io.github.pysparklance.file.spi.FieldProjection
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.testkit.{
  ColumnRows,
  CountingStorage,
  PropertyChecks,
  RandomColumns,
  TemporaryFolder,
  TestRun
}

/** Files of version 2.0, written by pylance and by hand. */
class ArrayFieldReaderSuite extends AnyFunSuite with TemporaryFolder with PropertyChecks {
  import ArrayFieldReaderSuite._
  import DataFileReaderSuite.golden

  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = 150)

  test("a pylance file with every kind of column, in batches and row ranges") {
    val path = golden("arrays_v2_0")
    val fields = projections(path)
    val ranges = Seq(
      Seq(RowRange(0, 1000)),
      Seq(RowRange(0, 0), RowRange(17, 18)),
      Seq(RowRange(99, 101), RowRange(101, 350), RowRange(998, 1000)),
      (0 until 1000 by 37).map(i => RowRange(i.toLong, i + 1L))
    )
    for {
      rows <- ranges
      batch <- Seq(1 << 20, 256, 7)
      budget <- Seq(ReadBudget.default, ReadBudget(1, 1))
    } {
      val found = read(path, fields, 1000, rows, batch, budget)
      val expected = rows.flatMap(r => (r.from until r.until).map(i => arraysRow(i.toInt)))
      assert(found.length == expected.length)
      found.zip(expected).foreach { case (f, e) => assert(f == e) }
    }
  }

  test("a projection of some columns") {
    val path = golden("arrays_v2_0")
    val all = projections(path)
    all.indices.foreach { i =>
      val found = read(path, IndexedSeq(all(i)), 1000, Seq(RowRange(500, 530)))
      assert(found.map(_.head) == (500 until 530).map(arraysRow(_)(i)), all(i).field.name)
    }
  }

  test("one child of a struct in a list, and one missing in the file") {
    val path = golden("arrays_v2_0")
    val list = projections(path)(4)
    val item = list.field.children.head
    val absent = Field(77, "later", LogicalType.Double, nullable = true)
    val pruned = item.copy(children = IndexedSeq(absent, item.children.head))
    val field = list.field.copy(children = IndexedSeq(pruned))
    val columnOf = columnsOf(path)
    val found = read(path, IndexedSeq(FieldProjection(field, columnOf)), 1000, Seq(RowRange(0, 40)))
    val expected = (0 until 40).map { i =>
      arraysRow(i)(4) match {
        case items: Seq[_] =>
          items.map {
            case Seq(x, _) => Seq[Any](null, x)
            case other => fail(s"$other")
          }
        case other => other
      }
    }
    assert(found.map(_.head) == expected)
  }

  test("any schema and any pages, whole and in ranges") {
    forAll(Gen.long, Gen.choose(1, 150), Gen.oneOf(true, false)) { (seed, numRows, isEarly) =>
      val random = new Random(seed)
      val made = make(random, numRows, isEarly)
      val path = folder.resolve("random.lance")
      Files.write(path, made.bytes)
      (1 to 4).foreach { i =>
        val rows = if (i == 1) Seq(RowRange(0, numRows.toLong)) else someRanges(random, numRows)
        val batch = 1 + random.nextInt(numRows)
        val budget =
          if (random.nextBoolean()) ReadBudget.default else ReadBudget(1, 1, Some(0L))
        val found = read(path.toString, made.fields, numRows.toLong, rows, batch, budget)
        val expected = rows.flatMap(r => (r.from until r.until).map(j => made.rows.map(_(j.toInt))))
        assert(found == expected, s"seed $seed, ranges $rows, batches of $batch")
      }
    }
  }

  test("windows smaller than a page return the same rows") {
    val random = new Random(7)
    val rows = 16000
    val writer = new ArrayFileWriter(random)
    val columns = new RandomColumns(random)
    val fields = Schema(IndexedSeq(
      Field(-1, "i", LogicalType.Integer(64, signed = true), nullable = true),
      Field(-1, "s", LogicalType.Utf8(large = false), nullable = true),
      Field(
        -1,
        "l",
        LogicalType.List(large = false, ofStruct = false),
        nullable = true,
        IndexedSeq(
          Field(-1, "item", LogicalType.Utf8(large = false), nullable = true)
        )
      )
    )).withFreshIds.fields
    val data = fields.map(column(_, rows, random, columns))
    val projections = fields.zip(data).map { case (f, c) => writer.add(f, c) }
    val path = folder.resolve("large.lance")
    Files.write(path, writer.file())
    val expected = data.map(rowsOf)
    Seq(ReadBudget.default, ReadBudget(1, 1)).foreach { budget =>
      val found =
        read(path.toString, projections, rows.toLong, Seq(RowRange(0, rows.toLong)), 1000, budget)
      assert(found.length == rows)
      found.indices.foreach(i => assert(found(i) == expected.map(_(i))))
    }
    val some = Seq(RowRange(5, 6), RowRange(8000, 8003), RowRange(15999, 16000))
    val taken = read(path.toString, projections, rows.toLong, some, 1, ReadBudget(1, 1))
    assert(taken == Seq(5, 8000, 8001, 8002, 15999).map(i => expected.map(_(i))))
  }

  test("a few rows of large pages read few bytes") {
    val n = 1 << 18
    val longs = new LongValues
    (0 until n).foreach(i => longs.append(i.toLong * i))
    val offsets = Array.tabulate(n + 1)(i => i * 2)
    val items = new LongValues
    (0 until 2 * n).foreach(i => items.append(i.toLong))
    val strings = new BinaryValues
    (0 until n).foreach { i =>
      val b = s"a string that says $i".getBytes("UTF-8")
      strings.append(b, 0, b.length)
    }
    val fields = Schema(IndexedSeq(
      Field(-1, "i", LogicalType.Integer(64, signed = true), nullable = true),
      Field(
        -1,
        "l",
        LogicalType.List(large = false, ofStruct = false),
        nullable = true,
        IndexedSeq(
          Field(-1, "item", LogicalType.Integer(64, signed = true), nullable = true)
        )
      ),
      Field(-1, "s", LogicalType.Utf8(large = false), nullable = true)
    )).withFreshIds.fields
    val writer = new ArrayFileWriter(plainRandom())
    val projections = IndexedSeq(
      writer.add(fields(0), LeafColumn(longs, null)),
      writer.add(fields(1), ListColumn(n, offsets, LeafColumn(items, null), null)),
      writer.add(fields(2), LeafColumn(strings, null))
    )
    val path = folder.resolve("takes.lance")
    Files.write(path, writer.file())
    val storage = new CountingStorage
    val rows = Seq(RowRange(1000, 1001), RowRange(200000, 200002))
    val found = read(path.toString, projections, n.toLong, rows, store = storage)
    assert(found == Seq(1000, 200000, 200001).map { i =>
      Seq[Any](
        i.toLong * i,
        Seq(2L * i, 2L * i + 1),
        s"a string that says $i".getBytes("UTF-8").toSeq
      )
    })
    val tail = spi.FileTail.numBytes.toLong
    assert(storage.bytesRead.get - tail < 4096, "a few values of each column")
    // The tail; values, offsets, and indices of two places; items and strings of two places.
    assert(storage.reads.get <= 1 + 6 + 4)
  }

  test("large values end a batch early, small ones do not") {
    val long = LogicalType.Integer(64, signed = true)
    def field(name: String, logicalType: LogicalType, children: Field*) =
      Field(-1, name, logicalType, nullable = true, children.toIndexedSeq)
    def list(item: Field) = field("l", LogicalType.List(large = false, ofStruct = false), item)
    def strings(lengths: Int*) = {
      val values = new BinaryValues
      lengths.foreach(n => values.append(Array.fill(n)(values.numItems.toByte), 0, n))
      LeafColumn(values, null)
    }
    def longs(n: Int) = {
      val values = new LongValues
      (0 until n).foreach(i => values.append(i.toLong))
      LeafColumn(values, null)
    }
    def lists(n: Int, each: Int, items: Column) =
      ListColumn(n, Array.tabulate(n + 1)(_ * each), items, null)
    val text = field("s", LogicalType.Utf8(large = false))
    val kib100 = 100 << 10
    // a page of short strings, then one of long ones
    val growing = strings(Seq.fill(5000)(20) ++ Seq.fill(40)(kib100): _*)
    assert(batchesOf(text, growing, pageRows = 5000) == Seq(4096, 906) ++ Seq.fill(19)(2))
    assert(batchesOf(text, strings(Seq.fill(7)(300000): _*)) == Seq.fill(7)(1))
    assert(batchesOf(text, strings(Seq.fill(9)(kib100): _*), isEarly = true) == Seq(2, 2, 2, 2, 1))
    val longLists = lists(20, 3, strings(Seq.fill(60)(kib100 / 2): _*))
    assert(batchesOf(list(text), longLists) == Seq.fill(20)(1))
    assert(batchesOf(list(text), longLists, pageRows = 7) == Seq.fill(20)(1))
    val struct = field("r", LogicalType.Struct, field("i", long), text)
    val members = StructColumn(4, IndexedSeq(longs(4), strings(Seq.fill(4)(kib100): _*)), null)
    assert(batchesOf(struct, members) == Seq(2, 2))
    assert(batchesOf(list(field("i", long)), lists(5000, 2, longs(10000))) == Seq(4096, 904))
    assert(batchesOf(field("i", long), longs(5000), pageRows = 10) == Seq(4096, 904))
  }

  /** Returns the rows of each batch when a field is read in batches of at most 4,096 rows.
    *
    * @param pageRows rows of each page of each column
    */
  private def batchesOf(
      field: Field,
      column: Column,
      pageRows: Int = Int.MaxValue,
      isEarly: Boolean = false
  ): Seq[Int] = {
    val numRows = column.numRows
    val writer = new ArrayFileWriter(plainRandom(pageRows), isEarly)
    val projection =
      writer.add(Schema(IndexedSeq(field)).withFreshIds.fields.head, column)
    val path = folder.resolve("batches.lance")
    Files.write(path, writer.file())
    val expected = rowsOf(column)
    val store = Storage.local.open(path.toString)
    Using.resource(DataFileReader.open(store, projection.columns, numRows.toLong)) { file =>
      val all = IndexedSeq(RowRange(0, numRows.toLong))
      Using.resource(file.read(IndexedSeq(projection), all)) { batches =>
        var row = 0
        val sizes = Seq.newBuilder[Int]
        while (batches.rowsAvailable > 0) {
          val n = math.min(batches.rowsAvailable, 4096)
          val found = ColumnRows(batches.read(n).head)
          (0 until n).foreach(i => assert(found(i) == expected(row + i), s"row ${row + i}"))
          sizes += n
          row += n
        }
        sizes.result()
      }
    }
  }

  test("one child of a struct in a list reads only its pages and the pages of its lists") {
    val path = golden("arrays_v2_0")
    val list = projections(path)(4)
    val item = list.field.children.head
    val columnOf = columnsOf(path)
    val field =
      list.field.copy(children = IndexedSeq(item.copy(children = IndexedSeq(item.children(1)))))
    val storage = new CountingStorage
    val found = read(
      path,
      IndexedSeq(FieldProjection(field, columnOf)),
      1000,
      Seq(RowRange(0, 1000)),
      budget = ReadBudget.default.copy(maxGapBytes = Some(0L)),
      store = storage
    )
    assert(found.length == 1000)
    val needed = Using.resource(Storage.local.open(path)) { r =>
      val metadata = DataFileMetadata.read(r, None)
      val y = item.children(1)
      val ids = Seq(list.field.id, y.id, y.children.head.id)
      ids.flatMap(id => metadata.column(columnOf(id).get).pages).map(_.sizeBytes).sum
    }
    assert(storage.bytesRead.get - spi.FileTail.numBytes == needed)
  }

  test("columns that contradict the table or each other are rejected") {
    val path = golden("small_v2_0")
    val fields = projections(path)
    val e = intercept[CorruptFileException](read(path, fields, 13, Seq(RowRange(0, 12))))
    assert(e.getMessage.contains("12 rows, but 13 are expected"))
    // The items of a list as a column of rows.
    val k = fields.head.copy(columnIndices = IndexedSeq(7))
    intercept[CorruptFileException](read(path, IndexedSeq(k), 12, Seq(RowRange(0, 12))))
  }

  test("decreasing list offsets are rejected, even in skipped rows") {
    // Ends 1, 9, 3, 4, 5, 6, 7, 8, 9: the second list overlaps the third.
    val offsets = Array(0, 1, 2, 3, 4, 5, 6, 7, 8, 9)
    val items = new LongValues
    (0 until 9).foreach(i => items.append(i.toLong))
    val field = Schema(IndexedSeq(
      Field(
        -1,
        "l",
        LogicalType.List(large = false, ofStruct = false),
        nullable = true,
        IndexedSeq(
          Field(-1, "item", LogicalType.Integer(64, signed = true), nullable = true)
        )
      )
    )).withFreshIds.fields.head
    val writer = new ArrayFileWriter(plainRandom())
    val projection = writer.add(field, ListColumn(9, offsets, LeafColumn(items, null), null))
    val bytes = writer.file()
    val plain = (1 to 9).flatMap(i => Seq[Byte](i.toByte, 0, 0, 0, 0, 0, 0, 0))
    val at = bytes.toSeq.indexOfSlice(plain)
    bytes(at + 8) = 9
    val path = folder.resolve("back.lance")
    Files.write(path, bytes)
    Seq(Seq(RowRange(0, 9)), Seq(RowRange(1, 2), RowRange(3, 4))).foreach { rows =>
      intercept[CorruptFileException](read(path.toString, IndexedSeq(projection), 9, rows))
    }
  }

  test("maps are rejected by name") {
    val path = golden("small_v2_0")
    val item = projections(path)(4).field.children.head
    val map = Field(70, "m", LogicalType.Map, nullable = true, IndexedSeq(item))
    val e = intercept[UnsupportedFeatureException](
      read(path, IndexedSeq(FieldProjection(map, columnsOf(path))), 12, Seq(RowRange(0, 1)))
    )
    assert(e.getMessage.contains("map in a file of version 2.0"))
  }

  test("the layout of the experimental writer is rejected by name") {
    val footer = Footer(100, 132, 140, 1, 2, FileVersion.V2_0).toBytes
    val e = intercept[UnsupportedFeatureException](Footer.parse(Buffer(footer), 400))
    assert(e.getMessage.contains("0.10.18"))
  }

  test("truncated files raise errors that name the file") {
    val whole = Files.readAllBytes(Paths.get(golden("small_v2_0")))
    val fields = projections(golden("small_v2_0"))
    val path = folder.resolve("cut.lance")
    whole.indices.by(13).foreach { length =>
      Files.write(path, whole.take(length))
      val e = intercept[LanceException](read(path.toString, fields, 12, Seq(RowRange(0, 12))))
      assert(e.place.path.contains(path.toString), e.getMessage)
    }
  }

  test("corrupt bytes anywhere return rows or raise Lance errors") {
    val whole = Files.readAllBytes(Paths.get(golden("small_v2_0")))
    val fields = projections(golden("small_v2_0"))
    val path = folder.resolve("damaged.lance")
    whole.indices.by(4).foreach { at =>
      val damaged = whole.clone()
      damaged(at) = (damaged(at) ^ Seq(0xff, 0x01, 0x80)(at / 4 % 3)).toByte
      Files.write(path, damaged)
      try read(path.toString, fields, 12, Seq(RowRange(0, 12))): Unit
      catch {
        case e: LanceException => assert(e.place.path.contains(path.toString), s"byte $at: $e")
      }
    }
  }

  test("changed bytes in files of any schema return rows or raise Lance errors") {
    forAll(Gen.long, Gen.choose(1, 60)) { (seed, numRows) =>
      val random = new Random(seed)
      val made = make(random, numRows, random.nextBoolean())
      val path = folder.resolve("damaged.lance")
      (1 to (if (TestRun.isLong) 20 else 7)).foreach { _ =>
        val damaged = made.bytes.clone()
        (0 to random.nextInt(3)).foreach { _ =>
          damaged(random.nextInt(damaged.length - 40)) = random.nextInt(256).toByte
        }
        Files.write(path, damaged)
        try read(path.toString, made.fields, numRows.toLong, someRanges(random, numRows)): Unit
        catch { case _: CorruptFileException | _: UnsupportedFeatureException => () }
      }
    }
  }
}

object ArrayFieldReaderSuite {

  /** Row i of the file `arrays_v2_0`, as written by `make_files.py`. */
  def arraysRow(i: Int): Seq[Any] = {
    def text(s: String): Any = s.getBytes("UTF-8").toSeq
    def float(x: Double): Any = java.lang.Float.floatToRawIntBits(x.toFloat)
    val word = if (i % 9 == 0) null else text(s"word ${i * 7 % 50}")
    Seq[Any](
      i.toLong,
      if (i % 5 == 0) null else text(s"text ${i * 31 % 1000}-$i"),
      word,
      Seq(if (i % 3 == 0) null else text(s"x$i"), (0 until i % 4).map(_.toShort)),
      if (i % 7 == 0) null
      else
        (0 until i % 4).map { j =>
          Seq(text(s"$i.$j"), if (j == 1) null else Seq(i.toShort, j.toShort))
        },
      if (i % 4 == 0) null
      else Seq(if (i % 6 == 1) null else float(i.toDouble), float(i + 0.5)),
      word,
      Seq[Any](i, Seq(float(i.toDouble), float(-1))),
      if (i % 2 == 0) (if (i % 3 == 0) 1 else 0).toByte else null,
      null
    )
  }

  private val packed = Map("packed" -> "true")

  private def fieldsOf(path: String): IndexedSeq[Field] = DataFileReaderSuite.schemaOf(path).fields

  /** Returns the columns of a file written by pylance: one per field, depth first, none below a
    * packed struct.
    */
  def columnsOf(path: String): Int => Option[Int] = {
    def visited(f: Field): IndexedSeq[Field] =
      if (f.isPacked) IndexedSeq(f) else f +: f.children.flatMap(visited)
    fieldsOf(path).flatMap(visited).map(_.id).zipWithIndex.toMap.get
  }

  def projections(path: String): IndexedSeq[FieldProjection] =
    fieldsOf(path).map(FieldProjection(_, columnsOf(path)))

  def read(
      path: String,
      fields: IndexedSeq[FieldProjection],
      numRows: Long,
      rows: Seq[RowRange],
      batch: Int = 1 << 20,
      budget: ReadBudget = ReadBudget.default,
      store: FileStore = Storage.local
  ): Seq[Seq[Any]] =
    Using.resource(DataFileReader.open(store.open(path), fields.flatMap(_.columns), numRows)) {
      file =>
        Using.resource(file.read(fields, rows.toIndexedSeq, budget))(DataFileReaderSuite.drain(
          _,
          batch
        ))
    }

  /** A file with the rows of its fields. */
  final case class Made(
      bytes: Array[Byte],
      fields: IndexedSeq[FieldProjection],
      rows: IndexedSeq[IndexedSeq[Any]]
  )

  def make(random: Random, numRows: Int, isEarly: Boolean): Made = {
    val writer = new ArrayFileWriter(random, isEarly)
    val columns = new RandomColumns(random)
    val fields =
      Schema((0 to random.nextInt(3)).map(i => field(s"f$i", 3, random))).withFreshIds.fields
    val data = fields.map(column(_, numRows, random, columns))
    val projections = fields.zip(data).map { case (f, c) => writer.add(f, c) }
    Made(writer.file(), projections, data.map(rowsOf))
  }

  private def rowsOf(column: Column): IndexedSeq[Any] = ColumnRows(structured(column))

  /** Converts nested values to nested columns, as returned by the reader. */
  private def structured(column: Column): Column = column match {
    case LeafColumn(values, validity) => LeafColumns(values, validity)
    case StructColumn(n, children, validity) => StructColumn(n, children.map(structured), validity)
    case l: ListColumn => l.copy(items = structured(l.items))
    case other => other
  }

  private def field(name: String, depth: Int, random: Random): Field = {
    import LogicalType._
    val plain = IndexedSeq[LogicalType](
      Bool,
      Integer(8, signed = true),
      Integer(16, signed = false),
      Integer(32, signed = true),
      Integer(64, signed = true),
      Double,
      Decimal(128, 20, 2),
      FixedSizeBinary(5)
    )
    def one = plain(random.nextInt(plain.length))
    random.nextInt(if (depth == 0) 5 else 10) match {
      case 0 => Field(-1, name, Utf8(large = false), nullable = true)
      case 1 => Field(-1, name, one, nullable = true)
      case 2 =>
        val inner = FixedSizeList(one, 1 + random.nextInt(9))
        val logicalType = if (random.nextBoolean()) inner else FixedSizeList(inner, 2)
        Field(-1, name, logicalType, nullable = true)
      case 3 =>
        val value = if (random.nextBoolean()) Utf8(large = false) else one
        Field(
          -1,
          name,
          Dictionary(value, Integer(32, signed = true), ordered = false),
          nullable = true
        )
      case 4 =>
        val children = (0 to random.nextInt(3)).map { i =>
          val item = plain.tail(random.nextInt(plain.length - 1))
          val logicalType = if (random.nextInt(3) == 0) FixedSizeList(item, 3) else item
          Field(-1, s"c$i", logicalType, nullable = false)
        }
        Field(-1, name, Struct, nullable = false, children, packed)
      case 5 | 6 =>
        val children = (0 to random.nextInt(3)).map(i => field(s"c$i", depth - 1, random))
        Field(-1, name, Struct, nullable = true, children)
      case _ =>
        val item = field("item", depth - 1, random)
        Field(
          -1,
          name,
          List(large = false, item.logicalType == Struct),
          nullable = true,
          IndexedSeq(item)
        )
    }
  }

  /** Returns a column without null structs. */
  private def column(field: Field, numRows: Int, random: Random, columns: RandomColumns): Column = {
    def validity(nullable: Boolean): Validity =
      if (!nullable || random.nextInt(3) == 0) null
      else {
        val share = if (random.nextInt(5) == 0) 1.0 else random.nextDouble()
        val v = new Validity
        (0 until numRows).foreach(_ => v.append(random.nextDouble() >= share))
        v
      }
    field.logicalType match {
      case LogicalType.Struct if field.isPacked =>
        val values = new PackedStructValues(field.children.map { child =>
          child.valueType match {
            case t @ FixedSizeListType(_, _) =>
              val lists = columns.values(t, numRows).asInstanceOf[FixedSizeListValues]
              lists.itemValidity = null
              lists
            case t => columns.values(t, numRows)
          }
        })
        values.extend(numRows)
        LeafColumn(values, null)
      case LogicalType.Struct =>
        StructColumn(numRows, field.children.map(column(_, numRows, random, columns)), null)
      case LogicalType.List(_, _) =>
        val v = validity(nullable = true)
        val longest = if (numRows > 1000) 3 else random.nextInt(9)
        val hidden = random.nextBoolean()
        val offsets = new Array[Int](numRows + 1)
        (0 until numRows).foreach { i =>
          val isNull = v != null && !v.isValid(i)
          offsets(i + 1) = offsets(i) + (if (isNull && !hidden) 0 else random.nextInt(longest + 1))
        }
        ListColumn(
          numRows,
          offsets,
          column(field.children.head, offsets(numRows), random, columns),
          v
        )
      case _ =>
        val values = columns.values(field.valueType, numRows)
        LeafColumn(values, validity(nullable = true))
    }
  }

  private def someRanges(random: Random, numRows: Int): Seq[RowRange] = {
    val cuts = Seq.fill(2 * (1 + random.nextInt(3)))(random.nextInt(numRows + 1).toLong).sorted
    cuts.grouped(2).map(c => RowRange(c(0), c(1))).toSeq
  }

  /** Always chooses plain encodings and pages of `pageRows` rows. */
  private def plainRandom(pageRows: Int = Int.MaxValue): Random = new Random {
    override def nextInt(n: Int): Int = math.min(n, pageRows) - 1
    override def nextBoolean(): Boolean = false
  }
}
