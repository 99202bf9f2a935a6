// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql.statements

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.types._
import org.apache.spark.sql.{Row, SparkSession}

import io.github.pysparklance.core.InvalidRequestException
import io.github.pysparklance.spark.catalog.WapBranch
import io.github.pysparklance.spark.commit.{CommitInfo, TableCommit}
import io.github.pysparklance.spark.sql.{CommittingCommand, Cursor, Statement, TableTarget}
import io.github.pysparklance.table.history.History

/** `RESTORE`, which commits an earlier version as the latest one. */
private[spark] object Restore extends Statement {
  override val usage: String = s"RESTORE [TABLE] t TO ${VersionPoint.usage}"

  override def begins(cursor: Cursor): Boolean =
    cursor.take("RESTORE") && (cursor.sees("TABLE") || cursor.seesAfterName("TO"))

  override def parse(cursor: Cursor): LogicalPlan = {
    cursor.expect("RESTORE")
    if (!cursor.seesAfterName("TO")) cursor.expect("TABLE")
    val target = TableTarget(cursor.name())
    cursor.expect("TO")
    val point = VersionPoint.parse(cursor)
    RestoreCommand(
      target,
      point.getOrElse(cursor.fail("VERSION AS OF, TIMESTAMP AS OF or TAG"))
    )
  }
}

/** Runs [[Restore]]. Returns the previous latest version, the restored version, and the new
  * version.
  */
final private[spark] case class RestoreCommand(target: TableTarget, point: VersionPoint)
    extends CommittingCommand(RestoreCommand.columns) {

  override protected def rows(session: SparkSession): Seq[Row] = {
    val loaded = target.load(session, "RESTORE")
    loaded.checkWritable()
    // The table does not have the WAP branch yet, so the statement would change the main branch.
    if (loaded.branch.isEmpty && loaded.spark.loaded.revision.isEmpty)
      WapBranch.rejectRestore(loaded.spark.home)
    val wanted = point.open(session, loaded)
    if (wanted.manifest.branch != loaded.branch)
      throw new InvalidRequestException(
        s"${loaded.spark.name} cannot be restored to a version of another branch, " +
          s"${wanted.manifest.branch.getOrElse("main")}"
      )
    val restored = TableCommit.restore(loaded.table) {
      new History(wanted).restore(CommitInfo.by("RESTORE"))
    }
    loaded.changed()
    Seq(Row(loaded.table.version, wanted.version, restored.version))
  }
}

/** The columns of the result. */
private[spark] object RestoreCommand {
  private val columns = new StructType()
    .add("previous_version", LongType, nullable = false)
    .add("restored_version", LongType, nullable = false)
    .add("version", LongType, nullable = false)
}
