// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.scheduling

/** The ranges of one column, in row order. The positions of a page's rows are known only after its
  * head was read. So ranges are requested step by step: [[requestHead]] for the head of one more
  * page, then [[requestRows]] for windows of its rows.
  */
private[pysparklance] trait PlannedColumn {

  /** Counts the bytes that the column holds. */
  def bytes: ColumnBytes

  /** Row of the file before which all ranges are requested; `Long.MaxValue` if all are. */
  def requestedUntil: Long

  /** Pages with a requested head and with more rows to request. */
  def pending: PendingPages

  /** Number of pages whose head is requested and whose rows are not all decoded. */
  def numOpen: Int

  /** The next page whose head can be requested; `None` at the end. */
  def nextHead: Option[PageHead]

  /** Whether few rows are requested of the page whose ranges are next. */
  def isSparse: Boolean

  /** Requests the head of the next page. */
  def requestHead(): Unit

  /** Requests one window of the first pending page.
    *
    * @param isWaiting whether to wait for its head if it is being read
    * @return false if the head is not available
    */
  def requestRows(isWaiting: Boolean): Boolean
}

/** Pages that wait for requests of their rows.
  *
  * @param count number of pages
  * @param bytes size of these pages, including bytes that will not be read
  */
final private[pysparklance] case class PendingPages(count: Int, bytes: Long)

/** A page whose head is not requested yet.
  *
  * @param isSparse whether few of its rows are needed
  * @param isWhole whether all its bytes are read as its head
  */
final private[pysparklance] case class PageHead(isSparse: Boolean, isWhole: Boolean)

private[pysparklance] object PageHead {

  /** Pages up to this size are read whole, regardless of the number of rows. */
  val smallPageBytes: Long = 64L << 10

  /** Decides whether a page is read whole, with all its buffers at once, or head first and then
    * windows of its rows. Reading it whole pays off if the page is small, or not large and mostly
    * needed.
    *
    * @param sizeBytes size of all its buffers
    * @param windowBytes bytes of one column that are decoded at a time
    */
  def of(sizeBytes: Long, numRows: Long, numWantedRows: Long, windowBytes: Long): PageHead =
    PageHead(
      isSparse = numWantedRows < numRows / 2,
      isWhole = sizeBytes <= smallPageBytes ||
        (sizeBytes <= 2 * windowBytes && numWantedRows >= numRows / 2)
    )
}
