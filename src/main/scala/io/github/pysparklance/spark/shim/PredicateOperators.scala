// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.sql.catalyst.expressions._

/** Spark's expressions for the names of V2 predicates. */
private[spark] object PredicateOperators {

  /** Returns the expression for a predicate, or `None` if its name or number of operands is
    * unknown.
    */
  def apply(name: String, operands: Seq[Expression]): Option[Expression] =
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
