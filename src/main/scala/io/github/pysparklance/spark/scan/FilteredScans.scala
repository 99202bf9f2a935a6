// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{AttributeReference, BoundReference, Expression}
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan, Project}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation
import org.apache.spark.sql.execution.{SparkPlan, SparkStrategy}

import io.github.pysparklance.spark.shim.SessionShim

/** Passes filters that Spark does not push down to the scans below them, so that scans can use
  * indices: LABEL_LIST for `array_contains` and `arrays_overlap`, NGRAM or BTREE for `LIKE`. The
  * filters stay in the plan.
  *
  * This is a strategy because Spark pushes filters down after all optimizer rules that an extension
  * can add.
  */
final private[spark] class FilteredScans(session: SparkSession) extends SparkStrategy {
  private lazy val planned = SessionShim.sourceStrategy(session)

  override def apply(plan: LogicalPlan): Seq[SparkPlan] = {
    val passed = pass(plan)
    // The result is planned immediately, because adaptive execution maps the physical nodes to the
    // nodes of the given plan.
    if (passed eq plan) Nil else planned(passed)
  }

  private def pass(plan: LogicalPlan): LogicalPlan = plan match {
    case Filter(condition, relation: DataSourceV2ScanRelation) if condition.deterministic =>
      relation.scan match {
        case scan: LanceScan =>
          scan.below(bound(condition, relation)).fold(plan)(below =>
            plan.withNewChildren(Seq(relation.copy(scan = below)))
          )
        case _ => plan
      }
    case _: Project | _: Filter =>
      val child = pass(plan.children.head)
      if (child eq plan.children.head) plan else plan.withNewChildren(Seq(child))
    case _ => plan
  }

  private def bound(condition: Expression, relation: DataSourceV2ScanRelation): Expression = {
    val positions = relation.output.map(_.exprId).zipWithIndex.toMap
    condition.transform {
      case a: AttributeReference if positions.contains(a.exprId) =>
        BoundReference(positions(a.exprId), a.dataType, a.nullable)
    }
  }
}
