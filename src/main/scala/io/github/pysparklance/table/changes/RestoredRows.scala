// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.changes

import scala.collection.mutable

import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.core.{LanceException, RowRange, RowSelection}
import io.github.pysparklance.table.deletion.DeletionVector
import io.github.pysparklance.table.manifest.{Fragment, Manifest, ManifestFile, Versions}
import io.github.pysparklance.table.proto.Transaction.OperationCase
import io.github.pysparklance.table.rowid.RowLineage
import io.github.pysparklance.table.transaction.operation.{Operation, Update}
import io.github.pysparklance.table.{LanceTable, proto}

/** Leaves rows out of the changes of a restore that have the same values before and after it,
  * though they are in other fragments or files: rows with the same stable id that were last changed
  * in the same version.
  *
  * Not all writers record the version of an update with its rows. If such an update lies between
  * the restored version and the restore, or if that is not known, all rows count as changed.
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
      val recorded = for {
        p <- previous
        f <- file
        t <- transaction
      } yield recordsVersion(p.manifest, f.manifest, t)
      isRecorded = recorded.contains(true)
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

  /** Whether a commit recorded its version with all rows that it updated. Compares the versions of
    * the rows, because releases of pylance differ in which operations record them.
    */
  private def recordsVersion(
      previous: Manifest,
      now: Manifest,
      t: proto.Transaction
  ): Boolean = {
    val operation = t.getOperationCase
    operation match {
      case OperationCase.OPERATION_NOT_SET => false
      // Its rows have the values and the versions of an earlier version.
      case OperationCase.RESTORE => true
      case o if CommitChanges.withoutRows(o) => true
      case _ =>
        val offsets = updatedOffsets(t)
        def isRecorded(f: Fragment) =
          RestoredRows.haveVersion(now.version, f, offsets.get(f.id).map(DeletionVector.of(_).rows))
        FragmentDiff.withNewFiles(previous, now, operation == OperationCase.MERGE)
          .forall(isRecorded) &&
        (!RestoredRows.movesRows(operation) || added(previous, now).forall(isRecorded))
    }
  }

  private def updatedOffsets(t: proto.Transaction): Map[Long, RoaringBitmap] =
    if (t.getOperationCase != OperationCase.UPDATE) Map.empty
    else
      Operation.parse(t) match {
        case u: Update => u.updatedFragmentOffsets
        case _ => Map.empty
      }

  private def added(previous: Manifest, now: Manifest): IndexedSeq[Fragment] = {
    val known = previous.fragments.iterator.map(_.id).toSet
    now.fragments.filterNot(f => known(f.id))
  }
}

private object RestoredRows {

  /** Operations whose new fragments can contain rows of other fragments. */
  private val movesRows = Set(OperationCase.UPDATE, OperationCase.MERGE)

  /** Whether a version is recorded as the last update of some rows of a fragment.
    *
    * @param rows `None` for all rows
    */
  private def haveVersion(version: Long, f: Fragment, rows: Option[RowSelection]): Boolean =
    RowLineage.lastUpdatedAt(f) match {
      case RowLineage.Inline(versions) =>
        rows match {
          case Some(r) =>
            val inside = r.intersect(RowSelection.of(RowRange(0, versions.numRows)))
            RowIdentity.fill(inside)(versions.fill).forall(_ == version)
          case None => versions.bounds.forall(_ == ((version, version)))
        }
      case _ => false
    }
}
