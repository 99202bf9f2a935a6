// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.procedures

import org.apache.spark.sql.types._

import io.github.pysparklance.spark.sql.TableCommand
import io.github.pysparklance.spark.sql.statements.{DryVacuumCommand, VacuumCommand}

/** As the statement `VACUUM`, with pylance's names. */
private[spark] object Cleanup
    extends LanceProcedure(
      "cleanup",
      "Removes old versions and the files that only they need, as the statement VACUUM does.",
      LanceProcedure.table,
      LanceProcedure.optional(
        "older_than",
        StringType,
        "age of the versions that go: `7 days`, or a number of seconds; `14 days` if nothing else is said"
      ),
      LanceProcedure.optional("retain_versions", LongType, "newest versions that stay"),
      LanceProcedure.optional("before_version", LongType, "versions below this number go"),
      LanceProcedure.optional(
        "before_timestamp_millis",
        LongType,
        "versions older than this go: milliseconds since 1970"
      ),
      LanceProcedure.optional("versions", ArrayType(LongType), "numbers of the versions that go"),
      LanceProcedure.optional(
        "delete_unverified",
        BooleanType,
        "also files younger than seven days that no version names; only when nobody writes"
      ),
      LanceProcedure.optional(
        "error_if_tagged_old_versions",
        BooleanType,
        "whether tagged versions that would go are an error, which is the default; else they stay"
      ),
      LanceProcedure.optional(
        "clean_referenced_branches",
        BooleanType,
        "also old versions of branches that began at versions which else would go, as their own settings ask for"
      ),
      LanceProcedure.optional("delete_rate_limit", LongType, "requests a second, at most"),
      LanceProcedure.optional("delete_concurrency", LongType, "checked only: Spark decides"),
      LanceProcedure.flag("dry_run", "whether files are listed and not removed")
    ) {

  override def command(call: Arguments): TableCommand = {
    val options = call.others("table", "dry_run")
    if (call.flag("dry_run")) DryVacuumCommand(call.table(), options)
    else VacuumCommand(call.table(), options)
  }
}
