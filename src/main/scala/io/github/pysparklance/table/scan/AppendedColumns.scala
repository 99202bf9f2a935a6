// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.scan

import io.github.pysparklance.core.{Column, CorruptFileException, Field, Place, RowRange}
import io.github.pysparklance.table.deletion.DeletionVector

/** Appends the computed columns of a scan to the columns read from a fragment's files, batch by
  * batch. Not thread-safe.
  *
  * @param computed in output order
  */
final private[table] class AppendedColumns(
    scan: FragmentScan,
    computed: IndexedSeq[ComputedColumn],
    deletions: DeletionVector
) {
  private val sources = Place.in(scan.place)(computed.map(_.in(scan, deletions)))

  /** The hidden columns to read, behind all others. */
  val storedFields: IndexedSeq[Field] =
    computed.zip(sources).collect { case (column, ComputedColumn.Hidden) => column.field }

  /** Returns the columns of a batch, with the computed columns in place of the hidden ones at its
    * end.
    *
    * @param rows physical rows of the batch
    * @throws CorruptFileException if a hidden column has nulls, or the manifest is damaged
    */
  def append(read: IndexedSeq[Column], rows: RowRange): IndexedSeq[Column] =
    if (computed.isEmpty) read
    else {
      val numFields = read.length - storedFields.length
      val hidden = read.iterator.drop(numFields)
      read.take(numFields) ++ computed.zip(sources).map {
        case (column, ComputedColumn.Hidden) => checked(hidden.next(), column)
        case (_, made: ComputedColumn.Made) => Place.in(scan.place)(made.column(rows))
      }
    }

  private def checked(read: Column, column: ComputedColumn): Column = {
    if (read.hasNulls)
      throw new CorruptFileException(
        "corrupt data file: nulls in a column of row ids or versions",
        Place(column = Some(column.name))
      )
    read
  }
}
