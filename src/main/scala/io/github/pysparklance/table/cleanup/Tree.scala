// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.cleanup

import io.github.pysparklance.storage.spi.{FileEntry, FileStore, TablePath}

/** A file below a table's root.
  *
  * @param path relative to the root
  */
final private case class Found(path: String, entry: FileEntry) {

  /** Path segments. */
  def parts: IndexedSeq[String] = path.split('/').toIndexedSeq
}

/** Lists the folders of a table. */
final private class Tree(store: FileStore, root: TablePath) {

  /** All files in a folder and below it. Names that no path can have are passed over. */
  def files(folder: String): Iterator[Found] = {
    val (folders, files) = children(folder).partition(_.entry.isFolder)
    files.iterator ++ folders.iterator.flatMap(f => this.files(f.path))
  }

  /** Roots of branches, found by their versions, below `tree`: also of those whose description is gone. */
  def branchRoots(): IndexedSeq[TablePath] = branchRoots(Tree.branches)

  private def branchRoots(folder: String): IndexedSeq[TablePath] = {
    val folders = children(folder).filter(_.entry.isFolder)
    val isRoot = folders.exists(_.entry.name == Tree.versions)
    // The folders of a branch may be large; a branch has none below it but for those of others.
    val others = folders.filterNot(f => f.entry.name.startsWith("_") || isRoot && f.entry.name == "data")
    (if (isRoot) IndexedSeq(root.folder(folder)) else IndexedSeq.empty) ++
      others.flatMap(f => branchRoots(f.path))
  }

  private def children(folder: String): IndexedSeq[Found] =
    store.list(root.resolve(folder)).filterNot(e => Tree.isOdd(e.name)).map { e =>
      Found(s"$folder/${e.name}", e)
    }
}

private object Tree {
  private val versions = "_versions"
  private val branches = "tree"

  private def isOdd(name: String): Boolean =
    name.isEmpty || name == "." || name == ".." || name.exists(c => c == '\\' || c == '\u0000')
}
