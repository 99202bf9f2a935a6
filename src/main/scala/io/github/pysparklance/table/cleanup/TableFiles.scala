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
  *   tree/notes.txt, tree/a.lance/...       of others
  * }}}
  *
  * Source: format page of the table, "Directory layout".
  */
private[table] object TableFiles {
  private val log = Log(getClass)

  /** Deletes all files of a table and its branches. While manifests exist, the table exists and can
    * be dropped again. So the references, which would belong to the next table at this path, are
    * deleted before them, and the branches, whose names the references contain, first. Other files
    * are not a table without manifests.
    *
    * @param branches names of the branches
    */
  def delete(store: FileStore, root: TablePath, branches: Seq[String]): Unit = {
    import TableFolders._
    deleteOwn(store, root, tree, branches)
    (refs +: all.filterNot(Set(refs, tree, data))).foreach(f => store.deleteFolder(root.resolve(f)))
    deleteOwn(store, root, data, branches)
    store.delete(root.resolve("_latest.manifest")): Unit
  }

  private def deleteOwn(
      store: FileStore,
      root: TablePath,
      folder: String,
      branches: Seq[String]
  ): Unit = {
    def files = store.listFiles(root.resolve(folder)).filterNot(_.isLinked)
      .map(f => s"$folder/${f.relativePath}")
    files.find(!isOwn(_, branches)) match {
      case None => store.deleteFolder(root.resolve(folder)): Unit
      case Some(other) =>
        log.warn(s"${root.root}: $folder contains files that are not of the table, such as $other")
        files.filter(isOwn(_, branches)).grouped(batch).foreach { some =>
          store.deleteAll(some.map(root.resolve))
        }
    }
  }

  /** Whether a file belongs to the table. */
  private def isOwn(path: String, branches: Seq[String]): Boolean = {
    val parts = path.split('/')
    parts.head match {
      case TableFolders.data =>
        parts.length == 2 && (parts(1).endsWith(".lance") || parts(1).startsWith(".tmp")) ||
        parts.length == 3 && parts(2).endsWith(".blob")
      case TableFolders.tree =>
        branches.exists { branch =>
          val prefix = s"${TableFolders.tree}/$branch/"
          path.startsWith(prefix) && isOwn(path.stripPrefix(prefix), Nil)
        }
      case first => TableFolders.all.contains(first)
    }
  }

  /** Files that are deleted together. */
  private val batch = 1000
}
