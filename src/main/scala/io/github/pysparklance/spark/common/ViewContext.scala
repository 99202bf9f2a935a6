// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.common

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.{AnalysisContext, UnresolvedRelation}
import org.apache.spark.sql.catalyst.expressions.{Expression, SubqueryExpression}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.internal.SQLConf

import io.github.pysparklance.spark.shim.SessionShim

/** Names and configuration for text that a view contains, such as the arguments of table functions.
  * In the text of a view, names are relative to the namespace in which the view was created.
  *
  * @param names catalog and namespace of the view; empty outside of views
  * @param conf configuration of the view
  * @param configuration configuration of the session on which the values of expressions depend
  */
final private[spark] class ViewContext private (
    names: Seq[String],
    conf: Option[SQLConf],
    configuration: Seq[Any]
) {

  /** Contexts with equal identity resolve columns and compute values alike. */
  def identity: Seq[Any] = Seq[Any](names, configuration) ++ conf.map(_.getAllConfs)

  /** Returns the full name of a table. */
  def complete(session: SparkSession, name: Seq[String]): Seq[String] =
    if (names.isEmpty) name
    else if (name.length == 1) names ++ name
    else if (SessionShim.catalog(session, name.head).isDefined) name
    else names.head +: name

  /** Returns a parsed expression with the full names of the tables in its subqueries. */
  def complete(session: SparkSession, e: Expression): Expression =
    if (names.isEmpty) e
    else
      e.transform { case s: SubqueryExpression =>
        s.withNewPlan(complete(session, s.plan))
      }

  private def complete(session: SparkSession, plan: LogicalPlan): LogicalPlan = plan.transform {
    case r: UnresolvedRelation =>
      r.copy(multipartIdentifier = complete(session, r.multipartIdentifier))
    case other => other.mapExpressions(complete(session, _))
  }

  /** Runs `body` with the configuration of the view. */
  def run[A](body: => A): A = conf.fold(body)(SQLConf.withExistingConf(_)(body))
}

private[spark] object ViewContext {

  /** The context of the text that this thread analyzes. */
  def current: ViewContext = {
    val names = AnalysisContext.get.catalogAndNamespace
    val conf = SQLConf.get
    new ViewContext(
      names,
      if (names.isEmpty) None else Some(conf),
      Seq(conf.sessionLocalTimeZone, conf.ansiEnabled, conf.caseSensitiveAnalysis)
    )
  }
}
