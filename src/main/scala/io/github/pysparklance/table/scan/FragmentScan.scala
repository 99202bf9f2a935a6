// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.scan

import io.github.pysparklance.core.{Place, RowRange, RowSelection}
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.blob.{AllowedUris, BlobBases}
import io.github.pysparklance.table.manifest.Fragment

/** Rows of one fragment with all it takes to read them. Made where the manifest is, sent to where the data is read.
  *
  * @param paths where each of the fragment's files is, in their order
  * @param deletionPath where its deletion file is, if it has one
  * @param rows physical rows, deleted ones included
  * @param selection those of them that are wanted; none: all
  * @param maxGapRows unwanted rows between wanted ones are decoded along when there are no more of them
  * @param hasStableRowIds whether the table has stable row ids
  * @param liveRowsBefore rows that are not deleted in the fragments before this one, 0 where nobody asks
  * @param includesDeleted whether deleted rows are answered, too
  * @param place the table, for errors
  * @param blobBases where blobs may be that lie outside of the data files
  */
final case class FragmentScan(
    fragment: Fragment,
    paths: IndexedSeq[String],
    deletionPath: Option[String],
    rows: RowRange,
    blobBases: BlobBases,
    selection: Option[RowSelection] = None,
    maxGapRows: Long = FragmentScan.defaultGapRows,
    hasStableRowIds: Boolean = false,
    liveRowsBefore: Long = 0L,
    includesDeleted: Boolean = false,
    place: Place = Place.unknown
) {

  /** The same scan, which may fetch external blobs from these places as well. */
  def allowing(uris: AllowedUris): FragmentScan =
    if (uris == blobBases.allowed) this else copy(blobBases = blobBases.copy(allowed = uris))
}

object FragmentScan {

  /** Longer runs of deleted rows are skipped. */
  val defaultGapRows: Long = 1023L

  /** @param index of the fragment in the table
    * @param rows physical rows of the fragment
    * @param computed the computed columns that will be read
    */
  def apply(
      table: LanceTable,
      index: Int,
      rows: RowRange,
      selection: Option[RowSelection],
      maxGapRows: Long,
      computed: IndexedSeq[ComputedColumn]
  ): FragmentScan = {
    val fragment = table.fragments(index)
    FragmentScan(
      if (computed.exists(_.needsLineage)) fragment else fragment.withoutLineage,
      fragment.files.map(table.pathOf),
      table.deletionPath(fragment),
      rows,
      BlobBases(table.root, table.manifest.basePaths),
      selection,
      maxGapRows,
      table.hasStableRowIds,
      if (computed.exists(_.needsLiveRowsBefore)) table.liveRowsBefore(index) else 0L,
      place = Place(path = Some(table.path), version = Some(table.version))
    )
  }
}
