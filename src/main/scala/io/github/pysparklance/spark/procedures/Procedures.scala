// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.procedures

import io.github.pysparklance.spark.shim.ProcedureShim

/** Lists all procedures. */
private[spark] object Procedures {
  val all: Seq[LanceProcedure] = Seq(
    Compact,
    Cleanup,
    Clone,
    Import,
    Restore,
    RollbackToVersion,
    RollbackToTimestamp,
    SetCurrentVersion,
    AncestorsOf,
    CreateTag,
    DropTag,
    CreateBranch,
    DropBranch,
    CreateIndex,
    DropIndex,
    OptimizeIndices,
    IndexStatistics,
    PrewarmIndex,
    UpdateMetadata,
    AddBase,
    MigrateManifestPaths
  )

  /** Returns the procedures of a catalog.
    *
    * @param catalog name of the catalog
    */
  def in(catalog: String): Seq[ProcedureShim] = all.map(_.in(catalog))
}
