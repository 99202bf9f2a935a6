// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.procedures

import org.apache.spark.sql.types.{LongType, StringType}

import io.github.pysparklance.core.InvalidRequestException
import io.github.pysparklance.spark.sql.TableCommand
import io.github.pysparklance.spark.sql.statements.{RestoreCommand, VersionPoint}

/** Restores a version by number or tag, like Iceberg's `set_current_snapshot`. */
private[spark] object SetCurrentVersion
    extends LanceProcedure(
      "set_current_version",
      "Commits a version as the latest one. The version can be earlier or later than the one that was restored last.",
      LanceProcedure.table,
      LanceProcedure.optional("version", LongType, "version number"),
      LanceProcedure.optional("ref", StringType, "alternatively, a tag")
    ) {

  override def command(call: Arguments): TableCommand =
    (call.long("version"), call.text("ref")) match {
      case (Some(v), None) => RestoreCommand(call.table(), VersionPoint.Version(v))
      case (None, Some(tag)) => RestoreCommand(call.table(), VersionPoint.Tag(tag))
      case _ => throw new InvalidRequestException("give one of version and ref")
    }
}
