// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction

import scala.jdk.CollectionConverters._

import io.github.pysparklance.table.proto
import io.github.pysparklance.table.proto.Transaction.OperationCase

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
      theirs: proto.Transaction,
      sameFiles: Long => Boolean
  ): Verdict = ours match {
    case _: Operation.Append => append(theirs)
    case o: Operation.Overwrite => overwrite(o, theirs)
    case o: Operation.DeletesRows => deletesRows(o, theirs, sameFiles)
  }

  private def append(theirs: proto.Transaction): Verdict = {
    import OperationCase._
    theirs.getOperationCase match {
      case APPEND | DELETE | CREATE_INDEX | REWRITE | RESERVE_FRAGMENTS | UPDATE | UPDATE_CONFIG |
          DATA_REPLACEMENT | CLONE | UPDATE_BASES | DATA_OVERLAY =>
        Compatible
      case MERGE if theirs.getMerge.getPreservesNullability => Compatible
      case PROJECT if theirs.getProject.getPreservesNullability => Compatible
      case MERGE => Retryable("columns were added or changed")
      case PROJECT => Retryable("columns were dropped or changed")
      case OVERWRITE => Incompatible("the table was overwritten")
      case RESTORE => Incompatible("an earlier version was restored")
      case UPDATE_MEM_WAL_STATE => Incompatible("the state of the write-ahead log was changed")
      case OPERATION_NOT_SET => unknown
    }
  }

  private def overwrite(ours: Operation.Overwrite, theirs: proto.Transaction): Verdict = {
    import OperationCase._
    theirs.getOperationCase match {
      case APPEND | DELETE | CREATE_INDEX | REWRITE | MERGE | RESTORE | RESERVE_FRAGMENTS | UPDATE |
          PROJECT | DATA_REPLACEMENT | CLONE | UPDATE_BASES | DATA_OVERLAY =>
        Compatible
      case OVERWRITE =>
        val keys = theirs.getOverwrite.getConfigUpsertValuesMap.keySet
        ours.configUpserts.keys.find(keys.contains) match {
          case Some(key) => Incompatible(s"the table was overwritten and its setting $key changed")
          case None => Retryable("the table was created or overwritten")
        }
      case UPDATE_CONFIG =>
        val keys = configKeys(theirs.getUpdateConfig)
        ours.configUpserts.keys.find(keys) match {
          case Some(key) => Incompatible(s"the setting $key was changed")
          case None => Compatible
        }
      case UPDATE_MEM_WAL_STATE => Incompatible("the state of the write-ahead log was changed")
      case OPERATION_NOT_SET => unknown
    }
  }

  /** That the rows are other ones is found out when the deletion files are merged. */
  private def deletesRows(
      ours: Operation.DeletesRows,
      theirs: proto.Transaction,
      sameFiles: Long => Boolean
  ): Verdict = {
    import OperationCase._
    val fragments = ours.rows.keySet
    def isUpdate = ours.isInstanceOf[Operation.Update]
    def unless(touched: Iterable[java.lang.Long], how: String): Verdict =
      touched.find(id => fragments(id)) match {
        case Some(id) => Retryable(s"fragment $id was $how")
        case None => Compatible
      }
    def merged(
        updated: java.util.List[proto.DataFragment],
        removed: java.util.List[java.lang.Long]
    ) =
      unless(removed.asScala, "removed") match {
        case Compatible =>
          unless(
            updated.asScala.map(f => Long.box(f.getId)).filterNot(sameFiles(_)),
            "given other files"
          )
        case conflict => conflict
      }
    theirs.getOperationCase match {
      case APPEND | CREATE_INDEX | RESERVE_FRAGMENTS | UPDATE_CONFIG | CLONE | UPDATE_BASES =>
        Compatible
      case DELETE =>
        merged(theirs.getDelete.getUpdatedFragmentsList, theirs.getDelete.getDeletedFragmentIdsList)
      case UPDATE =>
        merged(theirs.getUpdate.getUpdatedFragmentsList, theirs.getUpdate.getRemovedFragmentIdsList)
      case REWRITE =>
        val r = theirs.getRewrite
        val old = r.getGroupsList.asScala.flatMap(_.getOldFragmentsList.asScala) ++
          r.getOldFragmentsList.asScala
        unless(old.map(f => Long.box(f.getId)), "compacted")
      case DATA_REPLACEMENT =>
        val replaced = theirs.getDataReplacement.getReplacementsList.asScala
        unless(replaced.map(g => Long.box(g.getFragmentId)), "given other files")
      case MERGE => Retryable("columns were added or changed")
      case PROJECT if isUpdate && !theirs.getProject.getPreservesNullability =>
        Retryable("columns were dropped or changed")
      case PROJECT => Compatible
      case DATA_OVERLAY if isUpdate => Retryable("cells were overlaid")
      case DATA_OVERLAY => Compatible
      case UPDATE_MEM_WAL_STATE if isUpdate =>
        Retryable("the state of the write-ahead log was changed")
      case OVERWRITE => Incompatible("the table was overwritten")
      case RESTORE => Incompatible("an earlier version was restored")
      case UPDATE_MEM_WAL_STATE => Incompatible("the state of the write-ahead log was changed")
      case OPERATION_NOT_SET => unknown
    }
  }

  private def configKeys(u: proto.Transaction.UpdateConfig): String => Boolean = {
    val replacesAll = u.getConfigUpdates.getReplace
    key =>
      replacesAll || u.containsUpsertValues(key) || u.getDeleteKeysList.contains(key) ||
        (0 until u.getConfigUpdates.getUpdateEntriesCount)
          .exists(u.getConfigUpdates.getUpdateEntries(_).getKey == key)
  }

  private val unknown =
    Incompatible("an operation was committed that this release does not know")
}
