// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.spi

import io.github.pysparklance.core.{Column, InvalidRequestException, Place, RowRange}
import io.github.pysparklance.file.scheduling.{ReadBudget, ReadScheduler, ReadShare}

/** A data file of any version, open for reading some of its columns. */
trait FileReader extends AutoCloseable {

  /** Rows of every wanted column. */
  def numRows: Long

  /** Starts to read rows; nothing is read before the first batch. Several readers may be open at the same time, each
    * used by one thread.
    *
    * @param fields their columns are among those that the file was opened for; none answers batches without columns
    * @param rows ascending and disjoint, within the file's rows
    * @param share of the fragment: its files are read in step
    * @throws io.github.pysparklance.core.UnsupportedFeatureException for a field of a type that is not built
    */
  def read(
      fields: IndexedSeq[FieldProjection],
      rows: IndexedSeq[RowRange],
      share: ReadShare
  ): RowReader

  /** Starts to read rows outside of a task. */
  def read(
      fields: IndexedSeq[FieldProjection],
      rows: IndexedSeq[RowRange],
      budget: ReadBudget = ReadBudget.default
  ): RowReader = read(fields, rows, new ReadScheduler(budget).share())

  /** What the file knows of the values of a field, by the field's id; none when nobody collected it.
    *
    * @throws io.github.pysparklance.core.CorruptFileException when the file contradicts the format
    */
  def bounds(fieldId: Int): Option[PageBounds] = None

  /** Closes the file, also the underlying reader. */
  def close(): Unit

  /** What [[read]] asks of `rows`. */
  final protected def checkRows(rows: IndexedSeq[RowRange]): Unit = {
    var end = 0L
    rows.foreach { r =>
      if (r.from < end || r.until > numRows)
        throw new InvalidRequestException(
          s"rows [${r.from}, ${r.until}) after row $end of a file of $numRows rows"
        )
      end = r.until
    }
  }
}

/** Reads rows of a file batch by batch, all fields in step. Not thread-safe; close it before its file. */
trait RowReader extends AutoCloseable {

  /** Rows that one batch may hold at this point; 0 at the end of the rows. Callers read up to so many rows at a time,
    * as many as suit them. May wait for bytes.
    */
  def rowsAvailable: Int

  /** The next rows, one column a field. Their arrays are reused by the next call.
    *
    * @param numRows 1 to [[rowsAvailable]]
    * @throws io.github.pysparklance.core.CorruptFileException when the file's bytes contradict the format, with
    *   file, column and page
    */
  def read(numRows: Int): IndexedSeq[Column]

  /** Pages of all columns begun so far. */
  def numPages: Long

  /** Gives up reads ahead. The file stays open. */
  def close(): Unit

  /** What [[read]] asks of `numRows`. */
  final protected def checkAvailable(numRows: Int, place: Place): Unit = {
    val available = rowsAvailable
    if (numRows <= 0 || numRows > available)
      throw new InvalidRequestException(
        s"a batch of $numRows rows where $available are available",
        place
      )
  }
}
