// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.cloning

import io.github.pysparklance.core.{InvalidRequestException, Place, UnsupportedFeatureException}
import io.github.pysparklance.storage.spi.TablePath
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.manifest.ManifestFile
import io.github.pysparklance.table.refs.SourceCheck
import io.github.pysparklance.table.transaction.operation.CloneOf

/** Checks shared by shallow and deep clones. */
private object CloneTarget {

  /** Runs `commit` for a clone at `path` and opens the result. */
  def in(source: LanceTable, path: String)(commit: TablePath => ManifestFile): LanceTable = {
    val root = TablePath(path)
    check(source, root)
    Place.in(Place(path = Some(root.root))) {
      if (LanceTable.exists(source.store, path))
        throw new InvalidRequestException("a table exists at the target path of the clone")
      LanceTable.of(source.store, root, commit(root))
    }
  }

  /** Checks that a version can be cloned.
    *
    * @throws UnsupportedFeatureException naming the reason
    */
  private def check(source: LanceTable, root: TablePath): Unit =
    Place.in(Place(path = Some(root.root))) {
      if (source.version < 0)
        throw new UnsupportedFeatureException("cloning a detached version; restore it first")
      CloneOf.check(source.file)
    }

  /** Checks that a version can be cloned and exists, before an existing table is dropped.
    *
    * @throws io.github.pysparklance.core.NotFoundException if a clean-up removed the version
    */
  def checkBeforeDrop(source: LanceTable, root: TablePath): Unit = {
    check(source, root)
    SourceCheck.before(source.store, source.root, source.file.location, s"the clone ${root.root}")
  }
}
