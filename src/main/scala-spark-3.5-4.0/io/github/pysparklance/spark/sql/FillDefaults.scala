// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql

import org.apache.spark.sql.catalyst.analysis.{NamedRelation, UnresolvedRelation}
import org.apache.spark.sql.catalyst.expressions.{Attribute, NamedExpression}
import org.apache.spark.sql.catalyst.plans.logical.{
  InsertIntoStatement,
  LogicalPlan,
  Project,
  UnaryNode,
  V2WriteCommand
}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.util.ResolveDefaultColumns
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

import io.github.pysparklance.spark.catalog.LanceSparkTable

/** Fills columns that a write by name omits with their default, or NULL. Spark does so since 4.1.
  * Before 4.1, it rejects the write.
  */
private[sql] object FillDefaults extends Rule[LogicalPlan] {

  /** Delays Spark's comparison of the columns of a write until they are filled. Spark resolves the
    * table and compares the columns in one pass.
    */
  object Hold extends Rule[LogicalPlan] {
    override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
      case write: V2WriteCommand if write.isByName && mayBeOurs(write.table) =>
        write.query match {
          case _: HeldRows => write
          case rows => write.withNewQuery(HeldRows(rows))
        }
    }

    private def mayBeOurs(table: NamedRelation): Boolean = table match {
      case name: UnresolvedRelation => !name.isStreaming
      case r: DataSourceV2Relation => isFilled(r)
      case _ => false
    }
  }

  /** The rows of a delayed write. */
  private[sql] case class HeldRows(child: LogicalPlan) extends UnaryNode {
    override def output: Seq[Attribute] = child.output

    override lazy val resolved: Boolean = false

    override protected def withNewChildInternal(newChild: LogicalPlan): LogicalPlan =
      copy(child = newChild)
  }

  // INSERT statements with a column list become writes by name in the pass after their query is
  // resolved.
  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case insert: InsertIntoStatement if insert.query.resolved => filled(insert)
    case write: V2WriteCommand if write.isByName && write.table.resolved =>
      write.query match {
        case HeldRows(query) if query.resolved =>
          write.withNewQuery(filled(query, missing(write.table, query.output.map(_.name))))
        case _ => write
      }
  }

  private def filled(insert: InsertIntoStatement): InsertIntoStatement = insert.table match {
    case table: NamedRelation if insert.byName =>
      val written = insert.query.output.map(_.name) ++ insert.partitionSpec.keys
      insert.copy(query = filled(insert.query, missing(table, written)))
    case table: NamedRelation
        if insert.userSpecifiedCols.nonEmpty &&
          insert.userSpecifiedCols.length == insert.query.output.length =>
      val written = insert.userSpecifiedCols ++ insert.partitionSpec.keys
      val added = missing(table, written)
      insert.copy(
        query = filled(insert.query, added),
        userSpecifiedCols = insert.userSpecifiedCols ++ added.map(_.name)
      )
    case _ => insert
  }

  /** Returns the values of the columns that the write omits. Columns that are not nullable and have
    * no default are still missing, so Spark rejects the write.
    */
  private def missing(table: NamedRelation, written: Seq[String]): Seq[NamedExpression] =
    table match {
      case r: DataSourceV2Relation if isFilled(r) =>
        r.output
          .filterNot(column => written.exists(conf.resolver(_, column.name)))
          .flatMap { column =>
            ResolveDefaultColumns
              .getDefaultValueExprOrNullLit(column, conf.useNullsForMissingDefaultColumnValues)
          }
      case _ => Nil
    }

  private def isFilled(r: DataSourceV2Relation): Boolean =
    r.table.isInstanceOf[LanceSparkTable] && !r.skipSchemaResolution

  private def filled(query: LogicalPlan, added: Seq[NamedExpression]): LogicalPlan =
    if (added.isEmpty) query else Project(query.output ++ added, query)
}
