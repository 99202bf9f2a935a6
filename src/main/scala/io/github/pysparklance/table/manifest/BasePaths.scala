// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.manifest

import io.github.pysparklance.storage.spi.{FileStore, TablePath}

/** Writes the paths of [[BasePath]]s so that every reader understands them, pylance among them. */
private[table] object BasePaths {

  /** The path of a folder: a URI, or an absolute path of this machine. What S3A reads is `s3` for others. */
  def of(store: FileStore, folder: String): String = {
    val whole = store.qualify(TablePath(folder).root)
    TablePath.scheme(whole) match {
      case Some("file") => TablePath.localName(whole)
      case Some("s3a") => "s3" + whole.drop("s3a".length)
      case _ => whole
    }
  }
}
