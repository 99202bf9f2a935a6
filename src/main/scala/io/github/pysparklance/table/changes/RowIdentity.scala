// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.changes

import io.github.pysparklance.core.{Checked, CorruptFileException, RowRange, RowSelection}
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.table.rowid.RowAddress

/** Identifies the same row in different versions. */
private[changes] trait RowIdentity {

  /** A number for each row, in row order. Rows with the same number are one row at different times.
    */
  def ids(rows: ChangedRows): Array[Long]

  /** Whether several rows may have one number at a time. */
  def mayRepeat: Boolean = false

  /** A number that no other row has at the same time, for each row in row order: the stable row id
    * if the table has them. Otherwise it comes from the address, and rows that a compaction moves
    * get another number.
    */
  def places(rows: ChangedRows): Array[Long] = RowIdentity.Addresses.ids(rows).map(~_)

  /** Reads the values that [[ids]] needs for all of these rows. */
  def prepare(rows: IndexedSeq[ChangedRows]): Unit = ()

  /** Releases the values that [[ids]] keeps. */
  def release(): Unit = ()
}

private[changes] object RowIdentity {

  /** Stable row ids. */
  final class RowIds(store: FileStore) extends RowIdentity {
    def ids(rows: ChangedRows): Array[Long] = {
      val sequence = rows.lineage(store).rowIds(rows.fragment).getOrElse(
        throw new CorruptFileException(
          s"corrupt manifest: fragment ${rows.fragment.id} has no row ids, though the table has stable row ids"
        )
      )
      RowIdentity.fill(rows.rows)(sequence.fill)
    }
  }

  /** Row addresses: rows that moved to another fragment are other rows. */
  object Addresses extends RowIdentity {
    def ids(rows: ChangedRows): Array[Long] = RowIdentity.fill(rows.rows) { (range, out, at) =>
      var row = range.from
      while (row < range.until) {
        out(at + (row - range.from).toInt) = RowAddress(rows.fragment.id, row)
        row += 1
      }
    }
  }

  /** One number for each row.
    *
    * @param range writes the numbers of a range of rows to an array from a position on
    */
  private[changes] def fill(rows: RowSelection)(
      range: (RowRange, Array[Long], Int) => Unit
  ): Array[Long] = {
    val out = new Array[Long](Checked.int(rows.numRows, "rows of a fragment that changed"))
    rows.ranges.foldLeft(0) { (at, r) =>
      range(r, out, at)
      at + r.numRows.toInt
    }: Unit
    out
  }
}
