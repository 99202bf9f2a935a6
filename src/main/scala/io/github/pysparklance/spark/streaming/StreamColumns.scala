// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.streaming

import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet}
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan, Project}
import org.apache.spark.sql.catalyst.rules.Rule

import io.github.pysparklance.spark.common.LanceErrors
import io.github.pysparklance.spark.shim.StreamRelation

/** Lets streams read only the columns of the query, and its metadata columns. Spark prunes columns of batch queries
  * only.
  */
private[spark] object StreamColumns extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.transformUp {
    case p @ Project(_, StreamRelation(relation)) =>
      pruned(relation, p.references).fold[LogicalPlan](p)(r => p.withNewChildren(Seq(r)))
    case p @ Project(_, f @ Filter(_, StreamRelation(relation))) =>
      pruned(relation, p.references ++ f.references).fold[LogicalPlan](p) { r =>
        p.withNewChildren(Seq(f.withNewChildren(Seq(r))))
      }
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
