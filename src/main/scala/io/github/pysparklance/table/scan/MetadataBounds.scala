// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.scan

import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.manifest.Fragment
import io.github.pysparklance.table.rowid.{RowAddress, RowDatasetVersionSequence, RowLineage}
import io.github.pysparklance.table.scan.MetadataColumn._

/** Min/max statistics of metadata columns, from the manifest only. */
object MetadataBounds {

  /** Returns the lowest and highest value in a fragment, possibly of deleted rows. Returns `None`
    * if there are no rows or the values must be read.
    *
    * @param index index of the fragment in the table
    * @param column a numeric column
    */
  def apply(table: LanceTable, index: Int, column: MetadataColumn): Option[(Long, Long)] = {
    val fragment = table.fragments(index)
    val rows = table.physicalRows(fragment)
    column match {
      case _ if rows == 0 => None
      case FragId => Some((fragment.id, fragment.id))
      case RowAddr => addresses(fragment, rows)
      case RowId => if (table.hasStableRowIds) None else addresses(fragment, rows)
      case RowOffset =>
        val before = table.liveRowsBefore(index)
        Some((before, before + math.max(0L, table.liveRows(fragment) - 1)))
      case RowCreatedAtVersion => versions(RowLineage.createdAt(fragment))
      case RowLastUpdatedAtVersion => versions(RowLineage.lastUpdatedAt(fragment))
      case File | Deleted => None
    }
  }

  private def addresses(fragment: Fragment, rows: Long): Option[(Long, Long)] =
    Some((RowAddress(fragment.id, 0), RowAddress(fragment.id, rows - 1)))

  private def versions(
      lineage: RowLineage[RowDatasetVersionSequence]
  ): Option[(Long, Long)] = lineage match {
    case RowLineage.Inline(sequence) => sequence.bounds
    case RowLineage.Absent => Some((1L, 1L))
    case RowLineage.Stored(_, _) => None
  }
}
