// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table

import java.io.IOException
import java.util.UUID

import io.github.pysparklance.core.{CommitStateUnknownException, Interrupts, LanceException, Log}
import io.github.pysparklance.storage.spi.{FileStore, TablePath}
import io.github.pysparklance.table.blob.BlobSideFiles
import io.github.pysparklance.table.manifest.{BasePath, Fragment, IndexSegment}

/** Deletes uncommitted files, which no version will reference. If storage fails, a later clean-up
  * deletes them.
  */
private[pysparklance] object UncommittedFiles {
  private val log = Log(getClass)

  /** Runs a commit and removes its files if it fails, unless the outcome is unknown.
    *
    * @param remove removes the files
    */
  def removedOnFailure[A](remove: => Unit)(commit: => A): A =
    try commit
    catch {
      case e: CommitStateUnknownException => throw e
      case e: Exception =>
        remove
        throw e
    }

  /** Removes the files of fragments, except files on base paths not in `bases`.
    *
    * @param path path of the table or branch
    * @param bases base paths of the table
    */
  def remove(
      store: FileStore,
      path: String,
      fragments: Seq[Fragment],
      bases: Iterable[BasePath] = Nil
  ): Unit =
    for (fragment <- fragments; file <- fragment.files) {
      val base = file.baseId.flatMap(id => bases.find(_.id == id))
      if (file.baseId.isEmpty || base.isDefined) {
        val folder = FragmentWriter.folder(TablePath(path), base)
        remove(store, folder.resolve(file.path), file.path)
      }
    }

  /** Removes the folder of an index segment. Logs failures of the storage.
    *
    * @param path path of the table or branch
    */
  def removeSegment(store: FileStore, path: String, uuid: UUID): Unit =
    try
      Interrupts.defer(store.deleteFolder(IndexSegment.newFolder(TablePath(path), uuid).root)): Unit
    catch {
      case e @ (_: IOException | _: LanceException) =>
        log.warn(s"$path: index segment $uuid was not removed; the next clean-up retries", e)
    }

  /** Removes a data file and the side files of its blobs.
    *
    * @param dataFile path of the file
    * @param name its name in the manifest, which `dataFile` ends with
    */
  def remove(store: FileStore, dataFile: String, name: String): Unit = {
    store.discard(dataFile)
    BlobSideFiles.delete(store, dataFile, name)
  }
}
