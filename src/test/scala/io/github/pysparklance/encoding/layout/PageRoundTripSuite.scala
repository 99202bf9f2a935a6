// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.layout

import scala.util.Random

import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.proto.v2_1.PageLayout
import io.github.pysparklance.encoding.proto.v2_1.PageLayout.LayoutCase
import io.github.pysparklance.encoding.spi.EncodingVersion
import io.github.pysparklance.testkit.{Cells, Pages, PropertyChecks, RandomBytes, RandomColumns}

/** Columns of any nesting round-trip through their pages, whole and in ranges. */
class PageRoundTripSuite extends AnyFunSuite with PropertyChecks {
  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = 300)

  private val versions = Gen.oneOf(EncodingVersion.V2_1, EncodingVersion.V2_2, EncodingVersion.V2_3)
  private val rowCounts =
    Gen.frequency(6 -> Gen.choose(1, 60), 2 -> Gen.choose(60, 1500), 1 -> Gen.choose(1500, 6000))

  private def check(seed: Long, numRows: Int, depth: Int, version: EncodingVersion): Unit = {
    val random = new Random(seed)
    val columns = new RandomColumns(random)
    val field = columns.field(depth, fixedSizeLists = true)
    val from = random.nextInt(3)
    val column = columns.column(field, numRows + from)
    Pages.paths(field).foreach { path =>
      val expected = Cells.of(column, path, from, from + numRows)
      val pages = Pages.write(path, column, version, from, numRows, 1 + random.nextInt(numRows))
      val valueType = path.last.valueType
      assert(pages.map(_.numRows).sum == numRows)
      assert(pages.flatMap(Pages.readAll(_, valueType, version, random)) == expected)
      var first = 0
      pages.foreach { page =>
        val cuts =
          Seq.fill(1 + random.nextInt(5))(random.nextInt(page.numRows.toInt + 1)).distinct.sorted
        val ranges = cuts.zip(cuts.tail).map { case (a, b) => RowRange(a.toLong, b.toLong) }
        val wanted =
          ranges.flatMap(r => expected.slice(first + r.from.toInt, first + r.until.toInt))
        assert(Pages.readRanges(page, valueType, version, ranges) == wanted)
        first += page.numRows.toInt
      }
    }
  }

  test("flat columns") {
    forAll(Gen.long, rowCounts, versions)(check(_, _, 0, _))
  }

  test("nested columns") {
    forAll(Gen.long, rowCounts, Gen.choose(1, 4), versions)(check)
  }

  private val listOfInts = Schema(
    IndexedSeq(
      Field(
        -1,
        "l",
        LogicalType.List(large = false, ofStruct = false),
        nullable = true,
        IndexedSeq(Field(-1, "item", LogicalType.Integer(32, signed = true), nullable = true))
      )
    )
  ).withFreshIds.fields.head

  private def layoutsOf(pages: Seq[io.github.pysparklance.encoding.spi.EncodedPage])
      : Seq[LayoutCase] =
    pages.map(p => PageLayout.parseFrom(p.encoding).getLayoutCase)

  test("rows that span many chunks") {
    Seq(EncodingVersion.V2_1, EncodingVersion.V2_2).foreach { version =>
      val random = new Random(7)
      val lengths = Array(3, 20000, 0, 1, 9000, 4096, 4096, 1)
      val offsets = lengths.scanLeft(0)(_ + _)
      val items = new IntValues
      (0 until offsets.last).foreach(items.append)
      val column = ListColumn(lengths.length, offsets, LeafColumn(items, null), null)
      val path = Pages.paths(listOfInts).head
      val pages = Pages.write(path, column, version, 0, lengths.length, 3)
      assert(layoutsOf(pages) == Seq(LayoutCase.MINI_BLOCK_LAYOUT))
      val expected = Cells.of(column, path, 0, lengths.length)
      (0 until 20).foreach { _ =>
        assert(pages.flatMap(Pages.readAll(_, FixedWidth(32), version, random)) == expected)
      }
      (0 until lengths.length).foreach { row =>
        val one = Seq(RowRange(row.toLong, row + 1L))
        assert(Pages.readRanges(pages.head, FixedWidth(32), version, one) == Seq(expected(row)))
      }
    }
  }

  test("levels that exceed a chunk split the page, or zip a single row") {
    Seq(EncodingVersion.V2_1, EncodingVersion.V2_2).foreach { version =>
      val random = new Random(3)
      val numRows = 300000
      val validity = new Validity
      val offsets = new Array[Int](numRows + 1)
      val items = new IntValues
      (0 until numRows).foreach { i =>
        offsets(i) = items.numItems
        val hasItems = i % 30000 == 5
        if (hasItems) (0 to random.nextInt(5)).foreach(_ => items.append(random.nextInt()))
        validity.append(hasItems || random.nextBoolean())
        offsets(i + 1) = items.numItems
      }
      val column = ListColumn(numRows, offsets, LeafColumn(items, null), validity)
      val path = Pages.paths(listOfInts).head
      val pages = Pages.write(path, column, version, 0, numRows, 5000)
      assert(pages.length > 1)
      val expected = Cells.of(column, path, 0, numRows)
      assert(pages.flatMap(Pages.readAll(_, FixedWidth(32), version, random)) == expected)
      // the same as one row of a list of lists
      val outer = ListColumn(1, Array(0, numRows), column, null)
      val nested = Schema(
        IndexedSeq(Field(
          -1,
          "o",
          LogicalType.List(large = false, ofStruct = false),
          nullable = true,
          IndexedSeq(listOfInts)
        ))
      ).withFreshIds.fields.head
      val one = Pages.write(Pages.paths(nested).head, outer, version, 0, 1, 1)
      assert(layoutsOf(one) == Seq(LayoutCase.FULL_ZIP_LAYOUT))
      assert(one.flatMap(Pages.readAll(
        _,
        FixedWidth(32),
        version,
        random
      )) == Seq(expected.toVector))
    }
  }

  test(
    "vectors are in mini-blocks if requested and if a chunk has room for two, otherwise zipped"
  ) {
    val random = new Random(6)
    def layout(dimension: Int, withNullItem: Boolean, version: EncodingVersion): LayoutCase = {
      val field = Field(
        0,
        "v",
        LogicalType.FixedSizeList(LogicalType.Float, dimension),
        nullable = true,
        metadata = Map("lance-encoding:structural-encoding" -> "miniblock")
      )
      val items = new IntValues
      (0 until 3 * dimension).foreach(_ => items.append(random.nextInt()))
      val vectors = new FixedSizeListValues(dimension, items)
      vectors.extend(3)
      if (withNullItem) {
        vectors.itemValidity = new Validity
        (0 until 3 * dimension).foreach(i => vectors.itemValidity.append(i != 7))
      }
      val column = LeafColumn(vectors, null)
      val path = IndexedSeq(field)
      val pages = Pages.write(path, column, version, 0, 3, 3)
      assert(
        pages.flatMap(Pages.readAll(_, field.valueType, version, random)) ==
          Cells.of(column, path, 0, 3)
      )
      layoutsOf(pages).head
    }
    for (version <- Seq(EncodingVersion.V2_1, EncodingVersion.V2_2)) {
      assert(layout(1000, withNullItem = false, version) == LayoutCase.MINI_BLOCK_LAYOUT)
      assert(layout(1000, withNullItem = true, version) == LayoutCase.FULL_ZIP_LAYOUT)
      assert(layout(1024, withNullItem = false, version) == LayoutCase.FULL_ZIP_LAYOUT)
      assert(layout(5000, withNullItem = true, version) == LayoutCase.FULL_ZIP_LAYOUT)
    }
  }

  test("values that exceed a chunk of 2.1 are zipped") {
    val version = EncodingVersion.V2_1
    val random = new Random(5)
    def check(options: Map[String, String], numRows: Int, numBytes: Int): Unit = {
      val field = Field(
        0,
        "b",
        LogicalType.Binary(large = false),
        nullable = true,
        metadata = options.map { case (key, value) => s"lance-encoding:$key" -> value }
      )
      val values = new BinaryValues
      val validity = new Validity
      (0 until numRows).foreach { i =>
        values.append(RandomBytes(random, numBytes), 0, numBytes)
        validity.append(i != 5)
      }
      Seq(validity, null).foreach { nulls =>
        val column = LeafColumn(values, nulls)
        val path = IndexedSeq(field)
        val pages = Pages.write(path, column, version, 0, numRows, numRows)
        if (nulls != null) assert(layoutsOf(pages) == Seq(LayoutCase.FULL_ZIP_LAYOUT))
        assert(
          pages.flatMap(Pages.readAll(_, VariableWidth(32), version, random)) ==
            Cells.of(column, path, 0, numRows)
        )
      }
    }
    check(Map("structural-encoding" -> "miniblock"), 40, 20000)
    // Chunks that the levels make too long.
    check(Map("minichunk-size" -> "32767"), 300, 251)
  }
}
