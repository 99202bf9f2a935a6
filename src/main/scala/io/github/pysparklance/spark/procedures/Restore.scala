// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.procedures

import org.apache.spark.sql.types.{LongType, StringType, TimestampType}

import io.github.pysparklance.core.InvalidRequestException
import io.github.pysparklance.spark.sql.TableCommand
import io.github.pysparklance.spark.sql.statements.RestoreCommand

/** As the statement `RESTORE`. */
private[spark] object Restore
    extends LanceProcedure(
      "restore",
      "Makes an earlier version the newest one, as the statement RESTORE does.",
      LanceProcedure.table,
      LanceProcedure.optional("version", LongType, "the version"),
      LanceProcedure.optional("tag", StringType, "or the tag that names it"),
      LanceProcedure.optional("timestamp", TimestampType, "or a time: the version of that time")
    ) {

  override def command(call: Arguments): TableCommand = {
    VersionPoints.all(call) match {
      case Seq(point) => RestoreCommand(call.table(), point)
      case _ => throw new InvalidRequestException("give one of version, tag and timestamp")
    }
  }
}
