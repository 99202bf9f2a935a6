// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql

import org.apache.spark.sql.catalyst.analysis.{
  RewriteDeleteFromTable,
  RewriteMergeIntoTable,
  RewriteUpdateTable
}
import org.apache.spark.sql.catalyst.plans.logical.{
  DeleteFromTable,
  LogicalPlan,
  MergeIntoTable,
  UpdateTable
}
import org.apache.spark.sql.catalyst.rules.Rule

import io.github.pysparklance.spark.sql.TargetColumns.isOurs

/** Plans DELETE, UPDATE, and MERGE of Lance tables before the post-hoc rules, as Spark does since
  * 4.1. Before 4.1, these rules add a projection to tables with CHAR columns, and Spark no longer
  * recognizes the target.
  */
private[sql] object RewriteEarly extends Rule[LogicalPlan] {
  private val rules = Seq(RewriteDeleteFromTable, RewriteUpdateTable, RewriteMergeIntoTable)

  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    // Spark adds metadata columns to the target in the pass after it resolves their names. For
    // UPDATE and MERGE, TargetColumns adds them later.
    case d: DeleteFromTable if isOurs(d.table) && d.resolved && d.missingInput.isEmpty =>
      rewritten(d)
    case u: UpdateTable if isOurs(u.table) && u.resolved => rewritten(u)
    case m: MergeIntoTable if isOurs(m.targetTable) && m.resolved =>
      val merged = rewritten(m)
      MergedAppends.mark(merged)
      merged
    case _ => plan
  }

  private def rewritten(plan: LogicalPlan): LogicalPlan =
    rules.foldLeft(plan)((p, rule) => rule(p))
}
