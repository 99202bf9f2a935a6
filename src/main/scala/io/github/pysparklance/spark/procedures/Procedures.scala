// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.procedures

import io.github.pysparklance.spark.shim.ProcedureShim

/** All procedures of ours. */
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

  /** The procedures as a catalog has them.
    *
    * @param catalog its name
    */
  def in(catalog: String): Seq[ProcedureShim] = all.map(_.in(catalog))
}
