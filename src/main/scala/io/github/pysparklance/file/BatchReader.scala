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
  }

  def numPages: Long = readAhead.numPages

  def close(): Unit = readAhead.close()
}
