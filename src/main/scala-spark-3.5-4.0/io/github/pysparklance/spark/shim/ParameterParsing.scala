// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.sql.catalyst.analysis.{NamedParameter, Parameter, PosParameter}
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.parser.ParserInterface
import org.apache.spark.sql.catalyst.plans.logical.{LeafNode, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule

/** Hides `ParserInterface.parsePlanWithParameters`, which Spark has since 4.1. Before 4.1, Spark
  * binds parameters in the plan that the parser returns. Lance statements are therefore parsed
  * after their parameters are bound.
  */
private[shim] trait ParameterParsing extends ParserInterface {

  /** Parses a statement with the values of its parameter markers.
    *
    * @param values values of parameters; usually not available yet
    * @throws org.apache.spark.sql.AnalysisException if a marker has no value
    */
  protected def bound(markers: Seq[ParameterMarker], values: SqlParameters)(
      parse: Seq[Expression] => LogicalPlan
  ): LogicalPlan =
    if (markers.isEmpty || values != SqlParameters.none) parse(values.of(markers))
    else
      UnboundStatement(
        markers.map(m => m.name.fold[Expression](PosParameter(m.start))(NamedParameter(_))),
        parse
      )
}

/** A Lance statement whose parameters Spark binds during analysis.
  *
  * @param values the parameters, or their values
  * @param parse returns the plan when all parameters have values
  */
private[shim] case class UnboundStatement(
    values: Seq[Expression],
    parse: Seq[Expression] => LogicalPlan
) extends LeafNode {
  override def output: Seq[Attribute] = Nil

  override lazy val resolved: Boolean = false
}

/** Parses statements whose parameters are bound. */
private[spark] object ParseBoundStatements extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case UnboundStatement(values, parse) if !values.exists(_.isInstanceOf[Parameter]) =>
      parse(values)
  }
}
