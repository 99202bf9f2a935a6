// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.changes

import java.time.Instant

import io.github.pysparklance.core.{NotFoundException, Place, UnsupportedFeatureException}
import io.github.pysparklance.table.deletion.DeletionVector
import io.github.pysparklance.table.manifest.Fragment
import io.github.pysparklance.table.proto.Transaction.OperationCase
import io.github.pysparklance.table.scan.{ChangeType, RowChange}
import io.github.pysparklance.table.transaction.operation.{Append, Operation, Rewrite, Update}
import io.github.pysparklance.table.{LanceTable, proto}

/** The rows that one commit changed. Refers only to those parts of the manifests that reading these
  * rows needs.
  *
  * @param deleted rows that are gone, or moved to another fragment with other values
  * @param inserted rows that are new, or came from another fragment with other values
  * @param rewritten rows whose columns got new files in place, as preimages and postimages
  * @param link how the columns after the commit relate to those before it
  * @param restores whether rows that were deleted may be back
  * @param isRestore whether the commit is known to be a RESTORE
  * @param hasStableRowIds whether the table has stable row ids after the commit
  * @param keepsRowIds whether a row that was updated keeps its stable id
  * @param moves the addresses of rows after the commit, if it is a compaction of a table without
  *   stable row ids, and they were requested
  */
final private[changes] case class CommitChanges(
    deleted: IndexedSeq[ChangedRows],
    inserted: IndexedSeq[ChangedRows],
    rewritten: IndexedSeq[ChangedRows],
    link: FieldHistory.Link,
    restores: Boolean,
    isRestore: Boolean,
    hasStableRowIds: Boolean,
    keepsRowIds: Boolean,
    moves: Option[RowMoves]
) {

  /** All changes, without updates but those in place. */
  def raw: IndexedSeq[ChangedRows] = deleted ++ inserted ++ rewritten

  /** All changes.
    *
    * @param identity pairs deleted and inserted rows as updates; `None` pairs none
    */
  def rows(identity: Option[RowIdentity]): IndexedSeq[ChangedRows] = identity match {
    case Some(i) if deleted.nonEmpty && inserted.nonEmpty =>
      UpdatePairs(deleted, inserted, i) ++ rewritten
    case _ => raw
  }
}

private[changes] object CommitChanges {

  /** Finds the changes of a commit by its transaction and the manifests before and after it.
    *
    * {{{
    *   Append, Delete, Overwrite     rows of new fragments; rows of dropped fragments and of larger deletion vectors
    *   Update, Merge                 the same, and rows whose columns got new files in place
    *   DataReplacement               all rows of the fragments with new files
    *   Restore                       the difference of the versions, without rows that did not change
    *   Rewrite, ReserveFragments, CreateIndex,
    *   Project, UpdateConfig, UpdateBases,
    *   UpdateMemWalState             none
    * }}}
    *
    * Source: format page of the table, "Building the manifest".
    *
    * @param before the version before; `None` if the commit created the table
    * @param after the version that the commit made
    * @param followsMoves whether [[CommitChanges.moves]] is needed
    * @throws UnsupportedFeatureException if the transaction is missing or unknown, and rows may
    *   have moved
    * @throws io.github.pysparklance.core.CorruptFileException if the transaction is damaged
    */
  def apply(
      before: Option[LanceTable],
      after: LanceTable,
      followsMoves: Boolean = false
  ): CommitChanges = {
    val transaction = transactionOf(after)
    val diff = (before, transaction) match {
      case (None, _) => FragmentDiff.created(after)
      case (Some(b), Some(t)) if t.getOperationCase == OperationCase.RESTORE =>
        new RestoredRows(b, after)(difference(b, after, transaction), t.getRestore.getVersion)
      case (Some(b), _) => difference(b, after, transaction)
    }
    val found = new Labels(before, after).changes(diff, transaction)
    if (!followsMoves || after.hasStableRowIds) found
    else {
      val moves = for (b <- before; t <- transaction; m <- RowMoves.of(b, after, t)) yield m
      found.copy(moves = moves)
    }
  }

  /** Finds the changes of an append from its version and transaction alone, for a commit whose
    * version before was cleaned up.
    *
    * @return the changes, and the fragments of the version before; `None` if the commit was no
    *   append
    */
  def appended(after: LanceTable): Option[(CommitChanges, IndexedSeq[Fragment])] =
    transactionOf(after).filter(_.getOperationCase == OperationCase.APPEND).map { t =>
      val (inserted, others) = partition(after, addedBy(t))
      val diff = FragmentDiff.none.copy(
        inserted = inserted.map(f => FragmentDiff.Rows(f, FragmentDiff.live(after, f)))
      )
      (new Labels(None, after).changes(diff, Some(t)), others)
    }

  private def addedBy(t: proto.Transaction): Iterable[Fragment] = Operation.parse(t) match {
    case a: Append => a.fragments
    case _ => Nil
  }

  /** Splits the fragments of a version into those that its commit added and the others.
    *
    * @param added as in the transaction, where fragments may have no id yet
    */
  private def partition(
      after: LanceTable,
      added: Iterable[Fragment]
  ): (IndexedSeq[Fragment], IndexedSeq[Fragment]) = {
    def files(f: Fragment) = f.files.map(file => (file.path, file.baseId))
    val ofCommit = added.iterator.flatMap(files).toSet
    after.fragments.partition(files(_).exists(ofCommit))
  }

  /** Returns the fragments of the version before a commit, and the fragments that the commit added,
    * as far as its version and transaction show them. A rewrite records the fragments that it
    * replaced.
    *
    * @return `None` if the commit may have changed fragments in other ways
    */
  def fragmentsBefore(after: LanceTable): Option[(IndexedSeq[Fragment], IndexedSeq[Fragment])] =
    transactionOf(after).flatMap { t =>
      t.getOperationCase match {
        case OperationCase.APPEND =>
          val (added, others) = partition(after, addedBy(t))
          Some((others, added))
        case OperationCase.REWRITE =>
          Operation.parse(t) match {
            case r: Rewrite =>
              val (added, others) = partition(after, r.groups.flatMap(_.newFragments))
              val before = others ++ r.groups.flatMap(_.oldFragments)
              Some((before.sortBy(_.id), added))
            case _ => None
          }
        case o if withoutRows(o) => Some((after.fragments, IndexedSeq.empty))
        case _ => None
      }
    }

  /** Returns the fragments before a commit that keeps all of them as they are. */
  def keptFragments(after: LanceTable): Option[IndexedSeq[Fragment]] =
    transactionOf(after).filter(t => withSameFragments(t.getOperationCase)).map(_ =>
      after.fragments
    )

  /** Whether the transaction of a commit shows that it changed no rows. */
  def keepsRows(after: LanceTable): Boolean =
    transactionOf(after).exists(t => withoutRows(t.getOperationCase))

  /** Returns how the columns after a commit relate to the columns before it, see
    * [[CommitChanges.link]].
    *
    * @throws io.github.pysparklance.core.CorruptFileException if the transaction is damaged
    */
  def link(after: LanceTable): FieldHistory.Link = linkOf(transactionOf(after))

  private def linkOf(transaction: Option[proto.Transaction]): FieldHistory.Link =
    transaction.map(_.getOperationCase) match {
      case Some(OperationCase.OVERWRITE) => FieldHistory.Link.Replaced
      case Some(OperationCase.RESTORE) =>
        FieldHistory.Link.Restored(transaction.map(_.getRestore.getVersion))
      case None => FieldHistory.Link.Restored(None)
      case _ => FieldHistory.Link.Kept
    }

  private def transactionOf(version: LanceTable): Option[proto.Transaction] =
    try
      Place.in(Place(path = Some(version.path), version = Some(version.version))) {
        version.file.transaction(version.root)
          .filter(_.getOperationCase != OperationCase.OPERATION_NOT_SET)
      }
    catch {
      // A version is readable without its transaction. A damaged one is an error.
      case _: NotFoundException => None
    }

  private def difference(
      before: LanceTable,
      after: LanceTable,
      transaction: Option[proto.Transaction]
  ): FragmentDiff = transaction.map(_.getOperationCase) match {
    case Some(o) if withoutRows(o) => FragmentDiff.none
    case Some(OperationCase.OVERWRITE) => FragmentDiff.replaced(before, after)
    case o =>
      val update = transaction.filter(_ => o.contains(OperationCase.UPDATE)).map(Operation.parse)
      val offsets = update.collect { case u: Update => u.updatedFragmentOffsets }
      val keepsIds = o.exists(_ != OperationCase.RESTORE)
      val changesColumns = o.contains(OperationCase.MERGE)
      val found = FragmentDiff(before, after, keepsIds, changesColumns) { id =>
        offsets.flatMap(_.get(id)).map(DeletionVector.of(_).rows)
      }
      if (o.isEmpty && found.mayMove) unknown(after)
      found
  }

  private def unknown(version: LanceTable): Nothing = throw new UnsupportedFeatureException(
    s"the changes of version ${version.version}, whose transaction cannot be read: fragments were added and removed, " +
      s"by an update or by a compaction. Read changes up to version ${version.version - 1}, or from version " +
      s"${version.version + 1} on",
    Place(path = Some(version.path), version = Some(version.version))
  )

  private val withSameFragments: Set[OperationCase] =
    Set(OperationCase.RESERVE_FRAGMENTS, OperationCase.CREATE_INDEX, OperationCase.UPDATE_CONFIG)

  /** Operations that change no rows. */
  val withoutRows: Set[OperationCase] = withSameFragments ++ Set(
    OperationCase.REWRITE,
    OperationCase.PROJECT,
    OperationCase.UPDATE_BASES,
    OperationCase.UPDATE_MEM_WAL_STATE
  )

  /** Makes changes of the rows of two versions. */
  final private class Labels(before: Option[LanceTable], after: LanceTable) {
    private val timestamp = micros(after.manifest.timestamp)

    private def change(changeType: ChangeType) = RowChange(changeType, after.version, timestamp)

    def changes(diff: FragmentDiff, transaction: Option[proto.Transaction]): CommitChanges = {
      import ChangeType._
      val operation = transaction.map(_.getOperationCase)
      CommitChanges(
        diff.deleted.flatMap(r => ChangedRows.of(before.get, r.fragment, r.rows, change(Delete))),
        diff.inserted.flatMap(r => ChangedRows.of(after, r.fragment, r.rows, change(Insert))),
        diff.rewritten.flatMap(r =>
          ChangedRows.of(before.get, r.before, r.rows, change(UpdatePreimage))
        ) ++ diff.rewritten.flatMap(r =>
          ChangedRows.of(after, r.after, r.rows, change(UpdatePostimage))
        ),
        linkOf(transaction),
        restores = operation.forall(_ == OperationCase.RESTORE),
        isRestore = operation.contains(OperationCase.RESTORE),
        after.hasStableRowIds,
        // An overwrite gives new ids.
        keepsRowIds = before.exists(_.hasStableRowIds) && after.hasStableRowIds &&
          !operation.contains(OperationCase.OVERWRITE),
        moves = None
      )
    }
  }

  /** Microseconds since 1970, rounded down. */
  def micros(t: Instant): Long =
    Math.addExact(Math.multiplyExact(t.getEpochSecond, 1000000L), t.getNano / 1000L)
}
