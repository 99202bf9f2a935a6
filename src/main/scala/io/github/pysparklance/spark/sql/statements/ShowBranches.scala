// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql.statements

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.types._
import org.apache.spark.sql.{Row, SparkSession}

import io.github.pysparklance.spark.sql.{Cursor, Statement, TableCommand, TableTarget}

/** `SHOW BRANCHES`, which lists the branches of a table except the main branch. */
private[spark] object ShowBranches extends Statement {
  override val usage: String = "SHOW BRANCHES {IN | FROM} t"

  override def begins(cursor: Cursor): Boolean =
    cursor.take("SHOW", "BRANCHES") && (cursor.sees("IN") || cursor.sees("FROM"))

  override def parse(cursor: Cursor): LogicalPlan = {
    cursor.expect("SHOW", "BRANCHES")
    if (!cursor.take("IN")) cursor.expect("FROM")
    ShowBranchesCommand(TableTarget(cursor.name()))
  }
}

/** Runs [[ShowBranches]]. */
final private[spark] case class ShowBranchesCommand(target: TableTarget)
    extends TableCommand(ShowBranchesCommand.columns) {

  override protected def rows(session: SparkSession): Seq[Row] =
    target.load(session, "SHOW BRANCHES").branches.list().map { b =>
      Row(
        b.name,
        b.parentBranch.getOrElse("main"),
        b.parentVersion,
        b.createdAt.orNull,
        b.metadata
      )
    }
}

/** The columns of the result. */
private[spark] object ShowBranchesCommand {
  private val columns = new StructType()
    .add("name", StringType, nullable = false)
    .add("parent_branch", StringType, nullable = false)
    .add("parent_version", LongType, nullable = false)
    .add("created_at", TimestampType)
    .add("metadata", MapType(StringType, StringType, valueContainsNull = false), nullable = false)
}
