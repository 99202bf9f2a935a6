// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.reading

import io.github.pysparklance.core.{Column, Place}
import io.github.pysparklance.encoding.spi.LeafBatch

/** Reads a top-level field of a file of version 2.1 or later, in which only leaves have columns. A
  * batch never crosses the end of a page of any leaf, so each leaf of it comes from one page.
  *
  * @param scans one per leaf of the field; null for leaves missing in the file
  */
final private[file] class NestedFieldReader(
    place: Place,
    column: NestedColumn,
    scans: Array[ColumnScan]
) extends FieldReader {
  private val batches = new Array[LeafBatch](scans.length)

  val columns: IndexedSeq[ColumnScan] = scans.toIndexedSeq.filter(_ != null)

  def batchEnd(row: Long): Long = {
    var end = Long.MaxValue
    var i = 0
    while (i < scans.length) {
      if (scans(i) != null) end = math.min(end, scans(i).batchEnd(row))
      i += 1
    }
    end
  }

  def request(row: Long, numRows: Int): Boolean = {
    var i = 0
    while (i < scans.length) {
      if (scans(i) != null) scans(i).requestRows(row, numRows)
      i += 1
    }
    false
  }

  def planAhead(): Unit = ()

  def read(row: Long, numRows: Int): Column = {
    var i = 0
    while (i < scans.length) {
      if (scans(i) != null) batches(i) = scans(i).read(row, numRows)
      i += 1
    }
    Place.in(place)(column.assemble(batches, numRows))
  }
}
