// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.rowlevel

import org.apache.spark.sql.catalyst.analysis.NamedRelation
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, WriteDelta}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

import io.github.pysparklance.spark.shim.RowLevelTables

/** The operation of a row-level command, which its write and the scan of its query share. */
private[spark] object DeltaOperation {

  /** The operation, if the command is on a table of ours. */
  def unapply(delta: WriteDelta): Option[LanceRowLevelOperation] = delta.operation match {
    case ours: LanceRowLevelOperation => Some(ours)
    case _ => None
  }

  /** Returns the analyzed command with another operation. */
  def replaced(delta: WriteDelta, by: LanceRowLevelOperation): WriteDelta = {
    val before = delta.operation
    val relation: PartialFunction[LogicalPlan, LogicalPlan] = {
      case r: DataSourceV2Relation if RowLevelTables.isTarget(r.table, before) =>
        r.copy(table = RowLevelTables.withOperation(r.table, by))
    }
    val target = relation.applyOrElse(delta.table, identity[LogicalPlan]) match {
      case r: NamedRelation => r
      case _ => delta.table
    }
    val moved = delta.copy(table = target, query = delta.query.transformWithSubqueries(relation))
    RowLevelTables.markAnalyzed(moved)
    moved
  }

  /** Returns the analyzed command on the latest version of the table.
    *
    * @return `None` if the command has to be analyzed again, see [[LanceRowLevelOperation.onLatest]]
    */
  def onLatest(delta: WriteDelta): Option[WriteDelta] =
    unapply(delta).flatMap(_.onLatest).map(replaced(delta, _))
}
