// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.scalar

import scala.util.{Random, Using}

import org.scalatest.Assertion
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

  /** An entry of a lookup file. */
  private case class Entry(min: Option[Key], max: Option[Key], numNulls: Int, page: Int)
  private type Entries = IndexedSeq[Entry]

  private val pageRows = 4

  /** A BTREE index whose files do not match.
    *
    * @param batchSize rows per page, according to the lookup file
    * @param change changes the entries of the lookup file
    * @param swapped number of a row whose values are swapped with the values of the next row
    */
  private def mismatched(
      change: Entries => Entries,
      batchSize: Long = pageRows.toLong,
      swapped: Option[Int] = None
  ): IndexFiles = folder.write { into =>
    val all = entries(rows(i => NumberKey(i.toLong))).toIndexedSeq
    val stored = swapped.fold(all)(i => all.updated(i, all(i + 1)).updated(i + 1, all(i)))
    Using.resource(into.create("page_data.lance", BTree.dataFields(number))) { file =>
      val ids = new LongValues
      stored.foreach { case (_, id) => ids.append(id) }
      file.write(IndexedSeq(keys(stored.map(_._1)), LeafColumn(ids, null)), stored.length)
      into.finish("page_data.lance", file)
    }
    val pages = change(all.map(_._1).grouped(pageRows).zipWithIndex.map { case (page, i) =>
      Entry(page.head, page.last, page.count(_.isEmpty), i)
    }.toIndexedSeq)
    val fields = Seq("min", "max").map(Field(0, _, number, nullable = true)) ++
      Seq("null_count", "page_idx").map(NewSegment.unsigned(_, 32))
    Using.resource(into.create("page_lookup.lance", fields.toIndexedSeq)) { file =>
      val (nulls, numbers) = (new IntValues, new IntValues)
      pages.foreach { page =>
        nulls.append(page.numNulls)
        numbers.append(page.page)
      }
      val counts = Seq(nulls, numbers).map(LeafColumn(_, null))
      file.write(
        IndexedSeq(keys(pages.map(_.min)), keys(pages.map(_.max))) ++ counts,
        pages.length
      )
      file.describe("batch_size", batchSize.toString)
      into.finish("page_lookup.lance", file)
    }
  }

  private def keys(values: Seq[Option[Key]]): Column = {
    val column = new KeyColumn(number, KeyType.of(number).get)
    values.foreach(column.append)
    column.column
  }

  private def merged(files: IndexFiles): IndexFiles =
    folder.merge(BTree, field(number), Seq(SegmentSource(files, RowTransfer.All)))

  /** Changes the entry of a page. */
  private def at(i: Int)(change: Entry => Entry): Entries => Entries =
    pages => pages.updated(i, change(pages(i)))

  private def moved(key: Option[Key], by: Long): Option[Key] = key.map {
    case NumberKey(n) => NumberKey(n + by)
    case other => other
  }

  test("pages of a BTREE index that overflow or share rows are corrupt") {
    val intact = mismatched(identity)
    assert(read(BTree, number, intact) > 0 && read(BTree, number, merged(intact)) > 0)
    for (
      (size, page) <- Seq(
        Long.MaxValue -> 1,
        Long.MaxValue -> 2,
        (1L << 62) -> 2,
        (1L << 62) -> 3,
        4L -> 0,
        4L -> 20,
        4L -> 5000
      )
    ) withClue(s"page $page of $size rows: ") {
      val damaged = mismatched(at(30)(_.copy(page = page)), size)
      intercept[CorruptFileException](read(BTree, number, damaged))
      intercept[CorruptFileException](merged(damaged))
    }
  }

  test("pages of a BTREE index that contradict their lookup entries are corrupt") {
    // Pages of nulls, a page of nulls and values, pages of values, and a page of two rows.
    val all = entries(rows(i => NumberKey(i.toLong))).map(_._1).grouped(pageRows).toIndexedSeq
    val mixed = all.indexWhere(_.exists(_.isDefined))
    assert(mixed > 1 && all(mixed).exists(_.isEmpty) && all.last.length < pageRows)
    val changes = Seq[(String, Entries => Entries)](
      "a greater minimum" -> at(40)(e => e.copy(min = moved(e.min, 1))),
      "a smaller minimum" -> at(40)(e => e.copy(min = moved(e.min, -1))),
      "a greater maximum" -> at(40)(e => e.copy(max = moved(e.max, 1))),
      "a smaller maximum" -> at(40)(e => e.copy(max = moved(e.max, -1))),
      "a minimum of nulls and values" -> at(mixed)(e => e.copy(min = Some(NumberKey(0)))),
      "no maximum" -> at(mixed)(_.copy(max = None)),
      "no maximum of values" -> at(40)(_.copy(min = None, max = None)),
      "a maximum of nulls" -> at(mixed - 1)(_.copy(max = Some(NumberKey(-5)))),
      "more nulls" -> at(mixed)(e => e.copy(numNulls = e.numNulls + 1)),
      "fewer nulls" -> at(mixed)(e => e.copy(numNulls = e.numNulls - 1)),
      "no nulls" -> at(mixed)(_.copy(numNulls = 0)),
      "nulls among values" -> at(40)(_.copy(numNulls = 1)),
      "nulls that are not counted" -> at(0)(_.copy(numNulls = 0)),
      "another order" -> ((p: Entries) => p.updated(40, p(41)).updated(41, p(40))),
      "nulls last" -> ((p: Entries) => p.drop(mixed - 1) ++ p.take(mixed - 1)),
      "exchanged pages" ->
        at(40)(_.copy(page = 41)).andThen(at(41)(_.copy(page = 40))),
      "a page twice" -> at(41)(_.copy(page = 40)),
      "a missing page" -> ((p: Entries) => p.patch(40, Nil, 1)),
      "a missing last page" -> ((p: Entries) => p.init)
    )
    changes.foreach { case (what, change) =>
      withClue(s"$what: ") {
        val damaged = mismatched(change)
        intercept[CorruptFileException](read(BTree, number, damaged))
        intercept[CorruptFileException](merged(damaged))
      }
    }
    // Within a page, between two pages, and a null after a value.
    val lastNull = all.flatten.lastIndexOf(None)
    for (row <- Seq(40 * pageRows + 1, 41 * pageRows - 1, lastNull))
      withClue(s"row $row: ") {
        val damaged = mismatched(identity, swapped = Some(row))
        intercept[CorruptFileException](read(BTree, number, damaged))
        intercept[CorruptFileException](merged(damaged))
      }
  }

  test("a BTREE lookup file with changed bytes is rejected, or all nulls and values are found") {
    val random = new Random(TestRun.seed)
    val intact = ofNumbers(BTree)
    val whole = folder.bytes(intact, "page_lookup.lance")
    val live = rows(i => NumberKey((i % 50).toLong)).filter(_.isLive)
    def ids(of: Row => Boolean): Set[Long] = live.filter(of).map(_.id).toSet
    val keyType = KeyType.of(number).get
    def found(files: IndexFiles, predicate: IndexPredicate): Set[Long] =
      BTree.open(files).evaluate(files, predicate) match {
        case Some(exact: SegmentResult.Exact) =>
          val all = Set.newBuilder[Long]
          exact.trues.foreach(all += _)
          all.result()
        case other => fail(s"not exact: $other")
      }
    def within(range: KeyRange) = IndexPredicate.Within(KeyRanges.of(Seq(range)), keyType)
    val (point, every) = (within(KeyRange.point(NumberKey(7))), within(KeyRange.all))
    def check(files: IndexFiles): Assertion = {
      assert(found(files, IndexPredicate.IsNull) == ids(_.key.isEmpty))
      assert(found(files, every) == ids(_.key.isDefined))
      // The values of a page are not read if it lies within the range, or outside of it. So with a
      // damaged minimum or maximum, other rows can be found. Scans evaluate conditions again.
      assert(found(files, point).subsetOf(ids(_.key.isDefined)))
    }
    check(intact)
    assert(found(intact, point) == ids(_.key.contains(NumberKey(7))))
    var numRejected = 0
    val runs = if (TestRun.isLong) 3000 else 300
    (0 until runs).foreach { _ =>
      val from = random.nextInt(whole.length)
      val damaged = whole.zipWithIndex.map { case (b, i) =>
        if (i >= from && i < from + 2) random.nextInt().toByte else b
      }
      withClue(s"byte $from: ") {
        try check(folder.changed(intact, "page_lookup.lance", damaged)): Unit
        catch { case _: LanceException => numRejected += 1 }
      }
    }
    assert(numRejected > runs / 10)
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
