// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.cleanup

import io.github.pysparklance.core.Log
import io.github.pysparklance.storage.spi.{FileStore, TablePath}
import io.github.pysparklance.table.manifest.TableFolders

/** Deletes the files of a table that is dropped. The folders `data` and `tree` may also contain
  * files of others, which stay: their names are common, and a table can be created in a folder that
  * has them.
  *
  * {{{
  *   data/x.lance                           a data file
  *   data/x/b.blob                          blobs of a data file
  *   data/a/b.lance, data/raw.csv           of others
  *   tree/dev/data/x.lance                  a data file of the branch dev
  *   tree/notes.txt                         of others
  * }}}
  *
  * Source: format page of the table, "Directory layout".
  */
private[table] object TableFiles {
  private val log = Log(getClass)

  /** Deletes all files of a table and its branches, the manifests first. */
  def delete(store: FileStore, root: TablePath): Unit = {
    val (shared, own) = TableFolders.all.partition(Set(TableFolders.data, TableFolders.tree))
    own.foreach(f => store.deleteFolder(root.resolve(f)))
    shared.foreach(deleteOwn(store, root, _))
    store.delete(root.resolve("_latest.manifest")): Unit
  }

  private def deleteOwn(store: FileStore, root: TablePath, folder: String): Unit = {
    def files = store.listFiles(root.resolve(folder)).filterNot(_.isLinked)
      .map(f => s"$folder/${f.relativePath}")
    files.find(!isOwn(_)) match {
      case None => store.deleteFolder(root.resolve(folder)): Unit
      case Some(other) =>
        log.warn(s"${root.root}: $folder contains files that are not of the table, such as $other")
        files.filter(isOwn).grouped(batch).foreach { some =>
          store.deleteAll(some.map(root.resolve))
        }
    }
  }

  /** Whether a file in `data` or `tree` belongs to the table. */
  private[cleanup] def isOwn(path: String): Boolean = isOwn(path.split('/').toIndexedSeq)

  private def isOwn(parts: IndexedSeq[String]): Boolean = parts.head match {
    case TableFolders.data =>
      parts.length == 2 && (parts(1).endsWith(".lance") || parts(1).startsWith(".tmp")) ||
      parts.length == 3 && parts(2).endsWith(".blob")
    case TableFolders.tree =>
      // The name of a branch has no segment that is a folder of the format.
      val inside = parts.tail.dropWhile(!TableFolders.all.contains(_))
      inside.length > 1 && isOwn(inside)
    case _ => true
  }

  /** Files that are deleted together. */
  private val batch = 1000
}
