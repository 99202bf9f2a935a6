// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.spi

import io.github.pysparklance.core.{Column, InvalidRequestException, Place, RowRange}
import io.github.pysparklance.file.scheduling.{ReadBudget, ReadScheduler, ReadShare}

/** A data file of any version, open for reading some of its columns. */
trait FileReader extends AutoCloseable {

  /** Rows of every projected column. */
  def numRows: Long

  /** Starts to read rows. No data is read before the first batch. Several readers may be open at
    * the same time, each used by one thread.
    *
    * @param fields fields whose columns the file was opened for; without fields, batches have no
    *   columns
    * @param rows ascending and disjoint, within the rows of the file
    * @param share share of the read budget for the fragment, whose files are read in step
    * @throws io.github.pysparklance.core.UnsupportedFeatureException for a field of an unsupported
    *   type
    */
  def read(
      fields: IndexedSeq[FieldProjection],
      rows: IndexedSeq[RowRange],
      share: ReadShare
  ): RowReader

  /** Starts to read rows outside of a Spark task. */
  def read(
      fields: IndexedSeq[FieldProjection],
      rows: IndexedSeq[RowRange],
      budget: ReadBudget = ReadBudget.default
  ): RowReader = read(fields, rows, new ReadScheduler(budget).share())

  /** Returns the min/max statistics of a field, by field id; none if the file has none.
    *
    * @throws io.github.pysparklance.core.CorruptFileException if the file violates the format
    */
  def statistics(fieldId: Int): Option[PageStatistics] = None

  /** Closes the file and the underlying reader. */
  def close(): Unit

  /** Checks the precondition of [[read]] on `rows`. */
  final protected def checkRows(rows: IndexedSeq[RowRange]): Unit = {
    var end = 0L
    rows.foreach { r =>
      if (r.from < end || r.until > numRows)
        throw new InvalidRequestException(
          s"cannot read rows [${r.from}, ${r.until}) after row $end from a file of $numRows rows"
        )
      end = r.until
    }
  }
}

/** Reads rows of a file batch by batch, all fields in step. Not thread-safe. Must be closed before
  * its file.
  */
trait RowReader extends AutoCloseable {

  /** Returns the maximum number of rows of the next batch; 0 at the end of the rows. Callers may
    * read fewer. May wait for I/O.
    */
  def rowsAvailable: Int

  /** Returns the next rows, one column per field. The next call reuses their arrays.
    *
    * @param numRows 1 to [[rowsAvailable]]
    * @throws io.github.pysparklance.core.CorruptFileException if the bytes of the file violate the
    *   format, with file, column, and page
    */
  def read(numRows: Int): IndexedSeq[Column]

  /** Number of pages of all columns started so far. */
  def numPages: Long

  /** Cancels prefetches. The file stays open. */
  def close(): Unit

  /** Checks the precondition of [[read]] on `numRows`. */
  final protected def checkAvailable(numRows: Int, place: Place): Unit = {
    val available = rowsAvailable
    if (numRows <= 0 || numRows > available)
      throw new InvalidRequestException(
        s"cannot read a batch of $numRows rows: $available are available",
        place
      )
  }
}
