// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.cloning

import io.github.pysparklance.core.{InvalidRequestException, Place, UnsupportedFeatureException}
import io.github.pysparklance.storage.spi.TablePath
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.manifest.ManifestFile
import io.github.pysparklance.table.transaction.operation.CloneOf

/** Checks shared by shallow and deep clones. */
private object CloneTarget {

  /** Runs `commit` for a clone at `path` and opens the result. */
  def in(source: LanceTable, path: String)(commit: TablePath => ManifestFile): LanceTable = {
    val root = TablePath(path)
    Place.in(Place(path = Some(root.root))) {
      if (source.version < 0)
        throw new UnsupportedFeatureException("cloning a detached version; restore it first")
      if (LanceTable.exists(source.store, path))
        throw new InvalidRequestException("a table exists at the target path of the clone")
      CloneOf.check(source.file)
      LanceTable.of(source.store, root, commit(root))
    }
  }
}
