// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.filter

import org.apache.spark.sql.catalyst.expressions._

/** Extracts the expression, operator, and literal of a comparison with a non-null literal. If the
  * literal is on the left, the operator is reversed.
  */
private[filter] object ColumnComparison {

  /** A comparison operator. */
  sealed trait Operator

  /** `=` */
  case object Equal extends Operator

  /** `<` */
  case object Less extends Operator

  /** `<=` */
  case object AtMost extends Operator

  /** `>` */
  case object Greater extends Operator

  /** `>=` */
  case object AtLeast extends Operator

  def unapply(e: Expression): Option[(Expression, Operator, Literal)] = e match {
    case EqualTo(l, r) => of(l, r, Equal, Equal)
    case EqualNullSafe(l, r) => of(l, r, Equal, Equal) // the literal is not null
    case LessThan(l, r) => of(l, r, Less, Greater)
    case LessThanOrEqual(l, r) => of(l, r, AtMost, AtLeast)
    case GreaterThan(l, r) => of(l, r, Greater, Less)
    case GreaterThanOrEqual(l, r) => of(l, r, AtLeast, AtMost)
    case _ => None
  }

  private def of(
      left: Expression,
      right: Expression,
      operator: Operator,
      turned: Operator
  ): Option[(Expression, Operator, Literal)] = (left, right) match {
    case (e, l: Literal) if l.value != null => Some((e, operator, l))
    case (l: Literal, e) if l.value != null => Some((e, turned, l))
    case _ => None
  }
}
