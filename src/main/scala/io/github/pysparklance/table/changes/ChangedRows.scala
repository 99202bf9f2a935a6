// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.changes

import io.github.pysparklance.core.{Place, RowRange, RowSelection, UnsupportedFeatureException}
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.blob.BlobBases
import io.github.pysparklance.table.manifest.Fragment
import io.github.pysparklance.table.rowid.LineageReader
import io.github.pysparklance.table.scan.{ChangeType, FragmentScan, RowChange}

/** Rows of one fragment that one commit changed in the same way, with all it takes to read them.
  * Keeps nothing else of the version that they are read from.
  *
  * @param change what happened to them
  * @param fragment without its deletion file: `rows` has only rows that are not deleted
  * @param paths where each of the fragment's files is, in their order
  * @param rows physical rows of the fragment, at least one
  * @param readVersion the version that their values are read from
  * @param hasStableRowIds whether the table has stable row ids in that version
  * @param path path of the table, for errors
  */
final private[table] case class ChangedRows(
    change: RowChange,
    fragment: Fragment,
    paths: IndexedSeq[String],
    blobBases: BlobBases,
    rows: RowSelection,
    readVersion: Long,
    hasStableRowIds: Boolean,
    path: String
) {

  /** Number of rows. */
  def numRows: Long = rows.numRows

  /** These rows as something else happened to them. */
  def as(changeType: ChangeType): ChangedRows = copy(change = change.copy(changeType = changeType))

  /** Some of these rows; `None` without any. */
  def only(some: RowSelection): Option[ChangedRows] =
    if (some.isEmpty) None else Some(copy(rows = some))

  /** Reads ids and versions of the rows of the fragment. */
  def lineage(store: FileStore): LineageReader =
    new LineageReader(store, fragment.files.zip(paths).toMap)

  private def place = Place(path = Some(path), version = Some(readVersion))

  /** A scan of the rows.
    *
    * @param fields fields of the range of versions
    * @param keepsLineage whether row ids and row versions are read
    */
  def scan(fields: FieldHistory, keepsLineage: Boolean): FragmentScan = {
    val era = fields.of(readVersion)
    // Readers of version 0.1 find the pages of a column by its id in the file.
    if (era.isRenumbered && fragment.files.exists(_.fileVersion == FileVersion.V0_1))
      throw new UnsupportedFeatureException(
        "a change feed with data files of version 0.1 from before an overwrite or a change of a column type: " +
          "read their changes in a range that ends before it",
        place
      )
    val ranges = rows.ranges
    val span = RowRange(ranges.head.from, ranges.last.until)
    FragmentScan(
      era.renamed(if (keepsLineage) fragment else fragment.withoutLineage),
      paths,
      None,
      span,
      blobBases,
      if (ranges.length == 1) None else Some(rows),
      hasStableRowIds = hasStableRowIds,
      place = place,
      storedTypes = era.storedTypes,
      change = Some(change)
    )
  }
}

private[changes] object ChangedRows {

  /** Rows of a fragment of a version.
    *
    * @param rows not deleted in that version; `None` is returned if it is empty
    */
  def of(
      table: LanceTable,
      fragment: Fragment,
      rows: RowSelection,
      change: RowChange
  ): Option[ChangedRows] =
    if (rows.isEmpty) None
    else
      Some(
        ChangedRows(
          change,
          fragment.withoutDeletions,
          fragment.files.map(table.pathOf),
          BlobBases(table.root, table.manifest.basePaths),
          rows,
          table.version,
          table.hasStableRowIds,
          table.path
        )
      )
}
