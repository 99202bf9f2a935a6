// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.scalar

import scala.util.Using

import org.scalacheck.Gen
import org.scalatest.Assertion
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core._
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.index.postings.KeyedLists
import io.github.pysparklance.index.sorting._
import io.github.pysparklance.index.spi._
import io.github.pysparklance.storage.spi.TablePath
import io.github.pysparklance.testkit.{MemoryFiles, PropertyChecks}

/** Built and merged segments return the matching rows, for any values and deleted rows.
  */
class IndexWritersSuite extends AnyFunSuite with PropertyChecks {
  import IndexWritersSuite._

  private val types: Seq[LogicalType] = {
    import LogicalType._
    Seq(
      Bool,
      Integer(8, signed = true),
      Integer(32, signed = true),
      Integer(64, signed = true),
      Integer(64, signed = false),
      Float,
      Double,
      HalfFloat,
      Date32,
      Timestamp(Microsecond, None),
      Decimal(128, 20, 2),
      Utf8(large = false),
      Binary(large = true)
    )
  }

  private def rows(t: LogicalType): Gen[IndexedSeq[Row]] = for {
    pool <- Gen.nonEmptyListOf(key(t))
    all <- Gen.listOf(Gen.zip(Gen.option(Gen.oneOf(pool)), Gen.frequency(5 -> true, 1 -> false)))
    perFragment <- Gen.choose(1, 30)
  } yield all.toIndexedSeq.zipWithIndex.map { case ((value, isLive), i) =>
    Row(value, (i / perFragment).toLong * 3 << 32 | i % perFragment, isLive)
  }

  private val field = (t: LogicalType) => Field(7, "c", t, nullable = true)

  for {
    kind <- Seq(BTree, Bitmap, ZoneMap, BloomFilter)
    t <- types if kind.supports(field(t))
    version <- Seq(FileVersion.V2_0, FileVersion.V2_2)
  } test(s"${kind.name} on ${LogicalType.text(t)} in files of version ${version.text}") {
    forAll(rows(t), rows(t), Gen.listOf(key(t)), minSuccessful(15)) { (some, more, probes) =>
      val moved = more.map(r => r.copy(id = r.id + (1L << 40)))
      val folder = new Folder(version)
      val first = folder.build(kind, field(t), some)
      check(kind, t, first, some, probes)
      val second = folder.build(kind, field(t), moved)
      val merged =
        folder.merge(kind, field(t), Seq(first, second).map(SegmentSource(_, RowTransfer.All)))
      check(kind, t, merged, some ++ moved, probes)
      val fragment = some.headOption.fold(0L)(_.id >>> 32)
      val kept = folder.merge(kind, field(t), Seq(SegmentSource(merged, Without(fragment))))
      check(kind, t, kept, (some ++ moved).filter(_.id >>> 32 != fragment), probes)
    }
  }

  test("a BTREE index in several ranges") {
    val t = LogicalType.Integer(32, signed = true)
    forAll(rows(t), Gen.listOf(key(t)), Gen.choose(1, 7), minSuccessful(30)) {
      (all, probes, rowsPerRange) =>
        val folder = new Folder(FileVersion.V2_1)
        val built = folder.write { into =>
          val parameters = parametersOf(BTree, Map("zone_size" -> "3"))
          val bounds = entries(all).grouped(rowsPerRange).map(_.head).drop(1)
          val blocks =
            sortedBlocks(t, all, bounds.map { case (key, id) => EntryBound(key, id) }.toIndexedSeq)
          val ranges = blocks.zipWithIndex.map { case (block, i) =>
            Using.resource(BTree.writer(field(t), parameters, Some(i * 5L + 1), into))(
              _.write(block)
            )
          }
          BTree.writeLookup(field(t), parameters, ranges, into)
        }
        check(BTree, t, built, all, probes)
        val merged = folder.merge(BTree, field(t), Seq(SegmentSource(built, RowTransfer.All)))
        check(BTree, t, merged, all, probes)
    }
  }

  test("postings larger than the memory") {
    val t = LogicalType.Utf8(large = false)
    forAll(rows(t), Gen.listOf(key(t)), minSuccessful(30)) { (all, probes) =>
      val folder = new Folder(FileVersion.V2_2)
      val built = folder.write { into =>
        val lists = KeyedLists(isNumber = false)
        Using.resource(new PostingRuns(KeyedRows.file(t), lists, into, maxBytes = 400)) { runs =>
          val keys = KeyType.of(t).get.keys(batch(t, all).values)
          val slot = new KeySlot
          all.indices.filter(all(_).isLive).foreach { i =>
            if (keys.isNull(i)) lists.ofNull.add(all(i).id)
            else {
              keys.read(i, slot)
              lists.of(slot).add(all(i).id)
            }
            runs.spillIfFull()
          }
          runs.finish()
        }
      }
      assert(built.names == Set(KeyedRows.fileName))
      check(Bitmap, t, built, all, probes)
    }
  }

  test("BITMAP estimates the rows and runs of a result") {
    val t = LogicalType.Integer(32, signed = true)
    val number = 20000
    def size(value: Int => Int, below: Int): ResultSize = {
      val rows = (0 until number).map(i => Row(Some(NumberKey(value(i).toLong)), i.toLong, true))
      val files = new Folder(FileVersion.V2_1).build(Bitmap, field(t), rows)
      val high = Some(NumberKey(below.toLong))
      val range = KeyRange(None, includesLow = false, high, includesHigh = false)
      val predicate = IndexPredicate.Within(KeyRanges.of(Seq(range)), KeyType.of(t).get)
      Bitmap.open(files).size(files, predicate)
    }
    def isNear(estimate: Long, truth: Int) = estimate >= truth * 0.9 && estimate <= truth * 1.1
    val scattered = size(_ % 100, 40)
    assert(isNear(scattered.rows, 8000) && isNear(scattered.runs, 8000), scattered)
    val inOrder = size(_ / 200, 40)
    assert(isNear(inOrder.rows, 8000) && inOrder.runs == 40, inOrder)
    assert(size(_ % 100, 0) == ResultSize.small)
  }

  test("LABEL_LIST finds lists by their elements") {
    val t = LogicalType.Utf8(large = false)
    val lists = Field(
      7,
      "c",
      LogicalType.List(large = false, ofStruct = false),
      nullable = true,
      IndexedSeq(Field(8, "item", t, nullable = true))
    )
    val list = Gen.option(Gen.listOf(Gen.option(Gen.oneOf(
      "a",
      "b",
      "ß",
      ""
    )))).map(_.map(_.map(_.map(text))))
    forAll(Gen.listOf(list), minSuccessful(50)) { all =>
      val folder = new Folder(FileVersion.V2_2)
      val built = folder.write { into =>
        val builder = LabelList.builder(lists, parametersOf(LabelList, Map.empty), into)
        builder.add(new IndexBatch(
          listColumn(all, t),
          0,
          all.indices.map(_.toLong).toArray,
          null,
          all.length
        ))
        builder.finish()
      }
      val merged = folder.merge(LabelList, lists, Seq(SegmentSource(built, RowTransfer.All)))
      for (files <- Seq(built, merged); word <- Seq("a", "ß", "c")) {
        val key = text(word)
        val answer = LabelList.open(files).evaluate(
          files,
          IndexPredicate.HasAny(KeyRanges.of(Seq(KeyRange.point(key))))
        )
        answer match {
          case Some(exact: SegmentResult.Exact) =>
            assert(exact.trues == set(all.indices.filter(i =>
              all(i).exists(_.contains(Some(key)))
            )))
            assert(exact.nulls == set(all.indices.filter { i =>
              all(i).forall(l => l.contains(None) && !l.contains(Some(key)))
            }))
          case other => fail(s"$other")
        }
      }
    }
  }

  test("NGRAM finds strings by their parts") {
    val t = LogicalType.Utf8(large = false)
    val word = Gen.listOf(Gen.oneOf(
      "Straße",
      "abc",
      "Ab",
      "c",
      " ",
      "1",
      "é",
      "ﬁ",
      "中",
      "İ"
    )).map(_.mkString)
    forAll(Gen.listOf(Gen.option(word)), word, minSuccessful(50)) { (all, part) =>
      val rows = all.zipWithIndex.map { case (s, i) => Row(s.map(text), i.toLong, isLive = true) }
      val folder = new Folder(FileVersion.V2_1)
      val files = folder.build(NGram, field(t), rows.toIndexedSeq)
      NGram.open(files).evaluate(files, IndexPredicate.Contains(part)) match {
        case Some(SegmentResult.AtMost(found)) =>
          all.zipWithIndex.foreach { case (s, i) =>
            if (s.exists(_.contains(part))) assert(found.contains(i.toLong))
          }
        case None => assert(NGram.tokens(part).isEmpty)
        case other => fail(s"$other")
      }
    }
  }

  test("text is folded like in the reference") {
    val cases = Seq(
      "Straße" -> "strasse",
      "ÀÉÎ" -> "aei",
      "Łódź" -> "lodz",
      "ﬁ" -> "fi",
      "ℤ" -> "Z",
      "中" -> "中",
      "⑴" -> "(1)",
      "ÆØÞ" -> "aeoth"
    )
    cases.foreach { case (text, folded) => assert(AsciiFolding.lower(text) == folded) }
    assert(storedTokens("xqℤ") == Seq(47549))
  }

  test("ASCII text has the same tokens as the folded text") {
    forAll(Gen.listOf(Gen.choose(0.toChar, 127.toChar)).map(_.mkString)) { text =>
      val bytes = s"-$text-".getBytes("UTF-8")
      val found = Seq.newBuilder[Int]
      NGram.foreachAsciiToken(bytes, 1, bytes.length - 1)(found += _)
      assert(found.result() == storedTokens(text))
    }
    assert(storedTokens("aB9-zzz").map(NGram.tokens("ab9zzz").contains(_)) == Seq(true, true))
  }

  private def storedTokens(text: String): Seq[Int] = {
    val found = Seq.newBuilder[Int]
    NGram.foreachStoredToken(text)(found += _)
    found.result()
  }

  test("the size of a bloom filter") {
    assert(BloomFilter.filterBytes(8192, 0.00057) == 32768)
    assert(BloomFilter.filterBytes(1, 0.5) == 32)
  }

  private def check(
      kind: ScalarIndexKind,
      t: LogicalType,
      files: IndexFiles,
      all: IndexedSeq[Row],
      probes: Seq[Key]
  ): Unit = {
    val segment = kind.open(files)
    val live = all.filter(_.isLive)
    val keyType = KeyType.of(t).get
    val values = (probes ++ live.flatMap(_.key)).take(8)
    def rowsWith(holds: Row => Boolean): RowSet =
      RowSet.of(live.filter(holds).map(_.id).toArray)
    val nulls = rowsWith(_.key.isEmpty)
    val isExact = kind == BTree || kind == Bitmap
    def checkAnswer(answer: Option[SegmentResult], expected: RowSet, nulls: RowSet): Assertion =
      answer match {
        case Some(exact: SegmentResult.Exact) =>
          assert(exact.trues == expected && exact.nulls == nulls)
        case Some(SegmentResult.AtMost(found)) =>
          assert(!isExact && expected.minus(found).isEmpty)
        case other => assert(kind == BloomFilter && other.isEmpty)
      }
    checkAnswer(segment.evaluate(files, IndexPredicate.IsNull), nulls, RowSet.empty): Unit
    val ranges = values.map(KeyRange.point) ++ values.zip(values.drop(1)).map { case (a, b) =>
      val (low, high) = if (a.compare(b) <= 0) (a, b) else (b, a)
      KeyRange(Some(low), includesLow = true, Some(high), includesHigh = false)
    } :+ KeyRange.all
    ranges.foreach { range =>
      val predicate = IndexPredicate.Within(KeyRanges.of(Seq(range)), keyType)
      checkAnswer(segment.evaluate(files, predicate), rowsWith(_.key.exists(range.contains)), nulls)
    }
    segment match {
      case zoned: ZonedSegment =>
        live.foreach { r =>
          val zones = zoned.zonesOf(r.id >>> 32)
          assert(zones.count(z =>
            z.from <= (r.id & 0xffffffffL) && (r.id & 0xffffffffL) < z.until
          ) == 1)
        }
      case _ => ()
    }
  }
}

private object IndexWritersSuite {

  /** @param key none: null */
  final case class Row(key: Option[Key], id: Long, isLive: Boolean)

  final case class Without(fragment: Long) extends RowTransfer {
    def apply(row: Long): Long = if (row >>> 32 == fragment) RowTransfer.none else row
    def keepsFragment(fragmentId: Long): Boolean = fragmentId != fragment
  }

  def parametersOf(kind: ScalarIndexKind, values: Map[String, String]): IndexParameters =
    IndexParameters.of(kind.name, kind.parameters, values)

  def text(s: String): Key = new BytesKey(s.getBytes("UTF-8"))

  def set(rows: Iterable[Int]): RowSet = RowSet.of(rows.map(_.toLong).toArray)

  def entries(rows: Seq[Row]): Seq[(Option[Key], Long)] = rows
    .filter(_.isLive)
    .map(r => r.key -> r.id)
    .sorted(Ordering.Tuple2(Postings.order, Ordering.Long))

  /** The live rows of each range that has any.
    *
    * @param bounds lower bounds of all ranges but the first
    */
  def sortedBlocks(
      t: LogicalType,
      rows: Seq[Row],
      bounds: IndexedSeq[EntryBound]
  ): IndexedSeq[SortedEntries] = {
    val keyType = KeyType.of(t).get
    val buffer = EntryBuffer(keyType)
    if (rows.nonEmpty) buffer.add(batch(t, rows))
    buffer.blocks(bounds).map { case (_, block) => EntryBlock.read(block, keyType.isNumber) }
  }

  def batch(t: LogicalType, rows: Seq[Row]): IndexBatch = {
    val keys = new KeyColumn(t, KeyType.of(t).get)
    rows.foreach(r => keys.append(r.key))
    val live = rows.indices.filter(i => rows(i).isLive).toArray
    new IndexBatch(keys.column, 0, rows.map(_.id).toArray, live, live.length)
  }

  /** Writes segments in memory. */
  final class Folder(version: FileVersion) {
    private val store = new MemoryFiles
    private var count = 0

    def snapshot: Map[String, IndexedSeq[Byte]] = store.snapshot

    def write(f: NewSegment => Unit): IndexFiles = {
      count += 1
      val into = new NewSegment(store, TablePath(s"/i$count"), version)
      f(into)
      into.readable
    }

    /** A segment in small pages and zones. */
    def build(kind: ScalarIndexKind, field: Field, rows: IndexedSeq[Row]): IndexFiles =
      write { into =>
        kind match {
          case gathered: GatheredIndexKind =>
            val parameters = parametersOf(kind, small(kind))
            Using.resource(gathered.builder(field, parameters, into)) { builder =>
              rows.groupBy(_.id >>> 32).toSeq.sortBy(_._1).foreach { case (_, its) =>
                builder.add(batch(field.logicalType, its))
              }
              builder.finish()
            }
          case _ =>
            val parameters = parametersOf(kind, small(kind))
            Using.resource(BTree.writer(field, parameters, None, into)) { writer =>
              val blocks = sortedBlocks(field.logicalType, rows, IndexedSeq.empty)
              val pages = writer.write(SortedEntries.merged(blocks, isNumber = true))
              BTree.writeLookup(field, parameters, Seq(pages), into)
            }
        }
      }

    def merge(kind: ScalarIndexKind, field: Field, sources: Seq[SegmentSource]): IndexFiles =
      write(kind.merge(sources, field, parametersOf(kind, small(kind)), _))
  }

  private def small(kind: ScalarIndexKind): Map[String, String] =
    kind.parameters.filter(_.default.toDouble > 1).map(_.name -> "4").toMap

  def key(t: LogicalType): Gen[Key] = {
    import LogicalType._
    def long(values: Gen[Long]): Gen[Key] = values.map(NumberKey(_))
    t match {
      case Bool => long(Gen.choose(0L, 1L))
      case Integer(bits, true) =>
        val most = Long.MaxValue >> (64 - bits)
        long(Gen.oneOf(Gen.choose(-3L, 3L), Gen.oneOf(most, -most - 1)))
      case Integer(64, false) =>
        Gen.oneOf(Gen.choose(0L, 3L), Gen.oneOf(-1L, Long.MinValue)).map(KeyType.unsigned64)
      case Float =>
        Gen.oneOf(
          0f,
          -0f,
          1f,
          -1f,
          scala.Float.NaN,
          scala.Float.PositiveInfinity,
          scala.Float.MinPositiveValue
        ).map(f => KeyType.floating(java.lang.Float.floatToRawIntBits(f).toLong))
      case Double =>
        Gen.oneOf(
          Gen.oneOf(0d, -0d, 1d, -1d, scala.Double.NaN, scala.Double.NegativeInfinity)
            .map(java.lang.Double.doubleToRawLongBits),
          Gen.const(0xfff8000000000000L)
        ).map(KeyType.floating)
      case HalfFloat =>
        Gen.oneOf(0x0000, 0x8000, 0x3c00, 0xbc00, 0x7e00, 0xfe00, 0xfc00)
          .map(bits => KeyType.floating(bits.toShort.toLong))
      case Date32 => long(Gen.choose(-3L, 3L))
      case Timestamp(_, _) => long(Gen.choose(-3L, 3L))
      case Decimal(bits, _, _) =>
        Gen.choose(-3L, 3L).map(n =>
          KeyType.decimal(java.math.BigInteger.valueOf(n), bits / 8).get
        )
      case Utf8(_) =>
        Gen.oneOf("", "a", "ab", "ß", "中文", "\u0000", "z'`\"").map(s => IndexWritersSuite.text(s))
      case _ =>
        Gen.listOf(Gen.oneOf(0.toByte, 1.toByte, -1.toByte)).map(b => new BytesKey(b.toArray))
    }
  }

  def listColumn(lists: Seq[Option[Seq[Option[Key]]]], items: LogicalType): Column = {
    val keys = new KeyColumn(items, KeyType.of(items).get)
    val offsets = new IntValues
    offsets.append(0)
    val validity = new Validity
    lists.foreach { list =>
      list.foreach(_.foreach(keys.append))
      offsets.append(keys.numRows)
      validity.append(list.isDefined)
    }
    ListColumn(lists.length, offsets.array, keys.column, validity)
  }
}
