// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.procedures

import org.apache.spark.sql.types._
import org.apache.spark.sql.{Row, SparkSession}

import io.github.pysparklance.spark.sql.{LoadedTable, TableCommand, TableTarget}
import io.github.pysparklance.table.LanceTable

/** Lists the ancestors of a version. */
private[spark] object AncestorsOf
    extends LanceProcedure(
      "ancestors_of",
      "Lists a version and its ancestors, latest first, including those on parent branches.",
      LanceProcedure.table,
      LanceProcedure.optional("version", LongType, "version number; default: the latest version")
    ) {

  override def command(call: Arguments): TableCommand =
    AncestorsCommand(call.table(), call.long("version"))
}

/** Runs `ancestors_of`. */
final private[spark] case class AncestorsCommand(target: TableTarget, version: Option[Long])
    extends TableCommand(
      new StructType()
        .add("branch", StringType, nullable = false)
        .add("version", LongType, nullable = false)
        .add("timestamp", TimestampType, nullable = false)
    ) {

  override protected def rows(session: SparkSession): Seq[Row] = {
    val loaded = target.load(session, "ancestors_of")
    // Fails if the version does not exist.
    val start = version.fold(loaded.table)(v =>
      LanceTable.open(loaded.store, loaded.root, loaded.revision(v))
    )
    line(loaded, start.manifest.branch, start.version)
  }

  private def line(loaded: LoadedTable, branch: Option[String], latest: Long): Seq[Row] = {
    val parent = branch.map(loaded.branches(_))
    // The first version of a branch is a copy of its parent version.
    val own = LanceTable
      .history(loaded.store, loaded.root, branch)
      .filter(v => v.version <= latest && !parent.exists(_.parentVersion >= v.version))
      .map(v => Row(branch.getOrElse("main"), v.version, v.timestamp))
      .toIndexedSeq
    own.reverse ++ parent.fold(Seq.empty[Row])(p =>
      line(loaded, p.parentBranch, math.min(p.parentVersion, latest))
    )
  }
}
