// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql.statements

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{Row, SparkSession}

import io.github.pysparklance.spark.sql.{CommittingCommand, Cursor, Statement, TableTarget}

/** `ALTER TABLE … DROP BRANCH`, which drops a branch with its versions. */
private[spark] object DropBranch extends Statement {
  override val usage: String = "ALTER TABLE t DROP BRANCH [IF EXISTS] name"

  override def begins(cursor: Cursor): Boolean =
    cursor.take("ALTER", "TABLE") && cursor.seesAfterName("DROP", "BRANCH")

  override def parse(cursor: Cursor): LogicalPlan = {
    cursor.expect("ALTER", "TABLE")
    val target = TableTarget(cursor.name())
    cursor.expect("DROP", "BRANCH")
    val ifExists = cursor.take("IF", "EXISTS")
    DropBranchCommand(target, cursor.label(), ifExists, force = false)
  }
}

/** Runs [[DropBranch]].
  *
  * @param ifExists whether a missing branch is ignored
  * @param force whether to remove the remains of an interrupted creation or drop
  */
final private[spark] case class DropBranchCommand(
    target: TableTarget,
    branch: String,
    ifExists: Boolean,
    force: Boolean
) extends CommittingCommand(new StructType) {

  override protected def rows(session: SparkSession): Seq[Row] = {
    val loaded = target.load(session, "DROP BRANCH")
    val branches = loaded.branches
    if (!ifExists || branches.get(branch).isDefined) branches.delete(branch, force)
    loaded.changed()
    Nil
  }
}
