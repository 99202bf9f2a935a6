// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction.conflict

import io.github.pysparklance.core.Schema
import io.github.pysparklance.table.transaction.build.KeyExistenceFilter
import io.github.pysparklance.table.transaction.conflict.Conflicts._
import io.github.pysparklance.table.transaction.operation.{
  Append,
  CompactedSsTable,
  DataOverlay,
  DataReplacement,
  Delete,
  DeleteRows,
  DeletesRows,
  EvolveRows,
  Merge,
  Overwrite,
  PlainOperation,
  Project,
  Restore,
  Rewrite,
  Update,
  UpdateMemWalState,
  UpdateMode,
  UpdateRows
}

/** The rows of the conflict matrix for operations that add, delete, and change rows.
  *
  * Source: format page of the table, "Conflict matrix", rows A, D, U, V.
  */
private[transaction] object RowConflicts {

  /** @param schema
    *   schema of the version that theirs was committed on
    */
  def append(theirs: PlainOperation, schema: Schema): Verdict = theirs match {
    case m: Merge if StoredDefaults.areAdded(schema, m.schema) =>
      Retryable("a column with a default value was added, which new rows would lack")
    case _: Overwrite => overwritten
    case _: Restore => restored
    case _: UpdateMemWalState => memWalChanged
    case _ => Compatible
  }

  /** Checks a deletion or update with known rows. Concurrent changes to the same rows are detected
    * later, when the deletion files are merged.
    *
    * @param sameFiles whether their commit kept the data files of a fragment
    */
  def deletesRows(
      ours: DeletesRows,
      theirs: PlainOperation,
      sameFiles: Long => Boolean
  ): Verdict = {
    val fragments = ours.rows.iterator.filterNot(_._2.isEmpty).map(_._1).toSet
    def merged(updated: Iterable[Long], removed: Iterable[Long]): Verdict = all(
      unlessTouched(fragments, removed, "removed"),
      unlessTouched(fragments, updated.filterNot(sameFiles), "assigned new data files")
    )
    val shared = theirs match {
      case d: Delete => merged(d.updatedFragments.map(_.id), d.deletedFragmentIds)
      case u: Update => merged(u.updatedFragments.map(_.id), u.removedFragmentIds)
      case _ => touchedOrReplaced(fragments, theirs)
    }
    ours match {
      case _: DeleteRows => all(shared, deleteOnly(theirs))
      case _: EvolveRows => FileConflicts.merge(theirs)
      case u: UpdateRows =>
        all(
          shared,
          keys(u.insertedRows, theirs),
          updateOnly(Nil, theirs),
          theirs match {
            case v: DataOverlay if u.added.nonEmpty =>
              unlessTouched(fragments, v.fields.keys, "overlaid")
            case _ => Compatible
          }
        )
    }
  }

  /** Checks a deletion whose rows are unknown. */
  def delete(ours: Delete, theirs: PlainOperation): Verdict = {
    val fragments = (ours.updatedFragments.map(_.id) ++ ours.deletedFragmentIds).toSet
    all(sameFragments(fragments, theirs), touchedOrReplaced(fragments, theirs), deleteOnly(theirs))
  }

  /** Checks an update whose rows are unknown. */
  def update(ours: Update, theirs: PlainOperation): Verdict = {
    val fragments = (ours.updatedFragments.map(_.id) ++ ours.removedFragmentIds).toSet
    all(
      keys(ours.insertedRows, theirs),
      sameFragments(fragments, theirs),
      touchedOrReplaced(fragments, theirs),
      updateOnly(ours.compactedSsTables, theirs),
      theirs match {
        case p: Project =>
          val left = p.schema.flatten.map(_.id).toSet
          ours.fieldsModified.find(id => !left(id)) match {
            case Some(id) => Retryable(s"the field $id was dropped")
            case None => Compatible
          }
        case v: DataOverlay => overlaid(ours, fragments, v)
        case _ => Compatible
      }
    )
  }

  private def overlaid(ours: Update, fragments: Set[Long], theirs: DataOverlay): Verdict =
    if (ours.updateMode == UpdateMode.RewriteColumns) {
      val rewritten = ours.updatedFragments.iterator.map(_.id).toSet
      val fields = ours.fieldsModified.toSet
      unlessTouched(
        rewritten,
        theirs.fields.collect { case (id, overlaid) if overlaid.exists(fields) => id },
        "overlaid"
      )
    } else if (ours.movesRows) unlessTouched(fragments, theirs.fields.keys, "overlaid")
    else Compatible

  def overlay(ours: DataOverlay, theirs: PlainOperation): Verdict = {
    val fragments = ours.fields.keySet
    theirs match {
      case d: Delete => unlessTouched(fragments, d.deletedFragmentIds, "removed")
      case u: Update =>
        all(
          unlessTouched(fragments, u.removedFragmentIds, "removed"),
          if (u.movesRows) unlessTouched(fragments, u.updatedFragments.map(_.id), "updated")
          else Compatible
        )
      case r: Rewrite => unlessTouched(fragments, r.oldIds, "compacted")
      case _: Merge => columnsChanged
      case _: Overwrite => overwritten
      case _: Restore => restored
      case _: UpdateMemWalState => memWalChanged
      case _ => Compatible
    }
  }

  private def sameFragments(fragments: Set[Long], theirs: PlainOperation): Verdict = theirs match {
    case d: Delete =>
      unlessTouched(fragments, d.updatedFragments.map(_.id) ++ d.deletedFragmentIds, "changed")
    case u: Update =>
      unlessTouched(fragments, u.updatedFragments.map(_.id) ++ u.removedFragmentIds, "changed")
    case _ => Compatible
  }

  /** Checks that apply to both deletions and updates. */
  private def touchedOrReplaced(fragments: Set[Long], theirs: PlainOperation): Verdict =
    theirs match {
      case r: Rewrite => unlessTouched(fragments, r.oldIds, "compacted")
      case r: DataReplacement =>
        unlessTouched(fragments, r.replacements.map(_._1), "assigned new data files")
      case _: Merge => columnsChanged
      case _: Overwrite => overwritten
      case _: Restore => restored
      case _ => Compatible
    }

  private def deleteOnly(theirs: PlainOperation): Verdict = theirs match {
    case _: UpdateMemWalState => memWalChanged
    case _ => Compatible
  }

  private def updateOnly(ours: Seq[CompactedSsTable], theirs: PlainOperation): Verdict =
    theirs match {
      case s: UpdateMemWalState => sameShards(ours, s.compactedSsTables)
      case _ => Compatible
    }

  /** Detects concurrent inserts of the same key. */
  private def keys(ours: Option[KeyExistenceFilter], theirs: PlainOperation): Verdict =
    (ours, theirs) match {
      case (Some(_), _: Append) => Retryable("rows were appended, possibly with the same keys")
      case (Some(filter), u: Update) =>
        u.insertedRows.fold(Option("rows were changed or inserted, possibly with the same keys"))(
          filter.obstacle
        ).fold[Verdict](Compatible)(Retryable)
      case _ => Compatible
    }
}
