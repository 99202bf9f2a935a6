// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.layout

import io.github.pysparklance.core.{Buffer, CorruptFileException, InvalidRequestException, RowRange}
import io.github.pysparklance.encoding.spi.PageRange

/** The windows of a page's data buffer that a reader holds, in ascending order of rows. */
final private[layout] class PageWindows {
  final private class Window(val rows: RowRange, val offset: Long, val bytes: Buffer)
  private val windows = new java.util.ArrayDeque[Window]

  /** Adds a window.
    *
    * @throws InvalidRequestException if `bytes` does not have the length of `range`
    */
  def add(rows: RowRange, range: Option[PageRange], bytes: Buffer): Unit = range.foreach { r =>
    if (bytes.length != r.length)
      throw new InvalidRequestException(s"a window of ${bytes.length} bytes, expected ${r.length}")
    windows.addLast(new Window(rows, r.offset, bytes))
  }

  /** Drops windows without a row at or after `row`. */
  def dropBefore(row: Long): Unit =
    while (!windows.isEmpty && windows.peekFirst.rows.until <= row) windows.removeFirst(): Unit

  /** Returns bytes `[from, from + length)` of the data buffer, which one window contains.
    *
    * @throws CorruptFileException if no window contains them, because the page's index does not
    *   ascend
    */
  def slice(from: Long, length: Long): Buffer = {
    val each = windows.iterator
    while (each.hasNext) {
      val w = each.next()
      if (w.offset <= from && from + length <= w.offset + w.bytes.length)
        return w.bytes.slice(from - w.offset, length)
    }
    throw new CorruptFileException(
      s"bytes [$from, ${from + length}) of the page are outside the range of its rows"
    )
  }

  /** Returns the end of the rows of the window that contains `row`. */
  def endOfRows(row: Long): Long = {
    val each = windows.iterator
    while (each.hasNext) {
      val w = each.next()
      if (w.rows.from <= row && row < w.rows.until) return w.rows.until
    }
    throw new InvalidRequestException(s"row $row of the page is in no window")
  }
}

private[layout] object PageWindows {

  /** @throws InvalidRequestException if the rows exceed the page */
  def checkRows(fromRow: Long, numRows: Long, pageRows: Long): Unit =
    if (fromRow < 0 || numRows < 0 || fromRow > pageRows - numRows)
      throw new InvalidRequestException(
        s"rows [$fromRow, ${fromRow + numRows}) of a page of $pageRows rows"
      )

  /** @throws CorruptFileException unless the page has `expected` buffers */
  def checkBuffers(found: Int, expected: Int, layout: String): Unit =
    CorruptFileException.check(found == expected, s"$layout of $found buffers, expected $expected")
}
