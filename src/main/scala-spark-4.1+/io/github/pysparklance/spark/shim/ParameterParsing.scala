// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.parser.{
  HybridParameterContext,
  NamedParameterContext,
  ParameterContext,
  ParserInterface,
  PositionalParameterContext
}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/** Hides `ParserInterface.parsePlanWithParameters`. Since 4.1, Spark passes the values of
  * parameters to the parser.
  */
private[shim] trait ParameterParsing extends ParserInterface {
  protected def delegate: ParserInterface

  protected def own(text: String, parameters: SqlParameters): Option[LogicalPlan]

  protected def prepare(): Unit

  /** Parses a statement with the values of its parameter markers.
    *
    * @throws org.apache.spark.sql.AnalysisException if a marker has no value
    */
  protected def bound(markers: Seq[ParameterMarker], values: SqlParameters)(
      parse: Seq[Expression] => LogicalPlan
  ): LogicalPlan = parse(values.of(markers))

  override def parsePlanWithParameters(text: String, context: ParameterContext): LogicalPlan = {
    prepare()
    val parameters = context match {
      case NamedParameterContext(named) => SqlParameters(named, Nil)
      case PositionalParameterContext(positional) => SqlParameters(Map.empty, positional)
      case HybridParameterContext(values, names) =>
        SqlParameters(names.zip(values).filter(_._1.nonEmpty).toMap, values)
    }
    own(text, parameters).getOrElse(delegate.parsePlanWithParameters(text, context))
  }
}
