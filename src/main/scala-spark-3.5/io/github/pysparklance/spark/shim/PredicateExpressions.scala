// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.connector.expressions.{
  Cast => V2Cast,
  Expression => V2Expression,
  GeneralScalarExpression,
  Literal => V2Literal,
  NamedReference
}

/** Hides `V2ExpressionUtils.toCatalyst`, which supports predicates since 4.0. Here, each operator
  * is translated separately.
  */
trait PredicateExpressions {

  /** Returns the expression of a predicate with columns by name, or `None` if a part has no
    * translation.
    */
  def expression(predicate: Predicate): Option[Expression] = translated(predicate)

  private def translated(e: V2Expression): Option[Expression] = e match {
    case p: Predicate =>
      val operands = p.children().toSeq.map(translated)
      if (operands.forall(_.isDefined)) PredicateOperators(p.name(), operands.flatten) else None
    case l: V2Literal[_] => Some(Literal(l.value, l.dataType))
    case r: NamedReference => Some(UnresolvedAttribute(r.fieldNames.toSeq))
    case c: V2Cast =>
      translated(c.expression()).map(Cast(_, c.dataType, None, EvalMode.ANSI))
    case scalar: GeneralScalarExpression =>
      val operands = scalar.children().toSeq.map(translated)
      if (operands.forall(_.isDefined)) scalarExpression(scalar.name(), operands.flatten) else None
    case _ => None
  }

  /** Spark only pushes down arithmetic in ANSI mode. */
  private def scalarExpression(name: String, operands: Seq[Expression]): Option[Expression] =
    (name, operands) match {
      case ("+", Seq(l, r)) => Some(Add(l, r, EvalMode.ANSI))
      case ("-", Seq(l, r)) => Some(Subtract(l, r, EvalMode.ANSI))
      case ("*", Seq(l, r)) => Some(Multiply(l, r, EvalMode.ANSI))
      case ("/", Seq(l, r)) => Some(Divide(l, r, EvalMode.ANSI))
      case ("%", Seq(l, r)) => Some(Remainder(l, r, EvalMode.ANSI))
      case ("-", Seq(x)) => Some(UnaryMinus(x, failOnError = true))
      case ("ABS", Seq(x)) => Some(Abs(x, failOnError = true))
      case ("COALESCE", xs) => Some(Coalesce(xs))
      case _ => None
    }
}
