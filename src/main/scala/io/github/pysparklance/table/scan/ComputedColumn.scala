// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.scan

import io.github.pysparklance.core.{Column, Field, RowRange}
import io.github.pysparklance.table.deletion.DeletionVector

/** A column of a scan that is not stored as a column of the table, such as the id of a row. A scan
  * appends it after the columns that it reads from files. Serialized to tasks.
  */
trait ComputedColumn extends Serializable {

  def name: String

  /** Type and nullability of the values. The id is the id of the hidden column of data files if
    * there is one.
    */
  def field: Field

  /** Whether the values depend on the row ids and row versions that a manifest stores with a
    * fragment.
    */
  def needsLineage: Boolean

  /** Whether the values depend on [[FragmentScan.liveRowsBefore]]. */
  def needsLiveRowsBefore: Boolean

  /** Returns the source of the values for one fragment.
    *
    * @param deletions deletions of the fragment
    * @throws io.github.pysparklance.core.CorruptFileException if the manifest is inconsistent
    */
  def in(scan: FragmentScan, deletions: DeletionVector): ComputedColumn.Source
}

object ComputedColumn {

  /** Returns the computed column of a table or of its change feed by name. */
  def byName(name: String): Option[ComputedColumn] =
    MetadataColumn.byName(name).orElse(ChangeColumn.byName(name))

  /** The source of a column's values. */
  sealed trait Source

  /** A hidden column in a data file of the fragment, with the id of [[ComputedColumn.field]]. It
    * has no nulls.
    */
  case object Hidden extends Source

  /** Values that are computed batch by batch. Not thread-safe. */
  trait Made extends Source {

    /** Returns the values of physical rows of the fragment. Values of deleted rows are undefined.
      * The next call reuses the arrays.
      *
      * @throws io.github.pysparklance.core.CorruptFileException if the manifest is damaged
      */
    def column(rows: RowRange): Column
  }
}
