// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file

import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.{Buffer, ByteRange, RowRange}
import io.github.pysparklance.encoding.spi.{LeafBatch, PageRange, PageReader}
import io.github.pysparklance.file.metadata.PageMetadata
import io.github.pysparklance.file.reading.ReadPlan
import io.github.pysparklance.file.scheduling.ReadBudget
import io.github.pysparklance.testkit.PropertyChecks

class ReadPlanSuite extends AnyFunSuite with PropertyChecks {

  private def pages(lengths: Seq[Long]): IndexedSeq[PageMetadata] =
    lengths.zip(lengths.scanLeft(0L)(_ + _)).zipWithIndex.map { case ((n, first), i) =>
      PageMetadata(i, first, n, IndexedSeq(ByteRange(0, n * 10)), Array.emptyByteArray)
    }.toIndexedSeq

  private val lengths = Gen.listOf(Gen.choose(1L, 50L))

  /** Ascending disjoint ranges below `end`, some empty, some adjacent. */
  private def ranges(end: Long): Gen[IndexedSeq[RowRange]] =
    Gen.listOf(Gen.choose(0L, end)).map(_.sorted.toIndexedSeq).map { cuts =>
      cuts.zip(cuts.drop(1)).map { case (a, b) => RowRange(a, b) }.zipWithIndex.collect {
        case (r, i) if i % 3 != 1 => r
      }
    }

  test("pages are read for exactly the requested rows, in order, without empty reads") {
    forAll(lengths) { lengths =>
      forAll(ranges(lengths.sum)) { rows =>
        val reads = ReadPlan.pages(pages(lengths), rows)
        val read = for {
          r <- reads
          in <- r.rows
          row <- in.from until in.until
        } yield r.page.firstRow + row
        assert(read == rows.flatMap(r => r.from until r.until))
        assert(reads.forall(r => r.rows.nonEmpty && r.rows.forall(!_.isEmpty)))
        assert(reads.map(_.page.number) == reads.map(_.page.number).distinct)
        assert(reads.forall(r => r.rows.last.until <= r.page.numRows))
      }
    }
  }

  /** Rows of the given sizes, back to back. */
  final private class Sized(sizes: IndexedSeq[Int]) extends PageReader {
    private val offsets = sizes.scanLeft(0L)(_ + _)
    def windowEnd(fromRow: Long, untilRow: Long, maxBytes: Long): Long = {
      val end = offsets.lastIndexWhere(_ <= offsets(fromRow.toInt) + maxBytes)
      math.min(untilRow, end.toLong)
    }
    def dataRange(rows: RowRange): Option[PageRange] = {
      val from = offsets(rows.from.toInt)
      Some(PageRange(0, from, offsets(rows.until.toInt) - from))
    }
    def addWindow(rows: RowRange, bytes: Buffer): Unit = ()
    def read(fromRow: Long, numRows: Int): LeafBatch = throw new UnsupportedOperationException
  }

  test("windows are consecutive, and fit the budget or have one row") {
    val sizes = Gen.nonEmptyListOf(Gen.choose(0, 100)).map(_.toIndexedSeq)
    forAll(sizes, Gen.choose(1L, 300L)) { (sizes, budget) =>
      val reader = new Sized(sizes)
      var row = 0L
      while (row < sizes.length) {
        val window = ReadPlan.window(reader, RowRange(row, sizes.length.toLong), budget)
        assert(window.rows.from == row && window.rows.until > row)
        val bytes = sizes.slice(window.rows.from.toInt, window.rows.until.toInt).sum
        assert(window.bytes.map(_.length).contains(bytes.toLong))
        assert(bytes <= budget || window.rows.numRows == 1)
        row = window.rows.until
      }
    }
  }

  test("the windows of all columns stay within the budget") {
    val budget = ReadBudget(totalBytes = 32L << 20, maxWindowBytes = 1L << 20)
    Seq(0, 1, 10, 100, 300).foreach { n =>
      assert(
        budget.windowBytes(n) <= (1L << 20) && budget.windowBytes(n) >= ReadBudget.minWindowBytes
      )
      assert(3L * n * budget.windowBytes(n) <= (32L << 20))
    }
  }
}
