// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction.operation

import scala.jdk.CollectionConverters._

import io.github.pysparklance.core.Schema
import io.github.pysparklance.table.deletion.DeletionVector
import io.github.pysparklance.table.manifest.{Fragment, ManifestFile}
import io.github.pysparklance.table.proto
import io.github.pysparklance.table.transaction.build.{
  DeletedRows,
  KeyExistenceFilter,
  MovedRows,
  RowDeletion
}

/** Deletes rows whose deletion files are already written, or whole fragments. Most callers should
  * use [[DeleteRows]], which supports concurrent commits.
  *
  * Source: message `Delete`, transaction.proto.
  *
  * @param updatedFragments fragments with their new deletion files; only the deletion files are
  *   used
  * @param deletedFragmentIds ids of fragments without remaining rows
  * @param predicate the condition in SQL, for information only
  */
final case class Delete(
    updatedFragments: IndexedSeq[Fragment],
    deletedFragmentIds: Seq[Long],
    predicate: String
) extends PlainOperation {
  def name: String = "Delete"

  private[table] def write(b: proto.Transaction.Builder): Unit =
    b.setDelete(
      proto.Transaction.Delete
        .newBuilder()
        .addAllUpdatedFragments(Operation.messages(updatedFragments))
        .addAllDeletedFragmentIds(deletedFragmentIds.map(Long.box).asJava)
        .setPredicate(predicate)
    ): Unit

  private[table] def build(m: ManifestBuilder): Unit = {
    val updated = updatedFragments.iterator.map(f => f.id -> f.message).toMap
    val removed = deletedFragmentIds.toSet
    m.fragments = m.fragments.filterNot(f => removed(f.getId)).map { f =>
      updated.get(f.getId).fold(f) { u =>
        if (u.hasDeletionFile) f.toBuilder.setDeletionFile(u.getDeletionFile).build()
        else f.toBuilder.clearDeletionFile().build()
      }
    }
    m.retainIndices()
  }
}

object Delete {
  private[transaction] def parse(m: proto.Transaction.Delete): Delete = Delete(
    Operation.fragments(m.getUpdatedFragmentsList),
    m.getDeletedFragmentIdsList.asScala.iterator.map(_.toLong).toIndexedSeq,
    m.getPredicate
  )
}

/** An operation that deletes rows by their offsets. Rows that were deleted concurrently in the same
  * fragments stay deleted.
  */
sealed trait DeletesRows extends Operation {

  /** Offsets of the rows to delete, by fragment id. */
  def rows: Map[Long, DeletionVector]

  private[transaction] def onto(deleted: DeletedRows): PlainOperation

  private[table] def begin(context: CommitContext, base: Option[ManifestFile]): Rebase = {
    val onBase = base.getOrElse(ManifestBuilder.needsTable())
    val deletion = new RowDeletion(context.store, context.root, onBase.manifest, rows)
    new Rebase {
      def onto(latest: Option[ManifestFile]): PlainOperation =
        DeletesRows.this.onto(deletion(latest.getOrElse(onBase)))
      def movesReadVersion: Boolean = true
      def takeUnused(): Seq[String] = deletion.takeUnused()
      def takeAll(): Seq[String] = deletion.takeAll()
    }
  }
}

/** Deletes rows by their offsets. Becomes a [[Delete]] of the latest version.
  *
  * @param rows offsets of rows in the base version, by fragment id
  * @param predicate the condition in SQL, for information only
  */
final case class DeleteRows(rows: Map[Long, DeletionVector], predicate: String)
    extends DeletesRows {
  def name: String = "Delete"

  private[transaction] def onto(deleted: DeletedRows): PlainOperation =
    Delete(deleted.updated.iterator.map(Fragment(_)).toIndexedSeq, deleted.removedIds, predicate)
}

/** Deletes rows and adds others, usually the same rows with new values. Becomes an [[Update]] of
  * the latest version.
  *
  * @param rows offsets of rows in the base version, by fragment id
  * @param added fragments without ids; with stable row ids, they contain the ids of the moved rows,
  *   see [[Fragment.unassigned]]
  * @param changedFields ids of the fields, at any depth, whose values changed in the moved rows;
  *   indices on other fields keep covering these rows
  * @param insertedRows the keys of the new rows, to detect concurrent inserts of the same key
  * @param movedRows see [[Update]]
  */
final case class UpdateRows(
    rows: Map[Long, DeletionVector],
    added: IndexedSeq[Fragment],
    changedFields: Set[Int],
    insertedRows: Option[KeyExistenceFilter] = None,
    movedRows: IndexedSeq[MovedRows] = IndexedSeq.empty
) extends DeletesRows {
  def name: String = "Update"

  private[transaction] def onto(deleted: DeletedRows): PlainOperation = Update(
    removedFragmentIds = deleted.removedIds,
    updatedFragments = deleted.updated.iterator.map(Fragment(_)).toIndexedSeq,
    newFragments = added,
    fieldsForPreservingFragBitmap = changedFields.toSeq.sorted,
    insertedRows = insertedRows,
    movedRows = movedRows
  )
}

/** Deletes and adds rows together with a schema change. Becomes a [[Merge]] of the base version.
  * Must be committed with [[CommitOptions.onlyOnBase]].
  *
  * @param rows offsets of rows in the base version, by fragment id
  * @param evolved the fragments of the base version, with files of new columns where they have any
  * @param added fragments with ids that were never used; with stable row ids, they contain the ids
  *   of the moved rows
  * @param schema schema of the new version
  * @param preservesNullability see [[Merge]]
  */
final case class EvolveRows(
    rows: Map[Long, DeletionVector],
    evolved: IndexedSeq[Fragment],
    added: IndexedSeq[Fragment],
    schema: Schema,
    preservesNullability: Boolean
) extends DeletesRows {
  def name: String = "Merge"

  private[transaction] def onto(deleted: DeletedRows): PlainOperation = {
    val files = deleted.updated.iterator.map(f => f.getId -> f.getDeletionFile).toMap
    val removed = deleted.removedIds.toSet
    val kept = evolved.filterNot(f => removed(f.id)).map { f =>
      files.get(f.id).fold(f)(d => Fragment(f.message.toBuilder.setDeletionFile(d).build()))
    }
    Merge(kept ++ added, schema, preservesNullability, changesRows = true)
  }
}
