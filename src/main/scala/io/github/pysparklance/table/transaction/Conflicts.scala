// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction

import io.github.pysparklance.table.manifest.Fragment

/** Whether a transaction can be committed on top of one that was committed meanwhile.
  *
  * Source: format page of the table, "Conflict matrix".
  */
object Conflicts {

  /** How two transactions get along. */
  sealed trait Verdict

  /** Both can stand. */
  case object Compatible extends Verdict

  /** Not as it is: the operation has to be run again on the newer version. */
  final case class Retryable(reason: String) extends Verdict

  /** Running it again would not help, or would undo the other one. */
  final case class Incompatible(reason: String) extends Verdict

  /** Judges `ours` against `theirs`, which was committed since the version ours is based on.
    *
    * @param sameFiles whether their commit left the data files of a fragment as they were
    */
  private[table] def check(
      ours: Operation,
      theirs: PlainOperation,
      sameFiles: Long => Boolean
  ): Verdict = ours match {
    case _: Append => append(theirs)
    case o: Overwrite => overwrite(o, theirs)
    case o: DeletesRows => deletesRows(o, theirs, sameFiles)
    case _ => Retryable(s"an operation was committed (${theirs.name})")
  }

  private def append(theirs: PlainOperation): Verdict = theirs match {
    case Merge(_, _, true) | Project(_, true) => Compatible
    case _: Merge => Retryable("columns were added or changed")
    case _: Project => Retryable("columns were dropped or changed")
    case _: Overwrite => Incompatible("the table was overwritten")
    case _: Restore => Incompatible("an earlier version was restored")
    case _: UpdateMemWalState => Incompatible("the state of the write-ahead log was changed")
    case UnknownOperation => unknown
    case _ => Compatible
  }

  private def overwrite(ours: Overwrite, theirs: PlainOperation): Verdict = theirs match {
    case o: Overwrite =>
      ours.configUpserts.keys.find(o.configUpserts.contains) match {
        case Some(key) => Incompatible(s"the table was overwritten and its setting $key changed")
        case None => Retryable("the table was created or overwritten")
      }
    case u: UpdateConfig =>
      ours.configUpserts.keys.find(k => u.config.exists(c => c.replace || c.keys(k))) match {
        case Some(key) => Incompatible(s"the setting $key was changed")
        case None => Compatible
      }
    case _: UpdateMemWalState => Incompatible("the state of the write-ahead log was changed")
    case UnknownOperation => unknown
    case _ => Compatible
  }

  /** That the rows are other ones is found out when the deletion files are merged. */
  private def deletesRows(
      ours: DeletesRows,
      theirs: PlainOperation,
      sameFiles: Long => Boolean
  ): Verdict = {
    val fragments = ours.rows.keySet
    def isUpdate = ours.isInstanceOf[UpdateRows]
    def unless(touched: Iterable[Long], how: String): Verdict =
      touched.find(fragments) match {
        case Some(id) => Retryable(s"fragment $id was $how")
        case None => Compatible
      }
    def merged(updated: Iterable[Fragment], removed: Iterable[Long]) =
      unless(removed, "removed") match {
        case Compatible => unless(updated.map(_.id).filterNot(sameFiles), "given other files")
        case conflict => conflict
      }
    theirs match {
      case d: Delete => merged(d.updatedFragments, d.deletedFragmentIds)
      case u: Update => merged(u.updatedFragments, u.removedFragmentIds)
      case r: Rewrite => unless(r.groups.flatMap(_.oldFragments.map(_.id)), "compacted")
      case r: DataReplacement => unless(r.replacements.map(_._1), "given other files")
      case _: Merge => Retryable("columns were added or changed")
      case p: Project if isUpdate && !p.preservesNullability =>
        Retryable("columns were dropped or changed")
      case _: DataOverlay if isUpdate => Retryable("cells were overlaid")
      case _: UpdateMemWalState if isUpdate =>
        Retryable("the state of the write-ahead log was changed")
      case _: Overwrite => Incompatible("the table was overwritten")
      case _: Restore => Incompatible("an earlier version was restored")
      case _: UpdateMemWalState => Incompatible("the state of the write-ahead log was changed")
      case UnknownOperation => unknown
      case _ => Compatible
    }
  }

  private val unknown =
    Incompatible("an operation was committed that this release does not know")
}
