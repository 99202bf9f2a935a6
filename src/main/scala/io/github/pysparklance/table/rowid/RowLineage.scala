// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.rowid

import io.github.pysparklance.core.CorruptFileException
import io.github.pysparklance.table.manifest.Fragment
import io.github.pysparklance.table.proto.DataFragment

/** The location of the ids or versions of a fragment's rows. */
sealed trait RowLineage[+A]

/** Locates row ids and row versions of a fragment.
  *
  * Source: message `DataFragment`, table.proto; format page of the table, "Spilled lineage".
  */
object RowLineage {

  /** Stored in the manifest. */
  final case class Inline[A](sequence: A) extends RowLineage[A]

  /** Stored in a hidden column of one of the fragment's files: unsigned 64-bit numbers without
    * nulls, one per row.
    *
    * @param file index among the files of the fragment
    * @param column column of that file
    */
  final case class Stored(file: Int, column: Int) extends RowLineage[Nothing]

  /** Not stored. */
  case object Absent extends RowLineage[Nothing]

  /** Field ids of the hidden columns. */
  val rowIdField: Int = -3
  val createdAtField: Int = -4
  val lastUpdatedAtField: Int = -5
  val fields: Set[Int] = Set(rowIdField, createdAtField, lastUpdatedAtField)

  /** Locates the stable row ids. They are absent in tables without stable row ids.
    *
    * @param complete whether every row must have an id; true for fragments of a table, false for
    *   fragments to be added
    * @throws CorruptFileException if the ids are damaged, or their number differs from the rows
    */
  def rowIds(f: Fragment, complete: Boolean = true): RowLineage[RowIdSequence] = {
    import DataFragment.RowIdSequenceCase._
    f.message.getRowIdSequenceCase match {
      case INLINE_ROW_IDS =>
        val rows = f.physicalRows.filter(_ => complete)
        Inline(RowIdSequence.parse(f.message.getInlineRowIds.toByteArray, rows))
      case COLUMN_ROW_IDS => stored(f, rowIdField, "row ids")
      case ROWIDSEQUENCE_NOT_SET => Absent
    }
  }

  /** Locates the versions that created the rows. They are absent if they were not recorded.
    *
    * @throws CorruptFileException if the versions are damaged, or their number differs from the
    *   rows
    */
  def createdAt(f: Fragment): RowLineage[RowDatasetVersionSequence] = {
    import DataFragment.CreatedAtVersionSequenceCase._
    f.message.getCreatedAtVersionSequenceCase match {
      case INLINE_CREATED_AT_VERSIONS => versions(f, f.message.getInlineCreatedAtVersions)
      case COLUMN_CREATED_AT_VERSIONS => stored(f, createdAtField, "created-at versions")
      case CREATEDATVERSIONSEQUENCE_NOT_SET => Absent
    }
  }

  /** Locates the versions that last updated the rows. They are absent if they were not recorded.
    *
    * @throws CorruptFileException if the versions are damaged, or their number differs from the
    *   rows
    */
  def lastUpdatedAt(f: Fragment): RowLineage[RowDatasetVersionSequence] = {
    import DataFragment.LastUpdatedAtVersionSequenceCase._
    f.message.getLastUpdatedAtVersionSequenceCase match {
      case INLINE_LAST_UPDATED_AT_VERSIONS => versions(f, f.message.getInlineLastUpdatedAtVersions)
      case COLUMN_LAST_UPDATED_AT_VERSIONS =>
        stored(f, lastUpdatedAtField, "last-updated-at versions")
      case LASTUPDATEDATVERSIONSEQUENCE_NOT_SET => Absent
    }
  }

  /** Whether the manifest shows that no row was updated, without parsing any sequence. */
  def isNeverUpdated(f: Fragment): Boolean = {
    import DataFragment.LastUpdatedAtVersionSequenceCase._
    val m = f.message
    m.getLastUpdatedAtVersionSequenceCase match {
      case INLINE_LAST_UPDATED_AT_VERSIONS =>
        m.hasInlineCreatedAtVersions &&
        m.getInlineCreatedAtVersions == m.getInlineLastUpdatedAtVersions
      case COLUMN_LAST_UPDATED_AT_VERSIONS => false
      case LASTUPDATEDATVERSIONSEQUENCE_NOT_SET => true
    }
  }

  private def versions(f: Fragment, bytes: com.google.protobuf.ByteString) =
    Inline(RowDatasetVersionSequence.parse(bytes.toByteArray, f.physicalRows))

  private def stored(f: Fragment, field: Int, what: String): Stored = {
    val found = for {
      (file, i) <- f.files.zipWithIndex
      if file.fields.contains(field)
    } yield Stored(i, file.columnIndices.lift(file.fields.indexOf(field)).getOrElse(-1))
    CorruptFileException.check(
      found.length == 1 && found.head.column >= 0,
      s"corrupt manifest: the $what of fragment ${f.id} are in ${found.length} files, expected one with a column"
    )
    found.head
  }
}
