// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.maintenance

import java.io.IOException

import io.github.pysparklance.core.LanceException
import io.github.pysparklance.storage.spi.{FileStore, TablePath}
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.blob.BlobSideFiles
import io.github.pysparklance.table.manifest.Fragment

/** Files that no version names. */
private object NewFiles {

  /** Removes the files of fragments that are not committed and never will be, as far as storage allows. */
  def remove(store: FileStore, tablePath: String, fragments: Seq[Fragment]): Unit = {
    val data = TablePath(tablePath).folder(LanceTable.dataFolder)
    fragments.flatMap(_.files).filter(_.baseId.isEmpty).foreach { file =>
      try {
        val path = data.resolve(file.path)
        store.delete(path)
        BlobSideFiles.delete(store, path, file.path)
      } catch { case _: IOException | _: LanceException => () }
    }
  }
}
