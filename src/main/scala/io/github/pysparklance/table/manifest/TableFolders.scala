// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.manifest

/** The folders that a table or branch may have right below its root.
  *
  * Source: format page of the table, "Directory layout".
  */
private[table] object TableFolders {

  /** The folder of the data files. */
  val data: String = "data"

  /** All of them, the manifests' first: without these nobody takes the rest for a table. */
  val all: Seq[String] = Seq(
    Versions.folderName,
    "_transactions",
    "_deletions",
    "_indices",
    "_fri",
    "_blobs",
    "_mem_wal",
    "_refs",
    "_bt",
    "tree",
    data
  )
}
