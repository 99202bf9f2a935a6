// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.v0_1

import java.nio.file.{Files, Path, Paths}

import scala.util.{Random, Using}

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core._
import io.github.pysparklance.file.DataFiles
import io.github.pysparklance.file.metadata.FieldMessages
import io.github.pysparklance.file.scheduling.ReadBudget
import io.github.pysparklance.file.spi._
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.testkit.{ColumnRows, CountingStorage, TemporaryFolder}

class LegacyFileReaderSuite extends AnyFunSuite with TemporaryFolder {
  import LegacyFileReaderSuite._

  test(
    "every kind of page of a pylance file; only strings, binaries, and the null type keep nulls"
  ) {
    assert(schema.fields.map(_.name) ==
      Seq("k", "flag", "name", "must", "tags", "deep", "big", "vec", "bits", "kind", "code") ++
      Seq("nothing", "s", "score"))
    val found = read(schema.fields, Seq(RowRange(0, numRows)))
    found.indices.foreach(i => assert(found(i) == row(i), s"row $i"))
    assert(found.length == numRows)
  }

  test("row ranges, batches of any size, windows of any size") {
    val all = (0 until numRows).map(row)
    val ranges = Seq(
      Seq(RowRange(0, numRows)),
      Seq(RowRange(0, 0), RowRange(99, 101)),
      Seq(RowRange(249, 250)),
      Seq(RowRange(5, 6), RowRange(6, 7), RowRange(90, 210), RowRange(230, 250)),
      (0 until numRows by 37).map(i => RowRange(i.toLong, i + 1L))
    )
    for {
      rows <- ranges
      batch <- Seq(1 << 20, 33, 7, 1)
      windowBytes <- Seq(1L << 20, 1000L, 100L, 1L)
    } withClue(s"$rows $batch $windowBytes: ") {
      val expected = rows.flatMap(r => all.slice(r.from.toInt, r.until.toInt))
      assert(read(schema.fields, rows, batch, windowBytes) == expected)
    }
  }

  test("one field alone, in any order, twice, and none") {
    val random = new Random(1)
    for (_ <- 0 until 50) {
      val picked = Seq.fill(random.nextInt(4))(random.nextInt(schema.fields.length))
      val from = random.nextInt(numRows)
      val until = from + random.nextInt(numRows - from + 1)
      val found =
        read(picked.map(schema.fields).toIndexedSeq, Seq(RowRange(from.toLong, until.toLong)))
      assert(found == (from until until).map(i => picked.map(row(i))))
    }
  }

  test("fields missing in the file are null, even inside a struct and a list") {
    val later = Field(90, "later", LogicalType.Double, nullable = true)
    val Some(s) = schema.field("s"): @unchecked
    val Some(deep) = schema.field("deep"): @unchecked
    val item = deep.children.head
    val found = read(
      IndexedSeq(
        later,
        s.copy(children = IndexedSeq(later, s.children.head)),
        deep.copy(children = IndexedSeq(item.copy(children = later +: item.children.drop(1))))
      ),
      Seq(RowRange(0, numRows))
    )
    found.indices.foreach { i =>
      val Seq(a, _) = row(i)(12).asInstanceOf[Seq[Any]]: @unchecked
      val items = row(i)(5).asInstanceOf[Seq[Seq[Any]]].map(x => Seq(null, x(1)))
      assert(found(i) == Seq(null, Seq(null, a), items), s"row $i")
    }
  }

  test("a struct marked as packed is read like any other") {
    val Some(s) = schema.field("s"): @unchecked
    val packed = s.copy(metadata = Map("packed" -> "true"))
    val found = read(IndexedSeq(packed), Seq(RowRange(0, numRows)))
    assert(found == (0 until numRows).map(i => Seq(row(i)(12))))
  }

  test("a field marked as replaced in the manifest does not shift the field ids of the file") {
    val marked = fieldIds.map(id => if (id == 0) -2 else id)
    val found = read(schema.fields.slice(2, 3), Seq(RowRange(0, numRows)), ids = marked)
    assert(found == (0 until numRows).map(i => Seq(row(i)(2))))
  }

  test(
    "one read of the tail, then the projected pages: two steps for strings, one batch for a row"
  ) {
    val storage = new CountingStorage
    read(schema.fields.take(1), Seq(RowRange(150, 151)), store = storage)
    assert(storage.reads.get == 2, "the tail, the value")
    // 8 bytes of the value; the tail contains the tables.
    assert(storage.bytesRead.get == math.min(fileSize, FileTail.numBytes.toLong) + 8)
    val strings = new CountingStorage
    read(schema.fields.slice(2, 3), Seq(RowRange(152, 154)), store = strings)
    assert(strings.reads.get == 3, "the tail, three offsets, the values")
    assert(strings.bytesRead.get == math.min(fileSize, FileTail.numBytes.toLong) + 24 + 8)
  }

  test("a full scan merges near pages of several batches into few requests") {
    val storage = new CountingStorage
    read(schema.fields, Seq(RowRange(0, numRows)), store = storage)
    // The tail; values and offsets; strings at these offsets; strings in lists of structs of lists.
    assert(storage.reads.get <= 1 + 3 + 4, storage.reads.get)
  }

  test("a wrong number of rows, rows out of range, and batches that are too large are rejected") {
    val e = intercept[CorruptFileException](open(Storage.local, 249L))
    assert(e.getMessage.contains(path) && e.getMessage.contains("250 rows, but 249 are expected"))
    Using.resource(open(Storage.local)) { file =>
      val k = IndexedSeq(projection(schema.fields.head))
      intercept[InvalidRequestException](file.read(k, IndexedSeq(RowRange(0, 251))))
      intercept[InvalidRequestException](file.read(k, IndexedSeq(RowRange(5, 6), RowRange(5, 7))))
      val rows = file.read(k, IndexedSeq(RowRange(0, 3)))
      intercept[InvalidRequestException](rows.read(4))
      intercept[InvalidRequestException](rows.read(0))
      assert(rows.rowsAvailable == 3)
    }
  }

  test("types without pages in this version are rejected by name") {
    Using.resource(open(Storage.local)) { file =>
      val map = schema.fields(5).copy(logicalType = LogicalType.Map)
      val e = intercept[UnsupportedFeatureException] {
        file.read(IndexedSeq(projection(map)), IndexedSeq(RowRange(0, 1)))
      }
      assert(e.getMessage.contains("map") && e.getMessage.contains("0.1"))
    }
  }

  test("statistics of batches: none where nulls read as values, no maximum of floats") {
    Using.resource(open(Storage.local)) { file =>
      def bounds(name: String) = file.statistics(schema.field(name).get.id)
      def slots(column: Column) = ColumnRows(column)
      val Some(k) = bounds("k"): @unchecked
      assert(k.runs == Seq(RowRange(0, 100), RowRange(100, 200), RowRange(200, 250)))
      // The second batch has nulls, which read as 0.
      assert(slots(k.min) == Seq[Any](0L, null, 200L) && slots(k.max) == Seq[Any](99L, null, 249L))
      val Some(name) = bounds("name"): @unchecked
      assert(slots(name.max) == Seq("n099", "n199", "n249").map(text))
      val Some(score) = bounds("score"): @unchecked
      assert(slots(score.max) == Seq(null, null, null))
      assert(slots(score.min).drop(1) == Seq(50.0, 100.0).map(bits))
      assert(bounds("vec").isEmpty && bounds("tags").isEmpty && bounds("kind").isEmpty)
      assert(file.statistics(1000).isEmpty)
    }
  }

  test("files truncated anywhere raise errors that name the file") {
    val whole = Files.readAllBytes(Paths.get(path))
    val cut = folder.resolve("cut.lance")
    (whole.indices by 61).foreach { length =>
      Files.write(cut, whole.take(length))
      val e = intercept[LanceException](readFile(cut))
      assert(e.place.path.contains(cut.toString), e.getMessage)
    }
  }

  test("corrupt bytes anywhere return rows or raise Lance errors") {
    val whole = Files.readAllBytes(Paths.get(path))
    val damaged = folder.resolve("damaged.lance")
    val random = new Random(7)
    // The tables are at the end.
    val positions = (0 until 400).map(_ => random.nextInt(whole.length)) ++
      (0 until 800).map(_ => whole.length - 1 - random.nextInt(12000))
    var rejected = 0
    positions.foreach { at =>
      val bytes = whole.clone()
      bytes(at) = (bytes(at) ^ (1 + random.nextInt(255))).toByte
      if (random.nextBoolean()) bytes(math.max(0, at - 1)) = random.nextInt(256).toByte
      Files.write(damaged, bytes)
      try readFile(damaged): Unit
      catch {
        case e: LanceException =>
          rejected += 1
          assert(e.place.path.contains(damaged.toString), s"byte $at: $e")
      }
    }
    assert(rejected > 100, rejected)
  }

  private def readFile(file: Path): Unit = {
    read(schema.fields, Seq(RowRange(0, numRows)), batch = 64, file = file.toString)
    Using.resource(open(Storage.local, file = file.toString)) { f =>
      schema.fields.foreach(field => f.statistics(field.id))
    }
  }
}

private object LegacyFileReaderSuite {
  val numRows = 250

  val path: String =
    Paths.get(getClass.getResource("/golden/files/legacy_v0_1.lance").toURI).toString

  val fileSize: Long = Files.size(Paths.get(path))

  val schema: Schema = Using.resource(Storage.local.open(path)) { reader =>
    FieldMessages.toSchema(FileTail.of(reader)(Metadata.read).fields.get, Map.empty)
  }

  val fieldIds: IndexedSeq[Int] = schema.flatten.map(_.id)

  def text(s: String): Any = s.getBytes("UTF-8").toSeq

  def bits(x: Double): Any = java.lang.Double.doubleToRawLongBits(x)

  /** Row i of the file, as written by `make_files.py` and read by pylance. */
  def row(i: Int): Seq[Any] = {
    def float(x: Double): Any = java.lang.Float.floatToRawIntBits(x.toFloat)
    def flag(b: Boolean): Any = (if (b) 1 else 0).toByte
    val isNull = i % 50 == 9
    val c = Seq.fill(i % 3)((i % 7).toByte)
    Seq[Any](
      if (i >= 100 && i < 200 && i % 10 == 3) 0L else i.toLong,
      flag(i % 3 == 0),
      if (i % 5 <= 1) null else text(f"n$i%03d"),
      text(if (i % 4 == 0) "" else s"m$i"),
      if (i % 7 == 0) Seq() else Seq.fill(i % 3)(text(s"t$i")),
      if (i % 6 == 5) Seq()
      else (0 until i % 4).map(k => Seq((0 until k).map(_.toShort), text(s"y$i$k"))),
      Seq.fill(i % 2)(bits(i + 0.5)),
      Seq(float(i.toDouble), float((-i).toDouble), float(0.25)),
      (0 until 5).map(k => flag((i >> k) % 2 == 1)),
      Seq(text("aa"), null, text("b"))(i % 3),
      10L * (i * i % 4 + 1),
      null,
      Seq[Any](
        if (isNull) 0.toByte else (i % 100).toByte,
        Seq(if (isNull || c.isEmpty) null else c)
      ),
      if (i == 7) bits(Double.NaN) else bits(i / 2.0)
    )
  }

  def projection(field: Field): FieldProjection =
    FieldProjection(field, id => Some(fieldIds.indexOf(id)).filter(_ >= 0))

  def open(
      store: FileStore,
      rows: Long = numRows.toLong,
      ids: IndexedSeq[Int] = fieldIds,
      file: String = path
  ): FileReader = DataFiles.open(store.open(file), ids, Nil, rows)

  def read(
      fields: IndexedSeq[Field],
      rows: Seq[RowRange],
      batch: Int = 1 << 20,
      windowBytes: Long = 1L << 20,
      store: FileStore = Storage.local,
      ids: IndexedSeq[Int] = fieldIds,
      file: String = path
  ): Seq[Seq[Any]] =
    Using.resource(open(store, ids = ids, file = file)) { opened =>
      val budget = ReadBudget(Long.MaxValue, windowBytes, minWindowBytes = 1)
      Place.in(Place(path = Some(file))) {
        Using.resource(opened.read(fields.map(projection), rows.toIndexedSeq, budget))(
          drain(_, batch)
        )
      }
    }

  private def drain(reader: RowReader, batch: Int): Seq[Seq[Any]] = {
    val rows = Seq.newBuilder[Seq[Any]]
    var available = reader.rowsAvailable
    while (available > 0) {
      val n = math.min(available, batch)
      val columns = reader.read(n).map(ColumnRows(_))
      (0 until n).foreach(i => rows += columns.map(_(i)))
      available = reader.rowsAvailable
    }
    rows.result()
  }
}
