// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.procedures

import org.apache.spark.sql.types.LongType

import io.github.pysparklance.spark.sql.TableCommand
import io.github.pysparklance.spark.sql.statements.{RestoreCommand, VersionPoint}

/** Restores a version by number. */
private[spark] object RollbackToVersion
    extends LanceProcedure(
      "rollback_to_version",
      "Commits an earlier version as the latest one.",
      LanceProcedure.table,
      LanceProcedure.required("version", LongType, "version number")
    ) {

  override def command(call: Arguments): TableCommand =
    RestoreCommand(call.table(), VersionPoint.Version(call.neededLong("version")))
}
