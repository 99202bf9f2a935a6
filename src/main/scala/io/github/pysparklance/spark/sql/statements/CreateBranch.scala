// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql.statements

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{Row, SparkSession}

import io.github.pysparklance.core.InvalidRequestException
import io.github.pysparklance.spark.sql.{
  CommittingCommand,
  Cursor,
  LoadedTable,
  Statement,
  TableTarget
}
import io.github.pysparklance.table.LanceTable

/** `ALTER TABLE … CREATE BRANCH`. */
private[spark] object CreateBranch extends Statement {
  override val usage: String = "ALTER TABLE t CREATE [OR REPLACE] BRANCH [IF NOT EXISTS] name " +
    "[AS OF VERSION v | AS OF BRANCH b [VERSION v] | AS OF TAG t]"

  override def begins(cursor: Cursor): Boolean =
    cursor.take("ALTER", "TABLE") && IfThere.follows(cursor, "BRANCH")

  override def parse(cursor: Cursor): LogicalPlan = {
    cursor.expect("ALTER", "TABLE")
    val target = TableTarget(cursor.name())
    val ifThere = IfThere.parse(cursor, "BRANCH")
    val branch = cursor.label()
    CreateBranchCommand(target, branch, RefSource.parse(cursor), ifThere)
  }
}

/** Runs [[CreateBranch]].
  *
  * @param source start version of the branch
  */
final private[spark] case class CreateBranchCommand(
    target: TableTarget,
    branch: String,
    source: RefSource,
    ifThere: IfThere
) extends CommittingCommand(new StructType) {

  override protected def rows(session: SparkSession): Seq[Row] = {
    val loaded = target.load(session, "CREATE BRANCH")
    val branches = loaded.branches
    (ifThere, branches.get(branch).isDefined) match {
      case (IfThere.Keep, true) => ()
      case (IfThere.Replace, true) => replace(loaded)
      case _ => branches.create(branch, source.in(loaded)): Unit
    }
    loaded.changed()
    Nil
  }

  /** Replaces a branch. Validates the start version before dropping the old branch. */
  private def replace(loaded: LoadedTable): Unit = {
    val revision = source.in(loaded)
    val start = LanceTable.open(loaded.store, loaded.root, revision)
    if (start.manifest.branch.contains(branch))
      throw new InvalidRequestException(
        s"branch $branch cannot be replaced by a version of itself; restore that version instead"
      )
    loaded.branches.delete(branch)
    loaded.branches.create(branch, revision): Unit
  }
}
