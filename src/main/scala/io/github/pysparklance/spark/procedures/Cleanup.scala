// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.procedures

import org.apache.spark.sql.types._

import io.github.pysparklance.spark.sql.TableCommand
import io.github.pysparklance.spark.sql.statements.{DryVacuumCommand, VacuumCommand}

/** Removes old versions, like `VACUUM`, with pylance's option names. */
private[spark] object Cleanup
    extends LanceProcedure(
      "cleanup",
      "Removes old versions and the files that only they reference, like the statement VACUUM.",
      LanceProcedure.table,
      LanceProcedure.optional(
        "older_than",
        StringType,
        "minimum age of the removed versions: `7 days`, or a number of seconds; default: `14 days` if no other " +
          "condition is set"
      ),
      LanceProcedure.optional("retain_versions", LongType, "number of latest versions to keep"),
      LanceProcedure.optional("before_version", LongType, "removes versions below this number"),
      LanceProcedure.optional(
        "before_timestamp_millis",
        LongType,
        "removes versions before this time, in milliseconds since 1970"
      ),
      LanceProcedure.optional("versions", ArrayType(LongType), "numbers of the versions to remove"),
      LanceProcedure.optional(
        "delete_unverified",
        BooleanType,
        "also removes unreferenced files younger than seven days; safe only without concurrent writers"
      ),
      LanceProcedure.optional(
        "error_if_tagged_old_versions",
        BooleanType,
        "whether a tagged version that would be removed is an error (default); otherwise, it is kept"
      ),
      LanceProcedure.optional(
        "clean_referenced_branches",
        BooleanType,
        "also cleans up branches that start at versions to remove, according to their own properties"
      ),
      LanceProcedure.optional("delete_rate_limit", LongType, "maximum delete requests per second"),
      LanceProcedure.optional(
        "delete_concurrency",
        LongType,
        "validated, but has no effect: Spark decides"
      ),
      LanceProcedure.flag("dry_run", "lists the files instead of removing them")
    ) {

  override def command(call: Arguments): TableCommand = {
    val options = call.others("table", "dry_run")
    if (call.flag("dry_run")) DryVacuumCommand(call.table(), options)
    else VacuumCommand(call.table(), options)
  }
}
