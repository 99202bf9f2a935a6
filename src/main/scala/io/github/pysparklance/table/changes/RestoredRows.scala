// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.changes

import scala.collection.mutable

import io.github.pysparklance.core.LanceException
import io.github.pysparklance.table.manifest.{Fragment, ManifestFile, Versions}
import io.github.pysparklance.table.proto.Transaction.OperationCase
import io.github.pysparklance.table.transaction.operation.{Operation, Update, UpdateMode}
import io.github.pysparklance.table.{LanceTable, proto}

/** Leaves rows out of the changes of a restore that have the same values before and after it,
  * though they are in other fragments or files: rows with the same stable id that were last changed
  * in the same version.
  *
  * Not all writers note the version of an update in place. If such an update lies between the
  * restored version and the restore, or if that is not known, all rows count as changed.
  */
final private[changes] class RestoredRows(before: LanceTable, after: LanceTable) {
  private val manifests = new Versions(before.store, before.root)

  /** The rows that changed.
    *
    * @param restored the version that was restored
    */
  def apply(diff: FragmentDiff, restored: Long): FragmentDiff =
    if (!before.hasStableRowIds || !after.hasStableRowIds || !recordsUpdates(restored)) diff
    else {
      val old = versions(before, diff.deleted)
      val now = versions(after, diff.inserted)
      def isUnchanged(id: Long) = old.get(id).exists(v => now.get(id).contains(v))
      def changed(table: LanceTable)(r: FragmentDiff.Rows): Option[FragmentDiff.Rows] = {
        val rows = IdSet.split(r.rows, ids(table, r))((id, _) => !isUnchanged(id))._1
        if (rows.isEmpty) None else Some(r.copy(rows = rows))
      }
      FragmentDiff(
        diff.deleted.flatMap(changed(before)(_)),
        diff.inserted.flatMap(changed(after)(_)),
        diff.rewritten.flatMap(rewritten)
      )
    }

  private def ids(table: LanceTable, r: FragmentDiff.Rows): Array[Long] =
    RowIdentity.fill(r.rows)(table.lineage.rowIds(r.fragment).get.fill)

  /** Returns the versions that last changed rows, by row id. Omits rows without a recorded version.
    */
  private def versions(
      table: LanceTable,
      rows: IndexedSeq[FragmentDiff.Rows]
  ): mutable.LongMap[Long] = {
    val found = new mutable.LongMap[Long]
    rows.foreach { r =>
      table.lineage.lastUpdatedAt(r.fragment).foreach { sequence =>
        val numbers = RowIdentity.fill(r.rows)(sequence.fill)
        val rowIds = ids(table, r)
        rowIds.indices.foreach(i => found(rowIds(i)) = numbers(i))
      }
    }
    found
  }

  private def rewritten(r: FragmentDiff.Rewritten): Option[FragmentDiff.Rewritten] = {
    def versions(table: LanceTable, f: Fragment) =
      table.lineage.lastUpdatedAt(f).map(sequence => RowIdentity.fill(r.rows)(sequence.fill))
    (versions(before, r.before), versions(after, r.after)) match {
      case (Some(old), Some(now)) =>
        val isChanged = old.indices.map(i => if (old(i) != now(i)) 1L else 0L).toArray
        val rows = IdSet.split(r.rows, isChanged)((changed, _) => changed == 1L)._1
        if (rows.isEmpty) None else Some(r.copy(rows = rows))
      case _ => Some(r)
    }
  }

  /** Whether all updates between a version and the one before the restore recorded their version
    * with the rows. A restore in between goes back to an earlier version, whose updates count as
    * well.
    */
  private def recordsUpdates(since: Long): Boolean = {
    var first = since
    var version = before.version
    var file = read(version)
    var isRecorded = true
    while (isRecorded && version > first) {
      val previous = read(version - 1)
      val transaction = file.flatMap(transactionOf)
      transaction.filter(_.getOperationCase == OperationCase.RESTORE).foreach { t =>
        first = math.min(first, t.getRestore.getVersion)
      }
      isRecorded = previous.exists(p => transaction.exists(recordsVersion(p, _)))
      file = previous
      version -= 1
    }
    isRecorded
  }

  private def read(version: Long): Option[ManifestFile] =
    try manifests.find(version).map(ManifestFile.read(before.store, _))
    catch { case _: LanceException => None }

  private def transactionOf(file: ManifestFile): Option[proto.Transaction] =
    try file.transaction(before.root)
    catch { case _: LanceException => None }

  private def recordsVersion(previous: ManifestFile, t: proto.Transaction): Boolean =
    t.getOperationCase match {
      case OperationCase.OPERATION_NOT_SET => false
      case OperationCase.UPDATE =>
        Operation.parse(t) match {
          case u: Update => recordsVersion(previous, u)
          case _ => false
        }
      case _ => true
    }

  /** Without the offsets of the rows, no version is noted for new files. */
  private def recordsVersion(previous: ManifestFile, u: Update): Boolean = {
    val files = previous.manifest.fragments.iterator.map(f => f.id -> f.files).toMap
    u.updatedFragments.forall { f =>
      files.get(f.id).contains(f.files) ||
      (u.updateMode == UpdateMode.RewriteColumns && u.updatedFragmentOffsets.contains(f.id))
    }
  }
}
