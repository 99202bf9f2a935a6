// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.jobs

import org.apache.spark.sql.functions.col
import org.apache.spark.sql.{Column, DataFrame}

import io.github.pysparklance.spark.commit.CommitInfo
import io.github.pysparklance.spark.common.{LanceErrors, SparkTasks}
import io.github.pysparklance.table.scan.MetadataColumn

/** Runs `OPTIMIZE`: compacts or sorts a table, or the fragments with matching rows. */
private[spark] object OptimizeJob {

  /** @param options see [[CompactionRequest]]
    * @param where condition; only fragments with a matching row are rewritten
    * @param zOrderBy columns to sort by. If empty, rows keep their order, and only small fragments
    *   and fragments with many deleted rows are rewritten
    * @param rows rows of the same version with its metadata columns
    */
  def run(
      on: JobTable,
      options: Map[String, String],
      where: Option[Column],
      zOrderBy: Seq[String],
      rows: => DataFrame
  ): CompactionOutcome = LanceErrors.translated {
    val plain = CompactionRequest.of(options, on.table.manifest.config)
    val properties = plain.options.properties ++ CommitInfo.by("OPTIMIZE")
    val requested = plain.copy(options = plain.options.copy(properties = properties))
    val request = where.fold(requested) { condition =>
      on.checkVisible(MetadataColumn.FragId)
      val matching = fragmentsWith(on, rows, condition)
      requested.copy(fragments = Some(requested.fragments.fold(matching)(_ & matching)))
    }
    if (zOrderBy.isEmpty) CompactionJob.run(on, request)
    else ZOrderJob.run(on, zOrderBy, request)
  }

  /** Returns the ids of fragments with matching rows. */
  private def fragmentsWith(on: JobTable, rows: DataFrame, condition: Column): Set[Long] =
    SparkTasks.described(
      on.session.sparkContext,
      s"looking for fragments of ${on.table.path} with rows to optimize"
    ) {
      rows
        .where(condition)
        .select(col(MetadataColumn.FragId.name))
        .distinct()
        .collect()
        .map(_.getLong(0))
        .toSet
    }
}
