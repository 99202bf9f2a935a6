// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.reading

import io.github.pysparklance.core.RowRange
import io.github.pysparklance.encoding.spi.{PageRange, PageReader}
import io.github.pysparklance.file.metadata.PageMetadata

/** A page and the rows wanted of it.
  *
  * @param rows ascending and disjoint, counted from the page's first row; not empty
  */
final case class PageRead(page: PageMetadata, rows: IndexedSeq[RowRange]) {
  def numRows: Long = rows.iterator.map(_.numRows).sum

  /** Whether most rows of the page are not wanted. */
  val isSparse: Boolean = numRows < page.numRows / 2

  def isWhole(windowBytes: Long): Boolean = ReadPlan.isWhole(page, numRows, windowBytes)
}

/** Consecutive rows of a page and the bytes that hold them, none when they need none. */
final case class PageWindow(rows: RowRange, bytes: Option[PageRange])

/** Decides which pages and which bytes of them are read for a set of rows. Pure: no file is touched.
  *
  * Source: format page of the file container, "Read plan for a projection and row ranges".
  */
object ReadPlan {

  /** Pages up to this size are read whole for any number of rows. */
  val smallPageBytes: Long = 64L << 10

  /** Whether all buffers of a page are read at once instead of the head first and windows of the data afterwards. Pays
    * when the page is small, or not large and mostly wanted.
    */
  def isWhole(page: PageMetadata, numWantedRows: Long, windowBytes: Long): Boolean =
    page.sizeBytes <= smallPageBytes ||
      (page.sizeBytes <= 2 * windowBytes && numWantedRows >= page.numRows / 2)

  /** The pages that hold the rows.
    *
    * @param pages in row order
    * @param rows ascending and disjoint, within the pages' rows; empty ranges are ignored
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

  /** The first window of `rows` whose bytes fit the budget, at least one row.
    *
    * @param rows not empty
    */
  def window(reader: PageReader, rows: RowRange, windowBytes: Long): PageWindow = {
    val end = reader.windowEnd(rows.from, rows.until, windowBytes)
    val window = RowRange(rows.from, math.max(rows.from + 1, math.min(end, rows.until)))
    PageWindow(window, reader.dataRange(window))
  }
}
