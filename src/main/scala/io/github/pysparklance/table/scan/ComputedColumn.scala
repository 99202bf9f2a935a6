// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.scan

import io.github.pysparklance.core.{Column, Field, RowRange}
import io.github.pysparklance.table.deletion.DeletionVector

/** A column of a scan that is not a column of the table, such as the identity of a row. A scan appends it behind the
  * columns that it reads from files. It is sent to the tasks.
  */
trait ComputedColumn extends Serializable {

  def name: String

  /** Type and nullability of the values. The id is the id of the hidden column of data files if there is one. */
  def field: Field

  /** Whether the values depend on the row ids and row versions that a manifest stores with a fragment. */
  def needsLineage: Boolean

  /** Whether the values depend on [[FragmentScan.liveRowsBefore]]. */
  def needsLiveRowsBefore: Boolean

  /** Where the values for rows of one fragment come from.
    *
    * @param deletions of the fragment
    * @throws io.github.pysparklance.core.CorruptFileException if the manifest contradicts itself
    */
  def in(scan: FragmentScan, deletions: DeletionVector): ComputedColumn.Source
}

object ComputedColumn {

  /** Where the values of a column come from. */
  sealed trait Source

  /** A hidden column in a data file of the fragment, with the id of [[ComputedColumn.field]]. It has no nulls. */
  case object Hidden extends Source

  /** Values that are made batch by batch. Not thread-safe. */
  trait Made extends Source {

    /** The values of physical rows of the fragment, any value for deleted rows. The next call reuses the arrays.
      *
      * @throws io.github.pysparklance.core.CorruptFileException if the manifest is damaged
      */
    def column(rows: RowRange): Column
  }
}
