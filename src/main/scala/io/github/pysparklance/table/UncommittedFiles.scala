// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table

import java.io.IOException
import java.util.UUID

import io.github.pysparklance.core.{CommitStateUnknownException, Interrupts, LanceException, Log}
import io.github.pysparklance.storage.spi.{FileStore, TablePath}
import io.github.pysparklance.table.blob.BlobSideFiles
import io.github.pysparklance.table.manifest.{BasePath, Fragment, IndexSegment}

/** Files that were written and that no version names, nor ever will. What storage does not remove is left to a
  * clean-up.
  */
private[pysparklance] object UncommittedFiles {
  private val log = Log(getClass)

  /** Runs a commit. What it was to name goes when it fails, unless nobody knows whether it did.
    *
    * @param remove the files
    */
  def removedOnFailure[A](remove: => Unit)(commit: => A): A =
    try commit
    catch {
      case e: CommitStateUnknownException => throw e
      case e: Exception =>
        remove
        throw e
    }

  /** Removes the files of fragments, those on base paths that are not named excepted.
    *
    * @param path of the table or branch
    * @param bases base paths that files may be on
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

  /** Removes the folder of an index segment, as far as storage allows.
    *
    * @param path of the table or branch
    */
  def removeSegment(store: FileStore, path: String, uuid: UUID): Unit =
    try
      Interrupts.defer(store.deleteFolder(IndexSegment.newFolder(TablePath(path), uuid).root)): Unit
    catch {
      case e @ (_: IOException | _: LanceException) =>
        log.warn(s"$path: index segment $uuid was not removed; the next clean-up finds it", e)
    }

  /** Removes a data file with the side files of its blobs.
    *
    * @param dataFile where it is
    * @param name its name in the manifest, which `dataFile` ends with
    */
  def remove(store: FileStore, dataFile: String, name: String): Unit = {
    store.discard(dataFile)
    BlobSideFiles.delete(store, dataFile, name)
  }
}
