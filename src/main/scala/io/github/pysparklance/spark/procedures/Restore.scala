// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.procedures

import org.apache.spark.sql.types.{LongType, StringType, TimestampType}

import io.github.pysparklance.core.InvalidRequestException
import io.github.pysparklance.spark.sql.TableCommand
import io.github.pysparklance.spark.sql.statements.RestoreCommand

/** Restores a version, like `RESTORE`. */
private[spark] object Restore
    extends LanceProcedure(
      "restore",
      "Commits an earlier version as the latest one, like the statement RESTORE.",
      LanceProcedure.table,
      LanceProcedure.optional("version", LongType, "version number"),
      LanceProcedure.optional("tag", StringType, "alternatively, a tag"),
      LanceProcedure.optional(
        "timestamp",
        TimestampType,
        "alternatively, a time: the version that was current then"
      )
    ) {

  override def command(call: Arguments): TableCommand = {
    VersionPoints.all(call) match {
      case Seq(point) => RestoreCommand(call.table(), point)
      case _ => throw new InvalidRequestException("give one of version, tag and timestamp")
    }
  }
}
