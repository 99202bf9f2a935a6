// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.cloning

import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.manifest.{BasePath, BasePaths}
import io.github.pysparklance.table.transaction.Commit
import io.github.pysparklance.table.transaction.operation.{Clone, CloneOf}

/** Makes a table of its own from a version of another one without copying anything: its manifest names the files of
  * the source by a base path. Both then go their own ways, but clean-up of the source knows nothing of the clone: a tag
  * keeps what the clone needs.
  *
  * Source: format page of the table, "Shallow clone".
  *
  * @param source the version that is cloned, on whatever branch
  */
final class ShallowClone(source: LanceTable) {

  /** @param path where the clone will be
    * @return its first version, which has the number of the source's
    * @throws io.github.pysparklance.core.InvalidRequestException when a table is there
    */
  def apply(path: String, properties: Map[String, String] = Map.empty): LanceTable =
    CloneTarget.in(source, path) { root =>
      // Nobody would read a clone whose files are on another kind of storage.
      val base = BasePath(0, None, isDatasetRoot = true, BasePaths.of(source.store, source.path))
      (base +: source.manifest.basePaths.values.toSeq).foreach(_.folder(root))
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
      new Commit(source.store, root)(operation, None, properties)
    }
}
