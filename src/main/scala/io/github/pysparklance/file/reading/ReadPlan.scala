// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.reading

import io.github.pysparklance.core.RowRange
import io.github.pysparklance.encoding.spi.{PageRange, PageReader}
import io.github.pysparklance.file.metadata.PageMetadata

/** A page, and the rows to read from it.
  *
  * @param rows ascending and disjoint, relative to the first row of the page; not empty
  */
final case class PageRead(page: PageMetadata, rows: IndexedSeq[RowRange]) {

  /** Number of rows to read. */
  val numRows: Long = rows.iterator.map(_.numRows).sum
}

/** Consecutive rows of a page and the range of their bytes, none if they need no bytes. */
final case class PageWindow(rows: RowRange, bytes: Option[PageRange])

/** Finds the pages that contain a set of rows, and the bytes of a window of rows. Does no I/O.
  *
  * Source: format page of the file container, "Read plan for a projection and row ranges".
  */
object ReadPlan {

  /** Returns the pages that contain the rows.
    *
    * @param pages pages in row order
    * @param rows ascending and disjoint, within the rows of the pages; empty ranges are ignored
    */
  def pages(pages: IndexedSeq[PageMetadata], rows: IndexedSeq[RowRange]): IndexedSeq[PageRead] = {
    val reads = IndexedSeq.newBuilder[PageRead]
    val wanted = rows.filterNot(_.isEmpty)
    var i = 0
    pages.foreach { page =>
      val inPage = IndexedSeq.newBuilder[RowRange]
      while (i < wanted.length && wanted(i).until <= page.firstRow) i += 1
      var j = i
      while (j < wanted.length && wanted(j).from < page.endRow) {
        val from = math.max(wanted(j).from, page.firstRow)
        val until = math.min(wanted(j).until, page.endRow)
        inPage += RowRange(from - page.firstRow, until - page.firstRow)
        j += 1
      }
      val found = inPage.result()
      if (found.nonEmpty) reads += PageRead(page, found)
    }
    reads.result()
  }

  /** Returns the first window of `rows` within the budget, with at least one row.
    *
    * @param rows not empty
    */
  def window(reader: PageReader, rows: RowRange, windowBytes: Long): PageWindow = {
    val end = reader.windowEnd(rows.from, rows.until, windowBytes)
    val window = RowRange(rows.from, math.max(rows.from + 1, math.min(end, rows.until)))
    PageWindow(window, reader.dataRange(window))
  }
}
