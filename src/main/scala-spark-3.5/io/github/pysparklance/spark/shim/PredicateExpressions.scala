// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.connector.expressions.{
  Cast => V2Cast,
  Expression => V2Expression,
  Literal => V2Literal,
  NamedReference
}

/** Hides `V2ExpressionUtils.toCatalyst`, which takes predicates since 4.0: here the operators are translated one by one.
  */
trait PredicateExpressions {

  /** A condition that Spark handed over, its columns by name; none when it has parts without a translation. */
  def expression(predicate: Predicate): Option[Expression] = translated(predicate)

  private def translated(e: V2Expression): Option[Expression] = e match {
    case p: Predicate =>
      val operands = p.children().toSeq.map(translated)
      if (operands.forall(_.isDefined)) operation(p.name(), operands.flatten) else None
    case l: V2Literal[_] => Some(Literal(l.value, l.dataType))
    case r: NamedReference => Some(UnresolvedAttribute(r.fieldNames.toSeq))
    case c: V2Cast =>
      translated(c.expression()).map(Cast(_, c.dataType, None, EvalMode.ANSI))
    case _ => None
  }

  private def operation(name: String, operands: Seq[Expression]): Option[Expression] =
    (name, operands) match {
      case ("ALWAYS_TRUE", Seq()) => Some(Literal.TrueLiteral)
      case ("ALWAYS_FALSE", Seq()) => Some(Literal.FalseLiteral)
      case ("IS_NULL", Seq(x)) => Some(IsNull(x))
      case ("IS_NOT_NULL", Seq(x)) => Some(IsNotNull(x))
      case ("=", Seq(l, r)) => Some(EqualTo(l, r))
      case ("<=>", Seq(l, r)) => Some(EqualNullSafe(l, r))
      case ("<>", Seq(l, r)) => Some(Not(EqualTo(l, r)))
      case ("<", Seq(l, r)) => Some(LessThan(l, r))
      case ("<=", Seq(l, r)) => Some(LessThanOrEqual(l, r))
      case (">", Seq(l, r)) => Some(GreaterThan(l, r))
      case (">=", Seq(l, r)) => Some(GreaterThanOrEqual(l, r))
      case ("STARTS_WITH", Seq(l, r)) => Some(StartsWith(l, r))
      case ("ENDS_WITH", Seq(l, r)) => Some(EndsWith(l, r))
      case ("CONTAINS", Seq(l, r)) => Some(Contains(l, r))
      case ("AND", Seq(l, r)) => Some(And(l, r))
      case ("OR", Seq(l, r)) => Some(Or(l, r))
      case ("NOT", Seq(x)) => Some(Not(x))
      case ("BOOLEAN_EXPRESSION", Seq(x)) => Some(x)
      case ("IN", tested +: list) => Some(In(tested, list))
      case _ => None
    }
}
