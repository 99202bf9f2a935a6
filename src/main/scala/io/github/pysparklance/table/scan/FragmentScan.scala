// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.scan

import io.github.pysparklance.core.{Place, RowRange, RowSelection}
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.blob.{AllowedUris, BlobBases}
import io.github.pysparklance.table.manifest.Fragment

/** Rows of one fragment, with everything needed to read them. Created with the manifest and sent to
  * the tasks that read data.
  *
  * @param paths paths of the fragment's files, in their order
  * @param deletionPath path of its deletion file, if it has one
  * @param rows physical rows, including deleted ones
  * @param selection the rows to read among `rows`; `None` for all
  * @param maxGapRows up to this number of unwanted rows between wanted ones are decoded instead of
  *   skipped
  * @param hasStableRowIds whether the table has stable row ids
  * @param liveRowsBefore live rows in the fragments before this one; 0 if not needed
  * @param includesDeleted whether deleted rows are returned, too
  * @param place the table, for error messages
  * @param blobBases resolves blobs outside the data files
  * @param storedTypes stored types of leaves, where they differ from the types of the read
  * @param change the change that the rows are part of, for the columns of a change feed
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
    place: Place = Place.unknown,
    storedTypes: StoredTypes = StoredTypes.asRead,
    change: Option[RowChange] = None
) {

  /** Returns this scan with permission to read external blobs from these locations. */
  def allowing(uris: AllowedUris): FragmentScan =
    if (uris == blobBases.allowed) this else copy(blobBases = blobBases.copy(allowed = uris))
}

object FragmentScan {

  /** Longer runs of unwanted rows are skipped. */
  val defaultGapRows: Long = 1023L

  /** Unwanted rows of fewer bytes are read together with the wanted rows around them. */
  private val gapBytes = 4096L

  /** Returns the number of unwanted rows up to which reading them is faster than skipping them.
    *
    * @param rowBytes size of a row
    */
  def gapRows(rowBytes: Long): Long = math.min(defaultGapRows, gapBytes / math.max(1L, rowBytes))

  /** Creates the scan of a fragment.
    *
    * @param index index of the fragment in the table
    * @param rows physical rows of the fragment
    * @param computed the computed columns to read
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
      table.blobBases,
      selection,
      maxGapRows,
      table.hasStableRowIds,
      if (computed.exists(_.needsLiveRowsBefore)) table.liveRowsBefore(index) else 0L,
      place = table.place
    )
  }
}
