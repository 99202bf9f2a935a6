// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.streaming

import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet}
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan, Project}
import org.apache.spark.sql.catalyst.rules.Rule

import io.github.pysparklance.spark.common.LanceErrors
import io.github.pysparklance.spark.shim.StreamRelation

/** Makes streams read only the columns and metadata columns of the query. Spark prunes columns of batch
  * queries only.
  */
private[spark] object StreamColumns extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.transformUp { case p: Project =>
    narrowed(p.child, p.references).fold[LogicalPlan](p)(child => p.withNewChildren(Seq(child)))
  }

  /** Returns filters of a stream that reads only these columns and the columns of the filters. */
  private def narrowed(plan: LogicalPlan, required: AttributeSet): Option[LogicalPlan] =
    plan match {
      case StreamRelation(relation) => pruned(relation, required)
      case f: Filter =>
        narrowed(f.child, required ++ f.references).map(child => f.withNewChildren(Seq(child)))
      case _ => None
    }

  private def pruned(
      relation: StreamRelation,
      required: AttributeSet
  ): Option[LogicalPlan] = relation.stream match {
    case stream: LanceStream =>
      val wanted = relation.output.filter(required.contains)
      if (wanted.length == relation.output.length && stream.returns(names(wanted))) None
      else {
        val narrow = LanceErrors.translated(stream.reading(names(wanted)))
        Some(relation.reading(narrow.scan, narrow, narrow.order(wanted)(_.name)))
      }
    case _ => None
  }

  private def names(attributes: Seq[Attribute]): Seq[String] = attributes.map(_.name)
}
