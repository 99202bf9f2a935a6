// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.manifest

/** The folders below the root of a table or branch.
  *
  * Source: format page of the table, "Directory layout".
  */
private[table] object TableFolders {

  /** Folder of the data files. */
  val data: String = "data"

  /** Folder of the branches. */
  val tree: String = "tree"

  /** Folder of the tags, and of the references to branches. */
  val refs: String = "_refs"

  /** All folders, with the manifests first: without manifests, the other files are not a table. */
  val all: Seq[String] = Seq(
    Versions.folderName,
    "_transactions",
    "_deletions",
    "_indices",
    "_fri",
    "_blobs",
    "_mem_wal",
    refs,
    "_bt",
    tree,
    data
  )
}
