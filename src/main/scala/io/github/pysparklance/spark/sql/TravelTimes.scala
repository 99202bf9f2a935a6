// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql

import org.apache.spark.sql.catalyst.analysis.RelationTimeTravel
import org.apache.spark.sql.catalyst.expressions.{Alias, Expression, SubqueryExpression}
import org.apache.spark.sql.catalyst.optimizer.{ComputeCurrentTime, ReplaceExpressions}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, OneRowRelation, Project}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.{AnalysisException, SparkSession}

import io.github.pysparklance.spark.shim.SessionShim

/** Evaluates `TIMESTAMP AS OF current_timestamp()` before Spark resolves the table. Otherwise Spark
  * treats a name such as `lance.t` as a file of a format, which has no versions, when the timestamp
  * is resolved.
  */
final private[spark] class TravelTimes(session: SparkSession) extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case travel @ RelationTimeTravel(_, Some(time), _)
        if !time.resolved && !SubqueryExpression.hasSubquery(time) =>
      resolved(time).fold[LogicalPlan](travel)(t => travel.copy(timestamp = Some(t)))
  }

  /** Returns the timestamp with the current time as a literal, so that Spark always loads the same
    * version. Returns `None` if it is invalid, which Spark reports.
    */
  private def resolved(time: Expression): Option[Expression] =
    try
      ComputeCurrentTime(ReplaceExpressions(
        SessionShim.analyzed(session, Project(Seq(Alias(time, "time")()), OneRowRelation()))
      )) match {
        case Project(Seq(Alias(t, _)), _: OneRowRelation) => Some(t)
        case _ => None
      }
    catch { case _: AnalysisException => None }
}
