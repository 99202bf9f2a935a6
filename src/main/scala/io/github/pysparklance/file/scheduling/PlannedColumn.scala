// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.scheduling

/** The ranges of one column, in the order of its rows. Where the rows of a page lie is known once its head is read, so
  * ranges turn up step by step: [[requestHead]] for the head of one more page, then [[requestRows]] for windows of its rows.
  */
private[pysparklance] trait PlannedColumn {

  /** Counts what the column holds. */
  def bytes: ColumnBytes

  /** The row of the file before which all ranges are requested; `Long.MaxValue` when all are. */
  def requestedUntil: Long

  /** Pages whose head is requested, and of whose rows more can be requested. */
  def pending: PendingPages

  /** Pages whose head is requested and whose rows are not all decoded. */
  def numOpen: Int

  /** The next page whose head can be requested; `None` at the end. */
  def nextHead: Option[PageHead]

  /** Whether few rows are wanted of the page whose ranges are next. */
  def isSparse: Boolean

  /** Requests the head of the next page. */
  def requestHead(): Unit

  /** Requests one window of the first pending page.
    *
    * @param isWaiting whether to wait for its head if that is being read
    * @return false if the head is not there
    */
  def requestRows(isWaiting: Boolean): Boolean
}

/** @param count number of pages
  * @param bytes size of these pages, wanted or not
  */
final private[pysparklance] case class PendingPages(count: Int, bytes: Long)

/** A page whose head is not requested.
  *
  * @param isSparse whether few of its rows are wanted
  * @param isWhole whether all its bytes are read as its head
  */
final private[pysparklance] case class PageHead(isSparse: Boolean, isWhole: Boolean)

private[pysparklance] object PageHead {

  /** Pages up to this size are read whole for any number of rows. */
  val smallPageBytes: Long = 64L << 10

  /** Decides whether a page is read whole: all its buffers at once instead of the head first and windows of the rows
    * afterwards. Pays off if the page is small, or not large and mostly wanted.
    *
    * @param sizeBytes of all its buffers
    * @param windowBytes of one column, decoded at a time
    */
  def of(sizeBytes: Long, numRows: Long, numWantedRows: Long, windowBytes: Long): PageHead =
    PageHead(
      isSparse = numWantedRows < numRows / 2,
      isWhole = sizeBytes <= smallPageBytes ||
        (sizeBytes <= 2 * windowBytes && numWantedRows >= numRows / 2)
    )
}
