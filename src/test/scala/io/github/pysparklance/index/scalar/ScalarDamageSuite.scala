// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.scalar

import scala.util.{Random, Using}

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core._
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.index.spi._
import io.github.pysparklance.storage.spi.TablePath
import io.github.pysparklance.testkit.{MemoryFiles, TestRun}

/** Damaged and hostile files of scalar indices raise Lance errors, or rows are found. */
class ScalarDamageSuite extends AnyFunSuite {
  import IndexWritersSuite._
  import ScalarDamageSuite._

  private val number = LogicalType.Integer(64, signed = true)
  private val words = LogicalType.Utf8(large = false)
  private val folder = new Folder(FileVersion.V2_1)

  private def field(t: LogicalType) = Field(7, "c", t, nullable = true)

  private def rows(key: Int => Key): IndexedSeq[Row] = (0 until 400).map { i =>
    Row(if (i % 9 == 0) None else Some(key(i)), (i / 100).toLong << 32 | i % 100, i % 7 != 0)
  }

  private def labels: IndexFiles = folder.write { into =>
    val lists = Field(
      7,
      "c",
      LogicalType.List(large = false, ofStruct = false),
      nullable = true,
      IndexedSeq(Field(8, "item", words, nullable = true))
    )
    val all =
      (0 until 400).map(i => Optional.when(i % 9 != 0)(Seq(Some(text(s"l${i % 20}")), None)))
    val ids = all.indices.map(_.toLong).toArray
    Using.resource(LabelList.builder(lists, parametersOf(LabelList, Map.empty), into)) { builder =>
      builder.add(new IndexBatch(listColumn(all, words), 0, ids, null, all.length))
      builder.finish()
    }
  }

  private def ofNumbers(kind: ScalarIndexKind) =
    folder.build(kind, field(number), rows(i => NumberKey((i % 50).toLong)))

  private def ofWords(kind: ScalarIndexKind) =
    folder.build(kind, field(words), rows(i => text(s"word${i % 50}")))

  private val all: Seq[(ScalarIndexKind, LogicalType, IndexFiles)] =
    Seq(BTree, Bitmap, ZoneMap, BloomFilter).flatMap { kind =>
      Seq((kind, number, ofNumbers(kind)), (kind, words, ofWords(kind)))
    } ++ Seq((NGram, words, ofWords(NGram)), (LabelList, words, labels))

  /** Evaluates all predicates and reads all rows. Returns the number of rows found. */
  private def read(kind: ScalarIndexKind, t: LogicalType, files: IndexFiles): Long = {
    val segment = kind.open(files)
    val keyType = KeyType.of(t).get
    val point = KeyRange.point(if (t == words) text("word7") else NumberKey(7))
    val predicates = Seq(
      IndexPredicate.IsNull,
      IndexPredicate.Within(KeyRanges.of(Seq(point)), keyType),
      IndexPredicate.Within(KeyRanges.of(Seq(KeyRange.all)), keyType),
      IndexPredicate.Contains("word1"),
      IndexPredicate.HasAny(KeyRanges.of(Seq(KeyRange.point(text("l7")))))
    )
    val found = predicates.map { predicate =>
      segment.size(files, predicate)
      segment.evaluate(files, predicate) match {
        case Some(exact: SegmentResult.Exact) => exact.trues.numRows + exact.nulls.numRows
        case Some(SegmentResult.Trues(rows)) => rows.numRows
        case Some(SegmentResult.AtMost(rows)) => rows.numRows
        case None => 0L
      }
    }.sum
    segment match {
      case ordered: OrderedSegment =>
        ordered.rows(files, isAscending = true, nullsFirst = true).foreach(_ => ())
        ordered.entries(files, isAscending = false).foreach(_ => ())
      case keyed: KeyedSegment => keyed.keys(files, isAscending = true).foreach(_ => ())
      case zoned: ZonedSegment => zoned.zonesOf.foreach(_ => ())
      case _ => ()
    }
    found
  }

  /** Also merges the segment, which reads its files in another way. */
  private def readAndMerge(kind: ScalarIndexKind, t: LogicalType, files: IndexFiles): Long = {
    val found = read(kind, t, files)
    if (kind != LabelList)
      folder.merge(kind, field(t), Seq(SegmentSource(files, RowTransfer.All))): Unit
    found
  }

  private def foreachFile(test: (IndexedSeq[Byte], IndexedSeq[Byte] => Long) => Unit): Unit =
    all.foreach { case (kind, t, files) =>
      assert(readAndMerge(kind, t, files) > 0)
      files.names.foreach { file =>
        withClue(s"${kind.name} on ${LogicalType.text(t)}, $file: ") {
          val whole = folder.bytes(files, file)
          test(whole, bytes => readAndMerge(kind, t, folder.changed(files, file, bytes)))
        }
      }
    }

  test("cut files of all kinds are rejected") {
    val random = new Random(1)
    foreachFile { (whole, read) =>
      val ends = Seq(0, 1, 8, 40, whole.length - 1) ++ Seq.fill(20)(random.nextInt(whole.length))
      ends.foreach { end =>
        withClue(s"$end bytes: ")(intercept[LanceException](read(whole.take(end))))
      }
    }
  }

  test("files of all kinds with changed bytes are rejected, or rows are found") {
    val random = new Random(2)
    foreachFile { (whole, read) =>
      (0 until (if (TestRun.isLong) 300 else 40)).foreach { _ =>
        val at = random.nextInt(whole.length)
        val count = 1 + random.nextInt(4)
        val damaged = whole.zipWithIndex.map { case (b, i) =>
          if (i >= at && i < at + count) random.nextInt().toByte else b
        }
        withClue(s"byte $at: ") {
          try read(damaged): Unit
          catch { case _: LanceException => }
        }
      }
    }
  }

  /** A BTREE index with a lookup file of its own.
    *
    * @param pages numbers of the pages, which all have any value
    */
  private def lookup(batchSize: Long, pages: Seq[Int]): IndexFiles = folder.write { into =>
    val parameters = parametersOf(BTree, Map("zone_size" -> "4"))
    Using.resource(BTree.writer(field(number), parameters, None, into)) { writer =>
      val blocks = sortedBlocks(number, rows(i => NumberKey(i.toLong)), IndexedSeq.empty)
      writer.write(blocks.head)
    }
    val fields = Seq("min", "max").map(Field(0, _, number, nullable = true)) ++
      Seq("null_count", "page_idx").map(NewSegment.unsigned(_, 32))
    Using.resource(into.create("page_lookup.lance", fields.toIndexedSeq)) { file =>
      val keys = Seq(0L, 1000L).map { bound =>
        val column = new KeyColumn(number, KeyType.of(number).get)
        pages.foreach(_ => column.append(Some(NumberKey(bound))))
        column.column
      }
      val (nulls, numbers) = (new IntValues, new IntValues)
      pages.foreach { page =>
        nulls.append(1)
        numbers.append(page)
      }
      val counts = Seq(nulls, numbers).map(LeafColumn(_, null))
      file.write((keys ++ counts).toIndexedSeq, pages.length)
      file.describe("batch_size", batchSize.toString)
      into.finish("page_lookup.lance", file)
    }
  }

  test("pages of a BTREE index that overflow or share rows are corrupt") {
    assert(read(BTree, number, lookup(4, Seq(0, 1, 2))) > 0)
    for (
      (size, pages) <- Seq(
        Long.MaxValue -> Seq(1),
        Long.MaxValue -> Seq(2),
        (1L << 62) -> Seq(2),
        (1L << 62) -> Seq(3),
        4L -> Seq(0, 0),
        4L -> Seq(1, 0, 1),
        4L -> Seq(5000)
      )
    ) withClue(s"pages $pages of $size rows: ") {
      intercept[CorruptFileException](read(BTree, number, lookup(size, pages)))
    }
  }

  test("a file of a few bytes that claims millions of equal rows is rejected") {
    val files = new Folder(FileVersion.V2_2).write { into =>
      Using.resource(into.create("many.lance", IndexedSeq(NewSegment.unsigned("x", 32)))) { file =>
        val zeros = new IntValues
        zeros.extend(1 << 20): Unit
        (0 until 16).foreach(_ => file.write(IndexedSeq(LeafColumn(zeros, null)), zeros.numItems))
        into.finish("many.lance", file)
      }
    }
    val e = intercept[CorruptFileException](files.open("many.lance"))
    assert(e.getMessage.contains("16777216 rows") && e.getMessage.contains("many.lance"))
  }
}

private object ScalarDamageSuite {

  implicit final class FolderFiles(folder: IndexWritersSuite.Folder) {

    def bytes(files: IndexFiles, name: String): IndexedSeq[Byte] =
      folder.snapshot(s"${files.path}/$name")

    /** Returns a segment with another content of a file. */
    def changed(files: IndexFiles, name: String, content: IndexedSeq[Byte]): IndexFiles = {
      val its = files.names.iterator.map(n => s"${files.path}/$n" -> bytes(files, n)).toMap
      val store = new MemoryFiles(its.updated(s"${files.path}/$name", content))
      new IndexFiles(store, TablePath(files.path), files.details, files.version, Map.empty)
    }
  }
}
