// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table

import io.github.pysparklance.core.Workers
import io.github.pysparklance.file.DataFiles
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.table.manifest.{DataFile, Fragment, Manifest}

/** Counts rows that manifests of early releases lack or miscount.
  *
  * Source: format page of the table, "writer_version and what it drives".
  */
private object RowCounts {

  /** Files that are opened in parallel. */
  private val threads = 8

  /** Returns the fragments of a version with row counts from their files, without empty fragments.
    * Fragments whose file lacks the count are unchanged.
    *
    * @param pathOf returns the path of a data file
    */
  def complete(
      store: FileStore,
      manifest: Manifest,
      pathOf: DataFile => String
  ): IndexedSeq[Fragment] = {
    def count(fragment: Fragment): Option[Long] =
      if (manifest.hasReliableCounts && fragment.physicalRows.isDefined) fragment.physicalRows
      else
        fragment.files.headOption.flatMap { file =>
          DataFiles.legacyRows(store.open(pathOf(file)))
        }
    val counts = Workers.map(manifest.fragments, threads)(count)
    manifest.fragments.zip(counts).collect {
      case (fragment, None) => fragment
      case (fragment, Some(rows)) if rows > 0 => fragment.counted(rows)
    }
  }
}
