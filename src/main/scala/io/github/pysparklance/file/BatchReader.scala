// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.spi.LeafBatch
import io.github.pysparklance.file.spi.{ReadAhead, RowReader}

/** Reads rows of a 2.1 or 2.2 file. A batch never crosses the end of a page of any column, nor of a range of rows, so that each leaf of it comes out
  * of one page: callers read up to [[rowsAvailable]] rows at a time, as many as suit them.
  */
final class BatchReader private[file] (
    place: Place,
    ranges: IndexedSeq[RowRange],
    columns: IndexedSeq[NestedColumn],
    scans: IndexedSeq[Array[ColumnScan]],
    readAhead: ReadAhead
) extends RowReader {
  private val allScans: Array[ColumnScan] = scans.flatten.filter(_ != null).toArray
  private val batches: IndexedSeq[Array[LeafBatch]] = scans.map(s => new Array[LeafBatch](s.length))
  private var range = 0
  private var row = ranges.headOption.fold(0L)(_.from)

  /** Rows that one batch may hold at this point; 0 at the end of the rows. */
  def rowsAvailable: Int = {
    while (range < ranges.length && row >= ranges(range).until) {
      range += 1
      if (range < ranges.length) row = ranges(range).from
    }
    if (range == ranges.length) 0
    else {
      var end = ranges(range).until
      var i = 0
      while (i < allScans.length) {
        end = math.min(end, allScans(i).pageEnd(row))
        i += 1
      }
      math.min(end - row, Int.MaxValue.toLong).toInt
    }
  }

  /** The next rows, one column a field. Their arrays are reused by the next call.
    *
    * @param numRows 1 to [[rowsAvailable]]
    * @throws CorruptFileException when the file's bytes contradict the format, with file, column and page
    */
  def read(numRows: Int): IndexedSeq[Column] = {
    val available = rowsAvailable
    if (numRows <= 0 || numRows > available)
      throw new InvalidRequestException(
        s"a batch of $numRows rows where $available are available",
        place
      )
    requestRows(numRows)
    val answer = columns.indices.map { c =>
      val leaves = scans(c)
      var l = 0
      while (l < leaves.length) {
        if (leaves(l) != null) batches(c)(l) = leaves(l).read(row, numRows)
        l += 1
      }
      Place.in(place)(columns(c).assemble(batches(c), numRows))
    }
    row += numRows
    answer
  }

  private def requestRows(numRows: Int): Unit = {
    readAhead.submit() // heads of pages that rowsAvailable came upon
    var i = 0
    while (i < allScans.length) {
      allScans(i).requestRows(row, numRows)
      i += 1
    }
    readAhead.submit()
  }

  /** Gives up reads ahead. The file stays open. */
  def close(): Unit = readAhead.close()
}
