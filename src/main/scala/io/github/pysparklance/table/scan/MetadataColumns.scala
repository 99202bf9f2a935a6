// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.scan

import io.github.pysparklance.core.{Checked, Field, LogicalType, LongValues, RowRange}
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.deletion.DeletionVector
import io.github.pysparklance.table.manifest.Fragment
import io.github.pysparklance.table.rowid.{
  RowAddress,
  RowDatasetVersionSequence,
  RowIdSequence,
  RowLineage
}

/** A virtual column of every table. Never null.
  *
  * Source: format page of the table, "Identity columns", except for [[MetadataColumn.descriptive]].
  */
sealed abstract class MetadataColumn(
    val name: String,
    val logicalType: LogicalType
) extends ComputedColumn {

  /** Creates a numeric column. This is not a default argument, because default arguments are
    * members of the companion, whose initialization needs the columns.
    */
  def this(name: String) = this(name, LogicalType.Integer(64, signed = true))

  /** The field of the values in a scan, and in data files that store them. Numbers are unsigned,
    * but typed as signed, so that they are returned unchanged.
    */
  def field: Field = Field(fieldId, name, logicalType, nullable = false)

  private def fieldId: Int = this match {
    case MetadataColumn.RowId => RowLineage.rowIdField
    case MetadataColumn.RowCreatedAtVersion => RowLineage.createdAtField
    case MetadataColumn.RowLastUpdatedAtVersion => RowLineage.lastUpdatedAtField
    case _ => Field.Unassigned
  }

  def needsLineage: Boolean = fieldId != Field.Unassigned

  def needsLiveRowsBefore: Boolean = this == MetadataColumn.RowOffset

  def in(scan: FragmentScan, deletions: DeletionVector): ComputedColumn.Source = {
    val columns =
      new MetadataColumns(scan.fragment, scan.hasStableRowIds, scan.liveRowsBefore, deletions)
    if (columns.stored(this).isDefined) ComputedColumn.Hidden
    else new MetadataValues(this, columns, scan, deletions)
  }
}

object MetadataColumn {

  /** The stable row id if the table has them, otherwise the address. */
  case object RowId extends MetadataColumn("_rowid")

  /** See [[RowAddress]]. */
  case object RowAddr extends MetadataColumn("_rowaddr")

  /** Rank among the live rows of the whole version, 0-based in scan order. */
  case object RowOffset extends MetadataColumn("_rowoffset")

  /** Id of the fragment. */
  case object FragId extends MetadataColumn("_fragid")

  /** The version that created the row; 1 if it was not recorded. */
  case object RowCreatedAtVersion extends MetadataColumn("_row_created_at_version")

  /** The version that last updated the row; 1 if it was not recorded. */
  case object RowLastUpdatedAtVersion extends MetadataColumn("_row_last_updated_at_version")

  /** Path of the fragment's first data file. */
  case object File extends MetadataColumn("_file", LogicalType.Utf8(large = false))

  /** Whether the row is deleted. Always false unless the scan includes deleted rows. */
  case object Deleted extends MetadataColumn("_deleted", LogicalType.Bool)

  /** Columns defined by the format, unsigned 64-bit numbers, in the order of scans. */
  val all: IndexedSeq[MetadataColumn] = IndexedSeq(
    RowId,
    RowAddr,
    RowOffset,
    FragId,
    RowCreatedAtVersion,
    RowLastUpdatedAtVersion
  )

  /** Columns defined by this connector, which are not numbers. */
  val descriptive: IndexedSeq[MetadataColumn] = IndexedSeq(File, Deleted)

  /** Returns a column by name. */
  def byName(name: String): Option[MetadataColumn] = (all ++ descriptive).find(_.name == name)
}

object MetadataColumns {

  /** The metadata columns of a fragment of a table.
    *
    * @param index position of the fragment in the table
    */
  def apply(table: LanceTable, index: Int): MetadataColumns = new MetadataColumns(
    table.fragments(index),
    table.hasStableRowIds,
    table.liveRowsBefore(index),
    table.deletionVector(table.fragments(index))
  )
}

/** Computes the metadata columns of one fragment. Caches decoded sequences. Not thread-safe. Hot
  * code: imperative.
  *
  * @param hasStableRowIds whether the table has stable row ids
  * @param liveRowsBefore live rows in the fragments before this one; evaluated only for
  *   `_rowoffset`
  * @param deletions deletions of this fragment; evaluated only for `_rowoffset`
  */
final class MetadataColumns(
    fragment: Fragment,
    hasStableRowIds: Boolean,
    liveRowsBefore: => Long,
    deletions: => DeletionVector
) {
  import MetadataColumn._

  private lazy val rowIds: RowLineage[RowIdSequence] =
    if (hasStableRowIds) RowLineage.rowIds(fragment) else RowLineage.Absent
  private lazy val createdAt: RowLineage[RowDatasetVersionSequence] =
    RowLineage.createdAt(fragment)
  private lazy val lastUpdatedAt: RowLineage[RowDatasetVersionSequence] =
    RowLineage.lastUpdatedAt(fragment)

  /** Returns the column of the fragment's files that stores these values, or `None` if [[fill]]
    * computes them.
    *
    * @throws io.github.pysparklance.core.CorruptFileException if the manifest is inconsistent
    */
  def stored(column: MetadataColumn): Option[RowLineage.Stored] = {
    val lineage = column match {
      case RowId => rowIds
      case RowCreatedAtVersion => createdAt
      case RowLastUpdatedAtVersion => lastUpdatedAt
      case RowAddr | RowOffset | FragId | File | Deleted => RowLineage.Absent
    }
    Some(lineage).collect { case s: RowLineage.Stored => s }
  }

  /** Appends one value per physical row to `out`. Values of deleted rows are undefined.
    *
    * @param column a numeric column that is not [[stored]]
    * @param rows rows in the fragment
    * @throws io.github.pysparklance.core.CorruptFileException if the manifest is damaged
    */
  def fill(column: MetadataColumn, rows: RowRange, out: LongValues): Unit = {
    val numRows = Checked.int(rows.numRows, "rows of a read")
    val at = out.extend(numRows)
    val array = out.array
    column match {
      case RowAddr => consecutive(RowAddress(fragment.id, rows.from), array, at, numRows)
      case FragId => java.util.Arrays.fill(array, at, at + numRows, fragment.id)
      case RowOffset => ranks(rows, array, at)
      case RowId =>
        rowIds match {
          case RowLineage.Inline(ids) => ids.fill(rows, array, at)
          case RowLineage.Absent =>
            consecutive(RowAddress(fragment.id, rows.from), array, at, numRows)
          case s: RowLineage.Stored => isStored(column, s)
        }
      case RowCreatedAtVersion => versions(column, createdAt, rows, array, at)
      case RowLastUpdatedAtVersion => versions(column, lastUpdatedAt, rows, array, at)
      case File | Deleted =>
        throw new IllegalArgumentException(s"${column.name} is not a numeric column")
    }
  }

  private def versions(
      column: MetadataColumn,
      lineage: RowLineage[RowDatasetVersionSequence],
      rows: RowRange,
      out: Array[Long],
      at: Int
  ): Unit = lineage match {
    case RowLineage.Inline(versions) => versions.fill(rows, out, at)
    case RowLineage.Absent => java.util.Arrays.fill(out, at, at + rows.numRows.toInt, 1L)
    case s: RowLineage.Stored => isStored(column, s)
  }

  private def isStored(column: MetadataColumn, s: RowLineage.Stored): Nothing =
    throw new IllegalArgumentException(
      s"${column.name} is column ${s.column} of file ${s.file} of the fragment"
    )

  private def consecutive(first: Long, out: Array[Long], at: Int, numRows: Int): Unit = {
    var i = 0
    while (i < numRows) {
      out(at + i) = first + i
      i += 1
    }
  }

  private def ranks(rows: RowRange, out: Array[Long], at: Int): Unit = {
    val deleted = deletions.deletedIn(rows)
    var rank = liveRowsBefore + rows.from - deletions.numDeletedIn(RowRange(0, rows.from))
    val numRows = rows.numRows.toInt
    var next = 0
    var i = 0
    while (i < numRows) {
      out(at + i) = rank
      if (next < deleted.length && deleted(next) == i) next += 1 else rank += 1
      i += 1
    }
  }
}
