// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction.build

import scala.collection.mutable

import io.github.pysparklance.core.{CommitConflictException, InvalidRequestException, Place}
import io.github.pysparklance.storage.spi.{FileStore, TablePath}
import io.github.pysparklance.table.deletion.DeletionVector
import io.github.pysparklance.table.manifest.{DeletionFile, Fragment, Manifest, ManifestFile}
import io.github.pysparklance.table.proto

/** The effect of a row deletion on the fragments of a version.
  *
  * @param updated fragments with their new deletion files, ascending
  * @param removedIds ids of fragments without remaining rows, ascending
  */
final private[table] case class DeletedRows(
    updated: Seq[proto.DataFragment],
    removedIds: Seq[Long]
)

private[table] object DeletedRows {
  val none: DeletedRows = DeletedRows(Nil, Nil)
}

/** Applies a row deletion to the latest version. Each attempt of a commit does this again, so that
  * the new deletion files include concurrent deletions.
  *
  * Source: format page of the table, "Rebase".
  *
  * @param base the version that `rows` was computed on
  */
final private[transaction] class RowDeletion(
    store: FileStore,
    root: TablePath,
    base: Manifest,
    rows: Map[Long, DeletionVector]
) {
  private val ours = rows.filterNot(_._2.isEmpty)
  private val atBase = touched(base)
  private val written = mutable.Map.empty[Long, Written]
  private val unused = mutable.Buffer.empty[String]

  /** A deletion file written by this commit, with the one it is derived from. */
  private case class Written(from: Option[DeletionFile], file: DeletionFile)

  checkRows()

  private def checkRows(): Unit = {
    ours.foreach { case (id, deleted) =>
      val f = atBase.getOrElse(
        id,
        throw new InvalidRequestException(
          s"cannot delete rows of fragment $id: version ${base.version} does not have it"
        )
      )
      f.physicalRows.foreach { n =>
        if (deleted.lastRow >= n)
          throw new InvalidRequestException(
            s"cannot delete row ${deleted.lastRow} of fragment $id: it has $n rows"
          )
      }
    }
  }

  /** Writes the deletion files for the latest version.
    *
    * @throws CommitConflictException if a concurrent commit deleted or moved one of the rows
    */
  def apply(latest: ManifestFile): DeletedRows = {
    val manifest = latest.manifest
    val updated = Seq.newBuilder[proto.DataFragment]
    val removed = Seq.newBuilder[Long]
    val current = touched(manifest)
    ours.toSeq.sortBy(_._1).foreach { case (id, deleted) =>
      val f = current.getOrElse(id, conflict(id, manifest.version))
      val isWhole = f.physicalRows.contains(deleted.numDeletedRows) && isAsInBase(f)
      val before = if (isWhole) DeletionVector.empty else read(manifest, f)
      if (manifest.version != base.version) checkUntouched(f, before, deleted, manifest.version)
      val after = before.union(deleted)
      if (f.physicalRows.exists(after.numDeletedRows >= _)) removed += id
      else {
        val file = fileOf(f, after, manifest.version)
        updated += f.message.toBuilder.setDeletionFile(file.toMessage).build()
      }
    }
    DeletedRows(updated.result(), removed.result())
  }

  /** Whether no rows of the fragment were deleted since the base version. */
  private def isAsInBase(f: Fragment): Boolean =
    atBase.get(f.id).map(_.deletionFile).contains(f.deletionFile)

  private def fileOf(f: Fragment, after: DeletionVector, version: Long): DeletionFile =
    written.get(f.id) match {
      case Some(w) if w.from == f.deletionFile => w.file
      case other =>
        other.foreach(w => unused += root.resolve(w.file.path(f.id)))
        val file = after.write(store, root, f.id, version)
        written(f.id) = Written(f.deletionFile, file)
        file
    }

  private def checkUntouched(
      f: Fragment,
      now: DeletionVector,
      deleted: DeletionVector,
      version: Long
  ): Unit = {
    if (!isAsInBase(f)) {
      val meanwhile = atBase.get(f.id).fold(now)(b => now.minus(read(base, b)))
      if (meanwhile.intersects(deleted)) conflict(f.id, version)
    }
  }

  private def read(manifest: Manifest, f: Fragment): DeletionVector =
    f.deletionFile.fold(DeletionVector.empty) { d =>
      DeletionVector.read(store, manifest.pathOf(root, f.id, d), d, f.physicalRows)
    }

  /** Returns the fragments with rows to delete, by id. */
  private def touched(manifest: Manifest): Map[Long, Fragment] =
    manifest.fragments.iterator.filter(f => ours.contains(f.id)).map(f => f.id -> f).toMap

  private def conflict(id: Long, version: Long): Nothing =
    throw new CommitConflictException(
      s"not committed: rows of fragment $id were deleted or changed by version $version or an earlier one;  " +
        "retry the operation on the latest version",
      version,
      retryable = true,
      Place(path = Some(root.root))
    )

  /** Returns and forgets the files written by this commit that no attempt will use anymore. */
  def takeUnused(): Seq[String] = {
    val paths = unused.toList
    unused.clear()
    paths
  }

  /** Returns all files written by this commit, to be deleted if nothing was committed. */
  def takeAll(): Seq[String] =
    takeUnused() ++ written.map { case (id, w) => root.resolve(w.file.path(id)) }
}
