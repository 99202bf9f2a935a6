// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.update

import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project, WriteDelta}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.catalyst.util.RowDeltaUtils
import org.apache.spark.sql.connector.write.RowLevelOperation.Command
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.github.pysparklance.spark.catalog.LanceSparkTable
import io.github.pysparklance.spark.shim.{Constraints, TableConstraint}
import io.github.pysparklance.table.scan.MetadataColumn

/** Replaces UPDATE plans of Lance tables by plans that can rewrite columns instead of rows,
  * depending on the option `updateMode`. Spark's plan, a delta of rows, is kept as an alternative.
  */
private[spark] object UpdateByColumns extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case delta: WriteDelta
        if delta.resolved && delta.operation.command == Command.UPDATE &&
          delta.getTagValue(byRows).isEmpty =>
      delta.originalTable match {
        case DataSourceRelation(table, options) =>
          replaced(delta, table, options).getOrElse(delta)
        case _ => delta
      }
    case other => other
  }

  private def replaced(
      delta: WriteDelta,
      table: LanceSparkTable,
      options: CaseInsensitiveStringMap
  ): Option[LogicalPlan] = {
    val mode = UpdateMode.of(table, options)
    for {
      changed <- changedBy(delta, table)
      if changed.nonEmpty && mode.isPossible(table.table) && isChecked(table)
    } yield UpdateColumns(delta, table, options, changed, mode)
  }

  /** Whether Spark has already checked the new values against the constraints. Otherwise the delta
    * checks them, because it has complete rows.
    */
  private def isChecked(table: LanceSparkTable): Boolean =
    Constraints.areEnforcedBySpark || TableConstraint.checks(table.table.manifest.config).isEmpty

  private object DataSourceRelation {
    def unapply(plan: LogicalPlan): Option[(LanceSparkTable, CaseInsensitiveStringMap)] =
      plan match {
        case r: DataSourceV2Relation =>
          r.table match {
            case t: LanceSparkTable => Some(t -> r.options)
            case _ => None
          }
        case _ => None
      }
  }

  /** Marks a statement that runs as Spark planned it. */
  private[update] val byRows: TreeNodeTag[Unit] = TreeNodeTag[Unit]("lance.update.byRows")

  /** Returns the columns with new values, as attributes of the query of the delta.
    *
    * @return `None` if the query has an unknown form
    */
  private def changedBy(delta: WriteDelta, table: LanceSparkTable): Option[Seq[Attribute]] = {
    val width = table.schema().length
    for {
      project <- delta.query.collectFirst { case p: Project if isUpdate(p) => p }
      if addressOf(delta).isDefined && project.projectList.length > width
    } yield project.projectList
      .slice(1, 1 + width)
      .zip(project.child.output)
      .collect {
        case (value @ Alias(child, _), before) if !child.semanticEquals(before) => value.toAttribute
      }
  }

  private def isUpdate(p: Project): Boolean =
    p.projectList.headOption.exists(_.name == RowDeltaUtils.OPERATION_COLUMN)

  /** Returns the row addresses as an attribute of the query of the delta. */
  private[update] def addressOf(delta: WriteDelta): Option[Attribute] =
    delta.query.output.find(_.name == MetadataColumn.RowAddr.name)
}
