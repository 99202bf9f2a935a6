// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.cleanup

import io.github.pysparklance.core.{InvalidRequestException, Place}
import io.github.pysparklance.storage.spi.{FileStore, TablePath}

/** A file below a table's root.
  *
  * @param path relative to the root
  */
final private case class Found(path: String, sizeBytes: Long, modifiedMillis: Long) {

  /** Path segments. */
  val parts: IndexedSeq[String] = path.split('/').toIndexedSeq

  /** The last path segment. */
  def name: String = parts.last
}

/** Lists the folders of a table. */
final private class Tree(store: FileStore, root: TablePath) {
  private lazy val top = store.list(root.root).filter(_.isFolder).map(_.name).toSet

  /** Whether the root has a folder. The root is listed once. */
  def hasFolder(name: String): Boolean = top(name)

  /** Lists all files below a folder. Skips names that are not valid in paths, and files behind
    * symbolic links, which can be files of others.
    */
  def files(folder: String): Iterator[Found] =
    store.listFiles(root.resolve(folder)).filterNot(_.isLinked).map { f =>
      Found(s"$folder/${f.relativePath}", f.sizeBytes, f.modifiedMillis)
    }.filterNot(_.parts.exists(Tree.isOdd))

  /** Finds the roots of branches and of clones in this table's folder by their versions, even
    * without a description of the branch.
    */
  def otherRoots(): IndexedSeq[TablePath] =
    top.toIndexedSeq
      .filterNot(name => Tree.isOdd(name) || name.startsWith("_") || name == "data")
      .flatMap(roots)

  private def roots(folder: String): IndexedSeq[TablePath] = {
    val folders =
      store.list(root.resolve(folder)).filter(_.isFolder).map(_.name).filterNot(Tree.isOdd)
    val isRoot = folders.contains(Tree.versions)
    // The folders of a branch can be large. A branch root contains other roots only in folders of
    // other branches.
    val others = folders.filterNot(f => f.startsWith("_") || isRoot && f == "data")
    (if (isRoot) IndexedSeq(root.folder(folder)) else IndexedSeq.empty) ++
      others.flatMap(f => roots(s"$folder/$f"))
  }
}

private object Tree {
  private val versions = "_versions"

  /** Checks that no symbolic link leads from a table to the versions of another table. The folder
    * of the table can be a link.
    *
    * @param main root of the table
    * @param root root of the table or branch
    * @throws InvalidRequestException that names the link
    */
  def checkUnlinked(store: FileStore, main: TablePath, root: TablePath): Unit = {
    val names = root.root.stripPrefix(main.root).split('/').filter(_.nonEmpty) :+ versions
    names.inits.filter(_.nonEmpty).map(_.mkString("/")).foreach { folder =>
      if (store.isLink(main.resolve(folder)))
        throw new InvalidRequestException(
          s"the folder $folder is a symbolic link, and the versions behind it may belong to another " +
            "table: replace the link with the folder",
          Place(path = Some(main.root))
        )
    }
  }

  private def isOdd(name: String): Boolean =
    name.isEmpty || name == "." || name == ".." || name.exists(c => c == '\\' || c == '\u0000')
}
