// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.procedures

import org.apache.spark.sql.types.{LongType, StringType, TimestampType}

import io.github.pysparklance.core.InvalidRequestException
import io.github.pysparklance.spark.sql.TableCommand
import io.github.pysparklance.spark.sql.statements.{CloneTableCommand, VersionPoint}

/** Clones a table, like `CREATE TABLE … CLONE`. */
private[spark] object Clone
    extends LanceProcedure(
      "clone",
      "Creates a table from a version of another table. A shallow clone references the files of its source, a deep " +
        "clone copies them.",
      LanceProcedure.required("source", StringType, "name or path of the source table"),
      LanceProcedure.required("target", StringType, "name or path of the new table"),
      LanceProcedure.flag("deep", "copies the files"),
      LanceProcedure.optional("version", LongType, "version number; default: the latest version"),
      LanceProcedure.optional("tag", StringType, "alternatively, a tag"),
      LanceProcedure.optional(
        "timestamp",
        TimestampType,
        "alternatively, a time: the version that was current then"
      ),
      LanceProcedure.optional("location", StringType, "location of the new table"),
      RefArguments.ifThere(0),
      RefArguments.ifThere(1)
    ) {

  override def command(call: Arguments): TableCommand = {
    val points = VersionPoints.all(call)
    if (points.length > 1)
      throw new InvalidRequestException("give one of version, tag and timestamp")
    CloneTableCommand(
      call.newTable("target"),
      call.table("source"),
      points.headOption,
      isShallow = !call.flag("deep"),
      RefArguments.ifThere(call),
      call.text("location")
    )
  }
}

/** The arguments `version`, `tag`, and `timestamp`. */
private[procedures] object VersionPoints {

  /** Returns the given arguments. */
  def all(call: Arguments): Seq[VersionPoint] =
    (call.long("version").map(VersionPoint.Version) ++ call.text("tag").map(VersionPoint.Tag) ++
      call.time("timestamp").map(VersionPoint.At)).toSeq
}
