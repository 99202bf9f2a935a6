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

/** Finds UPDATEs of our tables that may be better off with new files for the columns that change than with new rows, by
  * the option `updateMode`. What Spark made of the statement by then, a delta of rows, is kept for the case that it is
  * not so.
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

  /** Whether Spark has held the new values against the constraints. If not, the delta does, which has all of a row. */
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

  /** Marks a statement that is to be run as Spark planned it. */
  private[update] val byRows: TreeNodeTag[Unit] = TreeNodeTag[Unit]("lance.update.byRows")

  /** The columns with new values, as attributes of the delta's query.
    *
    * @return none when the query is not of the known form
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

  /** The addresses of the rows, as an attribute of the delta's query. */
  private[update] def addressOf(delta: WriteDelta): Option[Attribute] =
    delta.query.output.find(_.name == MetadataColumn.RowAddr.name)
}
