// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.spi

import io.github.pysparklance.core.{Buffer, RowRange}

/** A contiguous range of one buffer of a page.
  *
  * @param buffer position of the buffer in the page's list
  */
final case class PageRange(buffer: Int, offset: Long, length: Long)

/** A page whose description was parsed, but whose bytes were not read. Performs no I/O.
  *
  * A page is read in three steps: the [[head]] buffers, then [[open]], then windows of rows in
  * ascending order.
  */
trait PageDecoder {

  /** Number of rows in the page. */
  def numRows: Long

  /** Positions of the buffers to read completely before anything else: chunk table, dictionary, and
    * indices.
    */
  def head: IndexedSeq[Int]

  /** Parses the head buffers.
    *
    * @param buffers buffers in the order of [[head]]
    * @throws CorruptFileException if they contradict the page's description
    */
  def open(buffers: IndexedSeq[Buffer]): PageReader

  /** Returns a smaller range that suffices to read some rows, if it is much smaller than the head.
    *
    * @param rows rows of the page, not empty
    * @throws CorruptFileException if the page's description is inconsistent
    */
  def partialHead(rows: RowRange): Option[PartialHead] = None
}

/** Replaces the head of a page when only some rows are read. */
trait PartialHead {

  /** The range to read. */
  def range: PageRange

  /** Parses the bytes of [[range]].
    *
    * @return a reader of the requested rows only
    * @throws CorruptFileException if the bytes contradict the page's description
    */
  def open(bytes: Buffer): PageReader
}

/** Reads one page. Rows are relative to the page's first. The caller supplies windows in ascending
  * order; windows may overlap in bytes but not in rows. Performs no I/O. Not thread-safe.
  */
trait PageReader {

  /** Returns the end of the largest window from `fromRow` on whose data take at most `maxBytes`.
    * The window has at least one row and ends at or before `untilRow`.
    */
  def windowEnd(fromRow: Long, untilRow: Long, maxBytes: Long): Long

  /** Returns the bytes of the rows, or `None` if the page stores none, as for constants and nulls.
    */
  def dataRange(rows: RowRange): Option[PageRange]

  /** Supplies the bytes of `dataRange(rows)`. Drops windows that end at or before the next row to
    * read.
    */
  def addWindow(rows: RowRange, bytes: Buffer): Unit

  /** Whether the reader, or a batch that [[read]] returned, may use the bytes of a window after
    * rows behind the window were read. If not, the caller reuses their array.
    */
  def retainsBytes: Boolean = true

  /** Decodes rows `[fromRow, fromRow + numRows)`, which must lie in the supplied windows. The next
    * call reuses the arrays of the result.
    */
  def read(fromRow: Long, numRows: Int): LeafBatch
}
