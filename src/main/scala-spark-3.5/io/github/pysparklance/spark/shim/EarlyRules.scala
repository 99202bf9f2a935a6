// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.sql.catalyst.analysis.AnalysisContext
import org.apache.spark.sql.catalyst.expressions.SubqueryExpression
import org.apache.spark.sql.catalyst.parser.ParserInterface
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, SubqueryAlias, UnresolvedWith}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.command.ExplainCommand
import org.apache.spark.sql.{SparkSession, SparkSessionExtensions}

/** Rules that run before Spark resolves tables and columns. Hides `injectHintResolutionRule`, which
  * Spark has since 4.0. Here, the rules run on the result of the parser, and therefore not on plans
  * of data frames.
  */
private[spark] object EarlyRules {
  type Builder = SparkSession => Rule[LogicalPlan]

  @volatile private var injected = Seq.empty[Builder]

  /** Adds rules, which run in the given order. */
  def inject(extensions: SparkSessionExtensions, rules: Builder*): Unit = {
    injected = rules
    extensions.injectParser((session, parser) => new Parser(parser, rules.map(_(session))))
  }

  /** Runs the rules on a plan that was not parsed. */
  def apply(session: SparkSession, plan: LogicalPlan): LogicalPlan = inStatement {
    injected.foldLeft(plan)((p, rule) => rule(session)(p))
  }

  /** Runs `body` in a separate analysis context. Otherwise Spark would keep the tables that rules
    * load for all later statements of the thread.
    */
  private def inStatement(body: => LogicalPlan): LogicalPlan =
    AnalysisContext.withNewAnalysisContext(body)

  final private class Parser(protected val delegate: ParserInterface, rules: Seq[Rule[LogicalPlan]])
      extends ForwardingParser {
    override def parsePlan(text: String): LogicalPlan = prepared(delegate.parsePlan(text))

    override def parseQuery(text: String): LogicalPlan = prepared(delegate.parseQuery(text))

    private def prepared(plan: LogicalPlan): LogicalPlan = inStatement {
      rules.foldLeft(plan)((p, rule) => everywhere(p, rule(_)))
    }
  }

  /** Runs a rule on a plan and its inner plans: common table expressions, subqueries, and the plan
    * of EXPLAIN.
    */
  private def everywhere(plan: LogicalPlan, rule: LogicalPlan => LogicalPlan): LogicalPlan = {
    val inner = plan.transform {
      case e: ExplainCommand => e.copy(logicalPlan = everywhere(e.logicalPlan, rule))
      case w: UnresolvedWith =>
        w.copy(cteRelations = w.cteRelations.map { case (name, query) =>
          name -> everywhere(query, rule).asInstanceOf[SubqueryAlias]
        })
    }.transformAllExpressions {
      case s: SubqueryExpression => s.withNewPlan(everywhere(s.plan, rule))
    }
    rule(inner)
  }
}
