// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.cloning

import io.github.pysparklance.storage.spi.TablePath
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.manifest.{BasePath, BasePaths}
import io.github.pysparklance.table.refs.SourceCheck
import io.github.pysparklance.table.transaction.Commit
import io.github.pysparklance.table.transaction.operation.{Clone, CloneOf}

/** Creates an independent table from a version of another one without copying files. Its manifest
  * references the files of the source by a base path. Clean-up of the source ignores the clone, so
  * a tag must protect the files that the clone needs.
  *
  * Source: format page of the table, "Shallow clone".
  *
  * @param source the version to clone, on any branch
  */
final class ShallowClone(source: LanceTable) {

  /** Creates the clone.
    *
    * @param path path of the clone
    * @return its first version, with the same number as the source's version
    * @throws io.github.pysparklance.core.InvalidRequestException if a table exists there
    * @throws io.github.pysparklance.core.NotFoundException if a clean-up removed the source version
    *   meanwhile
    */
  def apply(path: String, properties: Map[String, String] = Map.empty): LanceTable =
    CloneTarget.in(source, path) { root =>
      checkBases(root)
      val operation = CloneOf(
        Clone(
          isShallow = true,
          source.manifest.branch,
          source.version,
          base.path,
          branchName = None
        ),
        source.file
      )
      val made = new Commit(source.store, root)(operation, None, properties)
      SourceCheck(source.store, source.root, source.file.location, s"the clone ${root.root}") {
        LanceTable.drop(source.store, root.root): Unit
      }
      made
    }

  /** Checks that the version can be cloned, before an existing table is dropped.
    *
    * @param path path of the clone
    */
  def check(path: String): Unit = {
    CloneTarget.checkBeforeDrop(source, TablePath(path))
    checkBases(TablePath(path))
  }

  private def base: BasePath =
    BasePath(0, None, isDatasetRoot = true, BasePaths.of(source.store, source.path))

  /** A clone on another kind of storage could not be read, so `folder` rejects it. */
  private def checkBases(root: TablePath): Unit =
    (base +: source.manifest.basePaths.values.toSeq).foreach(_.folder(root))
}
