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

/** A column that every table has without storing it as one; never null.
  *
  * Source: format page of the table, "Identity columns", but for [[MetadataColumn.descriptive]].
  */
sealed abstract class MetadataColumn(
    val name: String,
    val logicalType: LogicalType
) extends ComputedColumn {

  /** A number. No default argument: that would lie in the companion, which lists the columns and so must not be made
    * while the first of them is.
    */
  def this(name: String) = this(name, LogicalType.Integer(64, signed = true))

  /** The values as a scan answers them, and as they lie in a data file, where they do. Numbers are unsigned, but said to
    * be signed, so that they come out as they are made.
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

  /** The stable id where the table has them, else the address. */
  case object RowId extends MetadataColumn("_rowid")

  /** See [[RowAddress]]. */
  case object RowAddr extends MetadataColumn("_rowaddr")

  /** Rank among the rows of the whole version that are not deleted, in scan order, from 0. */
  case object RowOffset extends MetadataColumn("_rowoffset")

  /** Id of the fragment. */
  case object FragId extends MetadataColumn("_fragid")

  /** The version that made the row, 1 where nobody noted it. */
  case object RowCreatedAtVersion extends MetadataColumn("_row_created_at_version")

  /** The version that last changed the row, 1 where nobody noted it. */
  case object RowLastUpdatedAtVersion extends MetadataColumn("_row_last_updated_at_version")

  /** Where the first data file of the fragment is. */
  case object File extends MetadataColumn("_file", LogicalType.Utf8(large = false))

  /** Whether the row is deleted: false, unless a scan was asked for deleted rows as well. */
  case object Deleted extends MetadataColumn("_deleted", LogicalType.Bool)

  /** Those of the format, unsigned 64-bit numbers, in the order in which a scan shows them. */
  val all: IndexedSeq[MetadataColumn] = IndexedSeq(
    RowId,
    RowAddr,
    RowOffset,
    FragId,
    RowCreatedAtVersion,
    RowLastUpdatedAtVersion
  )

  /** Our own, which are no numbers. */
  val descriptive: IndexedSeq[MetadataColumn] = IndexedSeq(File, Deleted)

  /** The column of that name. */
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

/** Makes the metadata columns of one fragment. Not thread-safe: it decodes what it needs once. Hot code: imperative.
  *
  * @param hasStableRowIds whether the table has stable row ids
  * @param liveRowsBefore rows that are not deleted in the fragments before this one; asked for by `_rowoffset` only
  * @param deletions of this fragment; asked for by `_rowoffset` only
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

  /** The column of the fragment's files that holds these values; none when [[fill]] makes them.
    *
    * @throws io.github.pysparklance.core.CorruptFileException when the manifest contradicts itself
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

  /** Appends the values of physical rows to `out`, one per row; of a deleted row any number.
    *
    * @param column one of numbers that is not [[stored]]
    * @param rows that lie in the fragment
    * @throws io.github.pysparklance.core.CorruptFileException when the manifest is damaged
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
      case File | Deleted => throw new IllegalArgumentException(s"${column.name} is no number")
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
