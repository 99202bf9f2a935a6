// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction.conflict

import io.github.pysparklance.core.Schema
import io.github.pysparklance.table.manifest.IndexSegment
import io.github.pysparklance.table.transaction.conflict.Conflicts._
import io.github.pysparklance.table.transaction.operation.{
  Append,
  CreateIndex,
  DataOverlay,
  DataReplacement,
  Delete,
  Merge,
  Overwrite,
  PlainOperation,
  Project,
  Restore,
  Rewrite,
  Update,
  UpdateMemWalState
}

/** The rows of the conflict matrix for operations that replace files, and for indices.
  *
  * Source: format page of the table, "Conflict matrix", rows W, M, T, C.
  */
private[transaction] object FileConflicts {

  def rewrite(ours: Rewrite, theirs: PlainOperation): Verdict = {
    val fragments = ours.oldIds.toSet
    theirs match {
      case d: Delete =>
        unlessTouched(fragments, d.updatedFragments.map(_.id) ++ d.deletedFragmentIds, "changed")
      case u: Update =>
        unlessTouched(fragments, u.updatedFragments.map(_.id) ++ u.removedFragmentIds, "changed")
      case v: DataOverlay => unlessTouched(fragments, v.fields.keys, "overlaid")
      case r: Rewrite => unlessTouched(fragments, r.oldIds, "compacted")
      case r: DataReplacement =>
        unlessTouched(fragments, r.replacements.map(_._1), "assigned new data files")
      case c: CreateIndex => rewriteIndexed(ours, c)
      case _: Merge => columnsChanged
      case _: Overwrite => overwritten
      case _: Restore => restored
      case _ => Compatible
    }
  }

  private def rewriteIndexed(ours: Rewrite, theirs: CreateIndex): Verdict =
    if (theirs.newIndices.exists(_.isFragmentReuse))
      if (theirs.newIndices.length == 1 && theirs.removedIndices.length == 1) Compatible
      else Incompatible("the fragment-reuse index was changed together with other indices")
    else if (ours.fragmentReuse.isEmpty)
      // Zone maps do not cover rewritten fragments, and every write commits new zone maps.
      uncovered(ours, theirs.newIndices.filterNot(_.isZoneMap))
    else {
      val hasRowIds = ours.groups.exists(_.oldFragments.exists(Rewrite.hasRowIds))
      all(theirs.newIndices.map { i =>
        if (hasRowIds && !i.isSystem && !i.hasRowAddresses) indexed(i)
        else
          i.bitmap.fold(indexed(i)) { covered =>
            val isSplit = ours.groups.exists { g =>
              g.oldFragments.map(f => covered.contains(f.id.toInt)).distinct.length > 1
            }
            if (isSplit) indexed(i) else Compatible
          }
      }: _*)
    }

  private def indexed(i: IndexSegment): Verdict =
    Retryable(s"the index ${i.name} was built on fragments that are rewritten")

  /** Conflicts if an index covers rows that are moved. */
  private def uncovered(rewrite: Rewrite, indices: Seq[IndexSegment]): Verdict = all(
    indices.map { i =>
      val covers = i.bitmap.fold(true)(b => rewrite.oldIds.exists(id => b.contains(id.toInt)))
      if (covers) indexed(i) else Compatible
    }: _*
  )

  def merge(theirs: PlainOperation): Verdict = theirs match {
    case c: CreateIndex =>
      if (c.newIndices.exists(_.isMemWal)) Retryable("a write-ahead log was set up") else Compatible
    case _: Append | _: Delete | _: Update => Retryable("rows were added, deleted or changed")
    case _: Rewrite => Retryable("fragments were compacted")
    case _: Merge => columnsChanged
    case _: DataReplacement | _: DataOverlay => Retryable("column files were replaced")
    case _: Overwrite => overwritten
    case _: Restore => restored
    case _: Project => Incompatible("columns were dropped or changed")
    case _: UpdateMemWalState => memWalChanged
    case _ => Compatible
  }

  def replacement(ours: DataReplacement, theirs: PlainOperation, schema: Schema): Verdict = {
    val fragments = ours.replacements.iterator.map(_._1).toSet
    def removed(ids: Seq[Long]): Verdict = ids.find(fragments) match {
      case Some(id) => Incompatible(s"fragment $id was removed")
      case None => Compatible
    }
    theirs match {
      case d: Delete => removed(d.deletedFragmentIds)
      case u: Update =>
        val isStale = u.movesRows || u.fieldsModified.exists(schema.related(ours.fields))
        all(
          removed(u.removedFragmentIds),
          if (isStale) unlessTouched(fragments, u.updatedFragments.map(_.id), "changed")
          else Compatible
        )
      case c: CreateIndex => replacedIndexed(ours, c, schema)
      case r: Rewrite => unlessTouched(fragments, r.oldIds, "compacted")
      case r: DataReplacement =>
        val mine = ours.replacements.flatMap { case (id, f) => f.fields.map(id -> _) }.toSet
        r.replacements.find { case (id, f) => f.fields.exists(field => mine(id -> field)) } match {
          case Some((id, _)) => Retryable(s"the same columns of fragment $id were replaced")
          case None => Compatible
        }
      case p: Project =>
        val left = p.schema.flatten.map(_.id).toSet
        ours.fields.find(id => !left(id)) match {
          case Some(id) => Incompatible(s"the field $id was dropped")
          case None => Compatible
        }
      case _: Merge => columnsChanged
      case _: Overwrite => overwritten
      case _: Restore => restored
      case _: UpdateMemWalState => memWalChanged
      case _ => Compatible
    }
  }

  private def replacedIndexed(
      replaced: DataReplacement,
      built: CreateIndex,
      schema: Schema
  ): Verdict =
    built.newIndices.find(_.valueFields.exists(schema.related(replaced.fields))) match {
      case Some(i) =>
        Retryable(s"the index ${i.name} conflicts with the replaced files of its columns")
      case None => Compatible
    }

  def createIndex(ours: CreateIndex, theirs: PlainOperation, schema: Schema): Verdict =
    theirs match {
      case c: CreateIndex => bothIndexed(ours, c)
      case r: Rewrite => all(uncovered(r, ours.newIndices), renewed(r, ours))
      case r: DataReplacement => replacedIndexed(r, ours, schema)
      case _: Merge if ours.newIndices.exists(_.isMemWal) => columnsChanged
      case _: UpdateMemWalState if !ours.newIndices.exists(_.isMemWal) => memWalChanged
      case _: UpdateMemWalState => Retryable("the state of the write-ahead log was changed")
      case _: Overwrite => overwritten
      case _: Restore => restored
      case _ => Compatible
    }

  /** Conflicts if a new segment replaces one whose rows a rewrite moved. A removal without a
    * replacement applies to the segment that the rewrite created.
    */
  private def renewed(rewrite: Rewrite, ours: CreateIndex): Verdict = {
    val old = rewrite.rewrittenIndices.iterator.map(_.oldId).toSet
    val added = ours.newIndices.iterator.map(_.name).toSet
    ours.removedIndices.find(i => old(i.uuid) && added(i.name)) match {
      case Some(i) => Retryable(s"the segment ${i.uuid} of the index ${i.name} was rewritten")
      case None => Compatible
    }
  }

  private def bothIndexed(ours: CreateIndex, theirs: CreateIndex): Verdict = {
    def names(i: Seq[IndexSegment]) = i.iterator.map(_.name).toSet
    def appends(a: CreateIndex, b: CreateIndex): Set[String] =
      (names(a.newIndices) -- names(a.removedIndices)) & names(b.removedIndices)
    val added = names(ours.newIndices) & names(theirs.newIndices)
    val gone = appends(ours, theirs) ++ appends(theirs, ours)
    val replaced = {
      val removed = theirs.removedIndices.iterator.map(_.uuid).toSet
      val inNew = names(ours.newIndices) ++ names(theirs.newIndices)
      ours.removedIndices.filter(i => removed(i.uuid) && inNew(i.name)).map(_.name)
    }
    (added ++ gone ++ replaced).headOption match {
      case Some(name) => Retryable(s"the index $name was changed")
      case None => Compatible
    }
  }
}
