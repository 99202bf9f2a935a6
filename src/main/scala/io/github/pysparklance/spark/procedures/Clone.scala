// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.procedures

import org.apache.spark.sql.types.{LongType, StringType, TimestampType}

import io.github.pysparklance.core.InvalidRequestException
import io.github.pysparklance.spark.sql.TableCommand
import io.github.pysparklance.spark.sql.statements.{CloneTableCommand, VersionPoint}

/** As the statement `CREATE TABLE … CLONE`. */
private[spark] object Clone
    extends LanceProcedure(
      "clone",
      "Makes a table of a version of another one: shallow, so that it names the files of its source, or deep, with " +
        "copies of them.",
      LanceProcedure.required("source", StringType, "name or path of the table that is cloned"),
      LanceProcedure.required("target", StringType, "name or path of the new table"),
      LanceProcedure.flag("deep", "whether files are copied"),
      LanceProcedure.optional("version", LongType, "the version; the newest one if none is given"),
      LanceProcedure.optional("tag", StringType, "or the tag that names it"),
      LanceProcedure.optional("timestamp", TimestampType, "or a time: the version of that time"),
      LanceProcedure.optional("location", StringType, "where the new table is to be"),
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

/** The arguments `version`, `tag` and `timestamp`. */
private[procedures] object VersionPoints {

  /** Those that were given. */
  def all(call: Arguments): Seq[VersionPoint] =
    (call.long("version").map(VersionPoint.Version) ++ call.text("tag").map(VersionPoint.Tag) ++
      call.time("timestamp").map(VersionPoint.At)).toSeq
}
