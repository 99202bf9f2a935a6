// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.reading

import io.github.pysparklance.core._
import io.github.pysparklance.file.scheduling.{ColumnSchedule, FileReads}
import io.github.pysparklance.file.spi.RowReader

/** Reads rows of a 2.x file. A batch never crosses the end of a row range, nor the end of a page in
  * versions that require it. Callers read up to [[rowsAvailable]] rows at a time.
  */
final class BatchReader private[file] (
    place: Place,
    ranges: IndexedSeq[RowRange],
    fields: IndexedSeq[FieldReader],
    fileReads: FileReads
) extends RowReader {
  private val schedule = new ColumnSchedule(fileReads, fields.flatMap(_.columns))
  private var range = 0
  private var row = ranges.headOption.fold(0L)(_.from)
  fileReads.onReadAhead(readAhead)

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
    schedule.request(() => requestBatch(numRows))
    val result = fields.map(_.read(row, numRows))
    row += numRows
    result
  }

  private def requestBatch(numRows: Int): Boolean = {
    var again = false
    var i = 0
    while (i < fields.length) {
      if (fields(i).request(row, numRows)) again = true
      i += 1
    }
    again
  }

  private def readAhead(maxBytes: Long, isWaiting: Boolean): Unit = if (rowsAvailable > 0) {
    fileReads.submit()
    fields.foreach(_.planAhead())
    schedule.readAhead(maxBytes, isWaiting)
  }

  def numPages: Long = fileReads.numPages

  def close(): Unit = fileReads.close()
}
