// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql.search

import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  Ascending,
  Attribute,
  AttributeMap,
  Expression,
  MetadataAttribute,
  SortOrder
}
import org.apache.spark.sql.catalyst.plans.logical.{
  Filter,
  LocalLimit,
  LogicalPlan,
  Offset,
  Project,
  Sort
}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.{LIMIT, SORT}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

import io.github.pysparklance.spark.catalog.LanceSparkTable
import io.github.pysparklance.spark.functions.VectorFunction
import io.github.pysparklance.table.scan.MetadataColumn

/** Orders rows at one distance by `_rowid`, as a search does:
  * {{{
  *   ORDER BY l2_distance(v, array(1, 2)) LIMIT k        Limit(k, Sort([l2_distance(v, ...), _rowid], t))
  * }}}
  */
private[spark] object NearestTies extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan =
    plan.transformWithPruning(_.containsAllPatterns(LIMIT, SORT)) { case limit: LocalLimit =>
      sorted(limit.child).fold[LogicalPlan](limit)(child => limit.withNewChildren(Seq(child)))
    }

  private def sorted(plan: LogicalPlan): Option[LogicalPlan] = plan match {
    case _: Project | _: Offset =>
      sorted(plan.children.head).map(child => plan.withNewChildren(Seq(child)))
    // The number of members of a sort differs between Spark versions.
    case sort: Sort if sort.global && sort.order.exists(o => usesVectors(o.child, sort.child)) =>
      withRowId(sort.child).collect {
        case (id, child) if !sort.order.exists(_.child.semanticEquals(id)) =>
          val order = sort.order :+ SortOrder(id, Ascending)
          Project(sort.output, sort.copy(order = order, child = child))
      }
    case _ => None
  }

  /** Whether an expression calls a vector function.
    *
    * @param plan the plan that computes its columns
    */
  private def usesVectors(e: Expression, plan: LogicalPlan): Boolean = plan match {
    case Project(columns, child) =>
      val aliases = AttributeMap(columns.collect { case a: Alias => a.toAttribute -> a.child })
      usesVectors(e.transform { case a: Attribute => aliases.getOrElse(a, a) }, child)
    case Filter(_, child) => usesVectors(e, child)
    case _ => e.exists(VectorFunction.isCall)
  }

  /** Returns the attribute of the row id, and the plan with it in its output. */
  private def withRowId(plan: LogicalPlan): Option[(Attribute, LogicalPlan)] = plan match {
    case Project(columns, child) =>
      withRowId(child).map { case (id, found) =>
        (id, Project(if (columns.exists(_.exprId == id.exprId)) columns else columns :+ id, found))
      }
    case Filter(condition, child) =>
      withRowId(child).map { case (id, found) => (id, Filter(condition, found)) }
    case relation: DataSourceV2Relation if relation.table.isInstanceOf[LanceSparkTable] =>
      relation.output.find(isRowId).map(id => (id, relation)).orElse(
        relation.metadataOutput.find(isRowId).map(id =>
          (id, relation.copy(output = relation.output :+ id))
        )
      )
    case _ => None
  }

  private def isRowId(a: Attribute): Boolean =
    MetadataAttribute.isValid(a.metadata) && a.name == MetadataColumn.RowId.name
}
