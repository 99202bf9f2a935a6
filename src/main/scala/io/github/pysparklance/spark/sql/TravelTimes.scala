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

/** Finds out what `TIMESTAMP AS OF current_timestamp()` means before Spark looks at the table. Else Spark takes a name
  * such as `lance.t` for a file of a format, which has no versions, in the moment when it knows the time.
  */
final private[spark] class TravelTimes(session: SparkSession) extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case travel @ RelationTimeTravel(_, Some(time), _)
        if !time.resolved && !SubqueryExpression.hasSubquery(time) =>
      resolved(time).fold[LogicalPlan](travel)(t => travel.copy(timestamp = Some(t)))
  }

  /** The time with the current time as a literal, so that Spark looks up the same version each time.
    * None if it is invalid: Spark reports that.
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
