// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.expressions.{Cast, EvalMode, Expression, Literal}
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
      if (operands.forall(_.isDefined)) PredicateOperators(p.name(), operands.flatten) else None
    case l: V2Literal[_] => Some(Literal(l.value, l.dataType))
    case r: NamedReference => Some(UnresolvedAttribute(r.fieldNames.toSeq))
    case c: V2Cast =>
      translated(c.expression()).map(Cast(_, c.dataType, None, EvalMode.ANSI))
    case _ => None
  }
}
