// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.manifest

import io.github.pysparklance.storage.spi.{FileStore, TablePath}

/** Writes the paths of [[BasePath]]s so that all readers understand them, including pylance. */
private[table] object BasePaths {

  /** Returns the path of a folder as a URI or an absolute local path. Replaces `s3a` by `s3`, which
    * other readers use.
    */
  def of(store: FileStore, folder: String): String = {
    val whole = store.qualify(TablePath(folder).root)
    TablePath.scheme(whole) match {
      case Some("file") => TablePath.localName(whole)
      case Some("s3a") => "s3" + whole.drop("s3a".length)
      case _ => whole
    }
  }
}
