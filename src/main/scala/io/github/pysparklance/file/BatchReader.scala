// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file

import io.github.pysparklance.core._
import io.github.pysparklance.file.spi.{ReadAhead, RowReader}

/** Reads rows of a 2.x file. A batch never crosses the end of a range of rows, nor of a page where its version demands
  * that: callers read up to [[rowsAvailable]] rows at a time, as many as suit them.
  */
final class BatchReader private[file] (
    place: Place,
    ranges: IndexedSeq[RowRange],
    fields: IndexedSeq[FieldReader],
    readAhead: ReadAhead
) extends RowReader {
  private val columns = fields.iterator.flatMap(_.columns).toArray
  private var isFirst = true
  private val isBlocked = new Array[Boolean](columns.length)
  private var range = 0
  private var row = ranges.headOption.fold(0L)(_.from)

  def rowsAvailable: Int = {
    while (range < ranges.length && row >= ranges(range).until) {
      range += 1
      if (range < ranges.length) row = ranges(range).from
    }
    if (range == ranges.length) 0
    else {
      var end = ranges(range).until
      var i = 0
      while (i < fields.length) {
        end = math.min(end, fields(i).batchEnd(row))
        i += 1
      }
      math.min(end - row, Int.MaxValue.toLong).toInt
    }
  }

  def read(numRows: Int): IndexedSeq[Column] = {
    checkAvailable(numRows, place)
    requestRows(numRows)
    val answer = fields.map(_.read(row, numRows))
    row += numRows
    answer
  }

  private def requestRows(numRows: Int): Unit = {
    readAhead.submit() // heads of pages that rowsAvailable came upon
    if (hasRoom) planAhead(readAhead.maxBytesAhead, _ => false)
    var again = true
    while (again) {
      again = false
      var i = 0
      while (i < fields.length) {
        if (fields(i).request(row, numRows)) again = true
        i += 1
      }
      readAhead.submit()
    }
    // The heads of a take were asked for together, as the first ones of a scan: all are there when the first one is, or
    // soon after.
    if (hasRoom) planAhead(readAhead.maxBytesAhead, c => isFirst || c.isSparse)
    isFirst = false
  }

  /** Whether it is worth while to ask for more ahead: by a few large requests rather than by many small ones. */
  private def hasRoom: Boolean =
    readAhead.isDeep && readAhead.bytesAhead <= readAhead.maxBytesAhead / 4 * 3

  /** Asks for bytes ahead, of whichever column is behind the others.
    *
    * @param waits whether to wait for heads of pages of a column that are on their way
    */
  private def planAhead(maxBytes: Long, waits: ColumnScan => Boolean): Unit = {
    java.util.Arrays.fill(isBlocked, false)
    var next = 0
    while (next >= 0 && readAhead.bytesAhead < maxBytes) {
      next = lastInRow
      if (next >= 0 && !columns(next).planAhead(waits(columns(next)))) isBlocked(next) = true
    }
    readAhead.submit()
  }

  /** The column that has asked for the fewest rows; -1 when none can ask for more. */
  private def lastInRow: Int = {
    var last = -1
    var least = Long.MaxValue
    var i = 0
    while (i < columns.length) {
      if (!isBlocked(i)) {
        val asked = columns(i).askedUntil
        if (asked < least) {
          last = i
          least = asked
        }
      }
      i += 1
    }
    last
  }

  override def prefetch(maxBytes: Long, isWaiting: Boolean): Unit =
    if (readAhead.isDeep && rowsAvailable > 0) {
      readAhead.submit()
      fields.foreach(_.planAhead())
      planAhead(maxBytes, _ => false)
      if (isWaiting) planAhead(maxBytes, _ => true)
    }

  def numPages: Long = readAhead.numPages

  def close(): Unit = readAhead.close()
}
