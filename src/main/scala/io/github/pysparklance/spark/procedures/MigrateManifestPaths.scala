// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.procedures

import org.apache.spark.sql.types.{LongType, StructType}
import org.apache.spark.sql.{Row, SparkSession}

import io.github.pysparklance.spark.sql.{CommittingCommand, TableCommand, TableTarget}
import io.github.pysparklance.table.LanceTable

/** Renames manifests of old releases, so that finding the latest version takes one request on
  * object stores.
  */
private[spark] object MigrateManifestPaths
    extends LanceProcedure(
      "migrate_manifest_paths_v2",
      "Renames the manifests of an old table to the current naming scheme. There must be no concurrent writers.",
      LanceProcedure.table
    ) {

  override def command(call: Arguments): TableCommand = MigrateManifestPathsCommand(call.table())
}

/** Runs `migrate_manifest_paths_v2`. */
final private[spark] case class MigrateManifestPathsCommand(target: TableTarget)
    extends CommittingCommand(new StructType().add(
      "migrated_manifests",
      LongType,
      nullable = false
    )) {

  override protected def rows(session: SparkSession): Seq[Row] = {
    val loaded = target.load(session, "migrate_manifest_paths_v2")
    Seq(Row(LanceTable.migrateManifestPathsV2(loaded.store, loaded.root).toLong))
  }
}
