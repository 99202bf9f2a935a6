// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.filter

import org.apache.spark.sql.catalyst.expressions.{
  And,
  BoundReference,
  Expression,
  In,
  InSet,
  Literal,
  Or
}
import org.apache.spark.sql.catalyst.util.TypeUtils
import org.apache.spark.sql.types.DataType

/** A condition made coarser, for rows of which only bounds are known: a comparison of a column with a literal becomes one of
  * the column's bounds, an unknown bound and every other part of the condition count as true.
  */
sealed private[filter] trait BoundsTest {
  import BoundsTest._

  /** Whether rows may fulfil the condition.
    *
    * @param known what is known of the values of a column, by its number; none: nothing
    */
  def mayMatch(known: Compared => Option[(Any, Any)]): Boolean = this match {
    case Both(tests) => tests.forall(_.mayMatch(known))
    case Either(tests) => tests.exists(_.mayMatch(known))
    case c: Compared => known(c).forall { case (min, max) => c.mayMatch(min, max) }
  }
}

private[filter] object BoundsTest {
  import ColumnComparison._

  final case class Both(tests: Seq[BoundsTest]) extends BoundsTest
  final case class Either(tests: Seq[BoundsTest]) extends BoundsTest

  /** @param mayMatch from the least and the greatest value, null when it is not known */
  final case class Compared(column: Int, dataType: DataType, mayMatch: (Any, Any) => Boolean)
      extends BoundsTest

  /** None when bounds say nothing about the condition.
    *
    * @param e over rows of columns by their number
    */
  def apply(e: Expression): Option[BoundsTest] = e match {
    case And(l, r) =>
      val known = Seq(l, r).flatMap(apply)
      if (known.isEmpty) None else Some(Both(known))
    case Or(l, r) =>
      val both = Seq(l, r).map(apply)
      if (both.forall(_.isDefined)) Some(Either(both.flatten)) else None
    case In(c: BoundReference, list) if list.forall(_.isInstanceOf[Literal]) =>
      compared(c)(order => among(order, list.map(_.eval()).filter(_ != null)))
    case InSet(c: BoundReference, values) =>
      compared(c)(order => among(order, values.toSeq.filter(_ != null)))
    case ColumnComparison(c: BoundReference, operator, literal) =>
      val value = literal.value
      operator match {
        case Equal => compared(c)(among(_, Seq(value)))
        case Less => below(c, value, orEqual = false)
        case AtMost => below(c, value, orEqual = true)
        case Greater => above(c, value, orEqual = false)
        case AtLeast => above(c, value, orEqual = true)
      }
    case _ => None
  }

  private def compared(c: BoundReference)(
      mayMatch: Ordering[Any] => (Any, Any) => Boolean
  ): Option[BoundsTest] = {
    val order = TypeUtils.getInterpretedOrdering(c.dataType)
    Some(Compared(c.ordinal, c.dataType, mayMatch(order)))
  }

  private def among(order: Ordering[Any], values: Seq[Any])(min: Any, max: Any): Boolean =
    values.exists { v =>
      (min == null || order.lteq(min, v)) && (max == null || order.gteq(max, v))
    }

  private def below(c: BoundReference, value: Any, orEqual: Boolean): Option[BoundsTest] =
    compared(c)(order =>
      (min, _) => min == null || (if (orEqual) order.lteq(min, value) else order.lt(min, value))
    )

  private def above(c: BoundReference, value: Any, orEqual: Boolean): Option[BoundsTest] =
    compared(c)(order =>
      (_, max) => max == null || (if (orEqual) order.gteq(max, value) else order.gt(max, value))
    )
}
