// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table

import scala.util.{Random, Using}

import org.scalatest.BeforeAndAfterAll
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core._
import io.github.pysparklance.file.metadata.{DataFileMetadata, FileVersion}
import io.github.pysparklance.file.scheduling.ReadBudget
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.scan.MetadataColumn.{RowAddr, RowOffset}
import io.github.pysparklance.table.scan.{FragmentReader, FragmentScan, MetadataColumn}
import io.github.pysparklance.testkit.{ColumnRows, CountingStorage}

/** Takes and projections read one tail per file, and the pages and chunks they need. Requests and
  * bytes are counted.
  */
class TakeSuite extends AnyFunSuite with BeforeAndAfterAll {
  import LogicalType._
  import TakeSuite._

  private val folder = java.nio.file.Files.createTempDirectory("take")
  private val rowsPerFragment = 20000
  private val long = Integer(64, signed = true)
  private val docBytes = 500
  private val vectorBytes = 512

  private val schema = Schema(IndexedSeq(
    Field(-1, "id", long, nullable = true),
    Field(-1, "text", Utf8(large = false), nullable = true),
    Field(-1, "doc", Binary(large = false), nullable = true),
    Field(-1, "vector", FixedSizeList(Float, vectorBytes / 4), nullable = true),
    Field(
      -1,
      "tags",
      List(large = false, ofStruct = false),
      nullable = true,
      IndexedSeq(Field(-1, "item", Integer(32, signed = true), nullable = true))
    ),
    Field(
      -1,
      "s",
      Struct,
      nullable = true,
      IndexedSeq(
        Field(-1, "a", long, nullable = true),
        Field(-1, "b", Binary(large = false), nullable = true)
      )
    )
  )).withFreshIds

  private def field(name: String): Field = schema.field(name).get

  /** Two fragments of random, incompressible values. */
  private lazy val table: LanceTable = {
    val path = folder.resolve("t").toString
    val fragments = IndexedSeq(1L, 2L).map { seed =>
      val random = new Random(seed)
      val writer = FragmentWriter.open(Storage.local, path, schema, FileVersion.V2_2)
      (0 until rowsPerFragment by 1000).foreach(_ => writer.write(columns(random, 1000), 1000))
      writer.finish()
    }
    LanceTable.create(Storage.local, path, schema, fragments)
  }

  private def columns(random: Random, n: Int): IndexedSeq[Column] = {
    def longs = {
      val v = new LongValues
      (0 until n).foreach(_ => v.append(random.nextLong()))
      LeafColumn(v, null)
    }
    def bytes(length: Int) = {
      val v = new BinaryValues
      (0 until n).foreach { _ =>
        val b = Array.fill(length)((random.nextInt(90) + 33).toByte)
        v.append(b, 0, length)
      }
      LeafColumn(v, null)
    }
    val floats = new IntValues
    (0 until n * vectorBytes / 4).foreach(_ =>
      floats.append(java.lang.Float.floatToRawIntBits(random.nextFloat()))
    )
    val tags = new IntValues
    val offsets = (0 to n).scanLeft(0)((at, _) => at + random.nextInt(4)).toArray
    (0 until offsets(n)).foreach(_ => tags.append(random.nextInt()))
    IndexedSeq(
      longs,
      bytes(24),
      bytes(docBytes),
      FixedSizeListColumn(n, vectorBytes / 4, LeafColumn(floats, null), null),
      ListColumn(n, offsets, LeafColumn(tags, null), null),
      StructColumn(n, IndexedSeq(longs, bytes(40)), null)
    )
  }

  override def afterAll(): Unit = {
    LanceTable.drop(Storage.local, folder.resolve("t").toString)
    super.afterAll()
  }

  private def read(
      fields: Seq[Field],
      selection: Option[RowSelection],
      index: Int = 0,
      metadata: Seq[MetadataColumn] = Nil,
      gapRows: Long = 0,
      budget: ReadBudget = ReadBudget.default
  ): Taken = {
    val storage = new CountingStorage
    val rows = RowRange(0, rowsPerFragment.toLong)
    val scan = FragmentScan(table, index, rows, selection, gapRows, metadata.toIndexedSeq)
    val found = Seq.newBuilder[Seq[Any]]
    val reader = FragmentReader.open(
      storage,
      scan,
      fields.toIndexedSeq,
      metadata.toIndexedSeq,
      1000,
      budget
    )
    Using.resource(reader) { r =>
      while (r.next()) {
        val values = r.columns.map(ColumnRows(_))
        val live = Option(r.live).fold(0 until r.numRows: Seq[Int])(_.toSeq)
        assert(live.length == r.numLive)
        live.foreach(i => found += values.map(_(i)))
      }
    }
    Taken(found.result(), storage.opens.get, storage.reads.get, storage.bytesRead.get)
  }

  private lazy val all: Map[String, IndexedSeq[Any]] = schema.fields.map { f =>
    f.name -> read(Seq(f), None).rows.map(_.head).toIndexedSeq
  }.toMap

  private def take(name: String, rows: Seq[Long], gapRows: Long = 0): Taken = {
    val taken = read(Seq(field(name)), Some(RowSelection.of(rows.toArray)), gapRows = gapRows)
    assert(taken.rows.map(_.head) == rows.sorted.map(r => all(name)(r.toInt)), name)
    taken
  }

  private val few = Seq(12345L, 7L, 19999L)

  test("a take of one row reads one tail, the page heads, and the bytes of one chunk or value") {
    // Requests and bytes after the tail: the head of the page, and one chunk or value.
    val limits = Seq(
      ("id", 2, 1L << 14),
      ("text", 2, 1L << 14),
      ("tags", 3, 1L << 15), // chunk table and repetition index
      ("doc", 2, docBytes + 4L + 8L),
      ("vector", 1, vectorBytes.toLong)
    )
    limits.foreach { case (name, reads, bytes) =>
      few.foreach { row =>
        val taken = take(name, Seq(row))
        assert(taken.opens == 1 && taken.reads <= 1 + reads, name)
        assert(taken.bytesBehindTail > 0 && taken.bytesBehindTail <= bytes, name)
      }
    }
  }

  test("a take of few rows makes at most one request per row, column, and page") {
    val taken = read(schema.fields, Some(RowSelection.of(few.toArray)))
    assert(taken.rows == few.sorted.map(r => schema.fields.map(f => all(f.name)(r.toInt))))
    // 7 leaves: at most a head and three windows each, some in shared reads.
    assert(taken.opens == 1 && taken.reads <= 1 + 7 * 4)
    val whole = table.fragments.head.files.head.fileSizeBytes
    assert(taken.bytesBehindTail < 250000 && taken.bytesBehindTail < whole / 50)
  }

  test("near rows share a request and are decoded together") {
    val near = (100L until 200L by 3).toSeq
    val apart = take("doc", near)
    val together = take("doc", near, gapRows = 2)
    assert(apart.reads <= 3 && together.reads <= 3)
    assert(together.bytesBehindTail <= 110L * (docBytes + 4 + 8))
    take("tags", near, gapRows = 2)
    take("s", near, gapRows = 1)
    take("text", (0L until 20000L by 77).toSeq, gapRows = 100): Unit
  }

  test("scattered rows of a fragment cost at most a full read") {
    val everywhere = (0L until rowsPerFragment by 50).toSeq
    Seq("id", "text", "tags").foreach { name =>
      val whole = read(Seq(field(name)), None)
      val some = take(name, everywhere, gapRows = 1023)
      assert(some.bytes <= whole.bytes && some.reads <= whole.reads + 1, name)
    }
    // Without the gaps, in pieces that share chunks: each chunk is read once.
    Seq("id", "text", "tags").foreach { name =>
      val whole = read(Seq(field(name)), None)
      val some = take(name, everywhere)
      assert(some.bytesBehindTail < whole.bytesBehindTail * 1.5, name)
    }
    val vectors = take("vector", everywhere)
    assert(vectors.bytesBehindTail <= everywhere.length * vectorBytes)
    val small = ReadBudget(1, 1, maxGapBytes = Some(0))
    val selection = Some(RowSelection.of(everywhere.toArray))
    val bounded = read(Seq(field("text")), selection, budget = small)
    assert(bounded.rows == everywhere.map(r => Seq(all("text")(r.toInt))))
  }

  test("a projection reads only its leaves, even below a struct") {
    val s = field("s")
    val whole = read(Seq(s), None)
    val a = read(Seq(s.copy(children = IndexedSeq(s.children.head))), None)
    assert(a.rows.map(_.head.asInstanceOf[Seq[Any]].head) ==
      all("s").map(_.asInstanceOf[Seq[Any]].head))
    val leaf = rowsPerFragment * 8L
    assert(a.bytesBehindTail >= leaf && a.bytesBehindTail < leaf + leaf / 10)
    assert(whole.bytesBehindTail > 5 * leaf)
  }

  test("metadata columns alone open no file, and an empty selection reads none") {
    val rows = RowSelection.of(Array(5L, 6L, 19999L))
    val taken = read(Nil, Some(rows), index = 1, metadata = Seq(RowAddr, RowOffset))
    assert(taken.rows == Seq(5L, 6L, 19999L).map(r => Seq((1L << 32) + r, 20000L + r)))
    assert(taken.opens == 0)
    val none = read(schema.fields, Some(RowSelection.empty))
    assert(none.rows.isEmpty && none.opens == 0)
    val mixed = read(Seq(field("id")), Some(rows), metadata = Seq(RowAddr))
    assert(mixed.rows == Seq(5, 6, 19999).map(r => Seq(all("id")(r), r.toLong)))
  }

  test("a full scan reads each page once, after one tail") {
    Seq("id", "text", "doc", "vector", "tags").foreach { name =>
      val whole = read(Seq(field(name)), None)
      val file = table.fragments.head.files.head
      val pages = Using.resource(Storage.local.open(table.pathOf(file))) { in =>
        val leaf = field(name).leaves.head.id
        DataFileMetadata.read(in, None).column(file.columnOf(leaf).get).pages
      }
      val wanted = pages.map(_.sizeBytes).sum
      assert(whole.bytesBehindTail >= wanted && whole.bytesBehindTail < wanted * 1.02, name)
      assert(whole.reads <= 1 + 3 * pages.length + wanted / (1 << 19), name)
    }
  }
}

private object TakeSuite {
  private val tailBytes = 64L << 10

  /** Rows of a fragment, and the reads they took. */
  final case class Taken(rows: Seq[Seq[Any]], opens: Int, reads: Int, bytes: Long) {
    def bytesBehindTail: Long = bytes - opens * tailBytes
  }
}
