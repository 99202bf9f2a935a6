// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.procedures

import org.apache.spark.sql.types.TimestampType

import io.github.pysparklance.core.InvalidRequestException
import io.github.pysparklance.spark.sql.TableCommand
import io.github.pysparklance.spark.sql.statements.{RestoreCommand, VersionPoint}

/** Restores the version that was current at a time. */
private[spark] object RollbackToTimestamp
    extends LanceProcedure(
      "rollback_to_timestamp",
      "Commits the version that was current at a time as the latest one.",
      LanceProcedure.table,
      LanceProcedure.required("timestamp", TimestampType, "time")
    ) {

  override def command(call: Arguments): TableCommand = {
    val time = call.time("timestamp")
      .getOrElse(throw new InvalidRequestException("the argument timestamp is null"))
    RestoreCommand(call.table(), VersionPoint.At(time))
  }
}
