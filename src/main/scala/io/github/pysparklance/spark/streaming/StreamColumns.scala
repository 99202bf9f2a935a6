// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.streaming

import org.apache.spark.sql.catalyst.expressions.{AttributeReference, PredicateHelper}
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan, Project}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.v2.PushablePredicate

import io.github.pysparklance.spark.common.LanceErrors
import io.github.pysparklance.spark.shim.StreamRelation

/** Makes streams read only the columns, struct fields, metadata columns, and matching rows of the
  * query. Spark does so for batch queries only.
  *
  * A stream that occurs several times in a query reads all columns and rows each time. Spark treats
  * its scans as equal even if they read different columns, and would reuse one scan for another.
  */
private[spark] object StreamColumns extends Rule[LogicalPlan] with PredicateHelper {

  override def apply(plan: LogicalPlan): LogicalPlan = {
    val streams = plan.collect { case StreamRelation(relation) => relation.stream }
    if (streams.isEmpty) plan
    else {
      val repeated = streams.diff(streams.distinct).toSet[Any]
      // Spark first pushes filters and columns through the projections that pad values.
      val padded = StreamTypes.padded(plan)
      if (!padded.fastEquals(plan)) padded
      else plan.transformUp {
        case p: Project => narrowed(p, repeated).getOrElse(p)
        case f: Filter => filtered(f, repeated).getOrElse(f)
      }
    }
  }

  /** Returns the filter of a stream that evaluates it as well, as far as it can. */
  private def filtered(filter: Filter, repeated: Set[Any]): Option[LogicalPlan] =
    filter.child match {
      case StreamRelation(relation) =>
        relation.stream match {
          case stream: LanceStream if !repeated(stream) =>
            // Names in a query can differ in case.
            val names = relation.output.map(a => a.exprId -> a.name).toMap
            val condition = filter.condition.transform { case a: AttributeReference =>
              names.get(a.exprId).fold(a)(a.withName)
            }
            val predicates = splitConjunctivePredicates(condition)
              .filter(_.deterministic).flatMap(PushablePredicate.unapply(_))
            LanceErrors.translated(stream.filtering(predicates)).map { matching =>
              filter.withNewChildren(
                Seq(relation.reading(matching.scan, matching, relation.output))
              )
            }
          case _ => None
        }
      case _ => None
    }

  /** Returns the projection of a stream that reads only the used columns and struct fields. */
  private def narrowed(project: Project, repeated: Set[Any]): Option[LogicalPlan] =
    StreamProjection.of(project).filterNot(p => repeated(p.relation.stream)).flatMap { read =>
      read.relation.stream match {
        case stream: LanceStream =>
          LanceErrors.translated(stream.reading(read.used, read.relation.batch)).map { narrow =>
            val output = read.output(narrow.scan.readSchema())
            read.over(read.relation.reading(narrow.scan, narrow, output), output)
          }
        case _ => None
      }
    }
}
