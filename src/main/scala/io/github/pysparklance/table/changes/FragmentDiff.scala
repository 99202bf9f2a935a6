// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.changes

import io.github.pysparklance.core.{RowRange, RowSelection, Schema}
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.deletion.DeletionVector
import io.github.pysparklance.table.manifest.{DataFile, Fragment, Manifest}

/** How the rows of two versions differ, fragment by fragment. Rows that moved to another fragment
  * count as deleted here and inserted there.
  *
  * @param deleted rows that only the version before has
  * @param inserted rows that only the version after has
  * @param rewritten rows that both have, in a fragment that has new files for a column of both
  *   versions
  */
final private[changes] case class FragmentDiff(
    deleted: IndexedSeq[FragmentDiff.Rows],
    inserted: IndexedSeq[FragmentDiff.Rows],
    rewritten: IndexedSeq[FragmentDiff.Rewritten]
) {

  /** Whether fragments both lost and gained rows, so that rows may have moved. */
  def mayMove: Boolean = deleted.nonEmpty && inserted.nonEmpty
}

private[changes] object FragmentDiff {

  /** Rows of a fragment, at least one. */
  final case class Rows(fragment: Fragment, rows: RowSelection)

  /** Rows of a fragment before and after, at least one. */
  final case class Rewritten(before: Fragment, after: Fragment, rows: RowSelection)

  /** No changes. */
  val none: FragmentDiff = FragmentDiff(IndexedSeq.empty, IndexedSeq.empty, IndexedSeq.empty)

  /** All rows of a version as inserted. */
  def created(after: LanceTable): FragmentDiff =
    FragmentDiff(IndexedSeq.empty, after.fragments.flatMap(all(after, _)), IndexedSeq.empty)

  /** All rows of the earlier version as deleted, and all rows of the later version as inserted. */
  def replaced(before: LanceTable, after: LanceTable): FragmentDiff =
    created(after).copy(deleted = before.fragments.flatMap(all(before, _)))

  /** Compares two versions.
    *
    * @param keepsIds whether a fragment id identifies the same rows in both versions even if the
    *   fragments share no file. Early releases reused ids after an overwrite, and a restore can
    *   bring such fragments back
    * @param changesColumns whether the commit adds columns or changes their types, so that columns
    *   with other leaves than before were rewritten with the same values
    * @param updatedRows the rows of a fragment that got new values in place, if the commit recorded
    *   them; `None` for all rows of the fragment
    */
  def apply(before: LanceTable, after: LanceTable, keepsIds: Boolean, changesColumns: Boolean)(
      updatedRows: Long => Option[RowSelection]
  ): FragmentDiff = {
    val old = before.fragments.iterator.map(f => f.id -> f).toMap
    val fieldIds = comparedLeaves(before.schema, after.schema, changesColumns)
    val deleted = IndexedSeq.newBuilder[Rows]
    val inserted = IndexedSeq.newBuilder[Rows]
    val rewritten = IndexedSeq.newBuilder[Rewritten]
    val kept = Set.newBuilder[Long]
    after.fragments.foreach { f =>
      old.get(f.id).filter(keepsIds || isSame(_, f)) match {
        case None => inserted ++= all(after, f)
        case Some(b) =>
          kept += f.id
          if (b.message != f.message) {
            val (gone, back) = deletions(before, b, after, f)
            deleted ++= rows(b, gone)
            inserted ++= rows(f, back)
            if (hasNewFiles(b, f, fieldIds)) {
              val both = live(before, b).intersect(live(after, f))
              val changed = updatedRows(f.id).fold(both)(both.intersect)
              if (!changed.isEmpty) rewritten += Rewritten(b, f, changed)
            }
          }
      }
    }
    val present = kept.result()
    val gone = before.fragments.filterNot(f => present(f.id)).flatMap(all(before, _))
    FragmentDiff(gone ++ deleted.result(), inserted.result(), rewritten.result())
  }

  /** Returns the fragments of a version that have new files for a column of both versions.
    *
    * @param changesColumns see [[apply]]
    */
  def withNewFiles(
      before: Manifest,
      after: Manifest,
      changesColumns: Boolean
  ): IndexedSeq[Fragment] = {
    val old = before.fragments.iterator.map(f => f.id -> f).toMap
    val fieldIds = comparedLeaves(before.schema, after.schema, changesColumns)
    after.fragments.filter(f => old.get(f.id).exists(hasNewFiles(_, f, fieldIds)))
  }

  /** The ids of leaves of both versions whose new files are new values. Only leaves have values of
    * their own: a struct or list gets a new file with any of its members.
    */
  private def comparedLeaves(
      before: Schema,
      after: Schema,
      changesColumns: Boolean
  ): Set[Int] = {
    def columns(s: Schema) =
      s.fields.iterator.map(f => f.id -> f.leaves.iterator.map(_.id).toSet).toMap
    val (old, now) = (columns(before), columns(after))
    val evolved =
      if (!changesColumns) Set.empty[Int]
      else
        (old.keySet ++ now.keySet)
          .filter(id => old.get(id) != now.get(id))
          .flatMap(id => old.getOrElse(id, Set.empty[Int]) ++ now.getOrElse(id, Set.empty[Int]))
    (old.values.flatten.toSet & now.values.flatten.toSet) -- evolved
  }

  private def rows(fragment: Fragment, rows: RowSelection): Option[Rows] =
    if (rows.isEmpty) None else Some(Rows(fragment, rows))

  private def all(table: LanceTable, fragment: Fragment): Option[Rows] =
    rows(fragment, live(table, fragment))

  /** The rows of a fragment that are not deleted. */
  def live(table: LanceTable, fragment: Fragment): RowSelection = {
    val all = RowRange(0, table.physicalRows(fragment))
    if (fragment.deletionFile.isEmpty) RowSelection.of(all)
    else RowSelection.of(table.deletionVector(fragment).liveRanges(all).toIndexedSeq)
  }

  /** Rows that were deleted since, and rows that are no longer deleted. */
  private def deletions(
      before: LanceTable,
      b: Fragment,
      after: LanceTable,
      f: Fragment
  ): (RowSelection, RowSelection) =
    if (b.deletionFile == f.deletionFile) (RowSelection.empty, RowSelection.empty)
    else {
      val (old, now) = (before.deletionVector(b), after.deletionVector(f))
      (surplus(now, old), surplus(old, now))
    }

  private def surplus(of: DeletionVector, over: DeletionVector): RowSelection =
    if (of.isEmpty) RowSelection.empty else of.minus(over).rows

  private def isSame(before: Fragment, after: Fragment): Boolean =
    before.physicalRows == after.physicalRows && {
      val paths = before.files.iterator.map(f => (f.path, f.baseId)).toSet
      after.files.exists(f => paths((f.path, f.baseId)))
    }

  private def hasNewFiles(before: Fragment, after: Fragment, fieldIds: Set[Int]): Boolean =
    before.message.getFilesList != after.message.getFilesList && {
      val (old, now) = (columns(before, fieldIds), columns(after, fieldIds))
      old != now
    }

  /** Where the values of fields are. */
  private def columns(
      fragment: Fragment,
      fieldIds: Set[Int]
  ): Map[Int, (String, Option[Int], Int)] = {
    def of(file: DataFile) =
      for {
        id <- file.fields.iterator
        if fieldIds(id)
        column <- file.columnOf(id)
      } yield id -> ((file.path, file.baseId, column))
    fragment.files.iterator.flatMap(of).toMap
  }
}
