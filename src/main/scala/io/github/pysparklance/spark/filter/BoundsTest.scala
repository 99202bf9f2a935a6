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

/** A condition that is evaluated on min/max statistics instead of rows. Comparisons of a column
  * with a literal are checked against the statistics of the column. All other parts, and unknown
  * statistics, count as true.
  */
sealed private[filter] trait BoundsTest {
  import BoundsTest._

  /** Whether any row may match.
    *
    * @param known returns the minimum and maximum of a column, or `None` if they are unknown
    */
  def mayMatch(known: Compared => Option[(Any, Any)]): Boolean = this match {
    case Both(tests) => tests.forall(_.mayMatch(known))
    case Either(tests) => tests.exists(_.mayMatch(known))
    case c: Compared => known(c).forall { case (min, max) => c.mayMatch(min, max) }
  }
}

/** Translates conditions. */
private[filter] object BoundsTest {
  import ColumnComparison._

  /** True if all tests may match. */
  final case class Both(tests: Seq[BoundsTest]) extends BoundsTest

  /** True if any test may match. */
  final case class Either(tests: Seq[BoundsTest]) extends BoundsTest

  /** @param mayMatch compares with the minimum and maximum, which are null if unknown */
  final case class Compared(column: Int, dataType: DataType, mayMatch: (Any, Any) => Boolean)
      extends BoundsTest

  /** Returns `None` if statistics cannot decide the condition.
    *
    * @param e expression over columns bound by position
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
