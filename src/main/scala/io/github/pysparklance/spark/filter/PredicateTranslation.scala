// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.filter

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.{
  And,
  Ascending,
  AttributeReference,
  Cast,
  Contains,
  Descending,
  EndsWith,
  EqualNullSafe,
  EqualTo,
  Expression,
  GreaterThan,
  GreaterThanOrEqual,
  In,
  InSet,
  IsNotNull,
  IsNull,
  LessThan,
  LessThanOrEqual,
  Literal,
  Not,
  NullsFirst,
  NullsLast,
  Or,
  SortOrder,
  StartsWith
}
import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.connector.expressions.{
  Cast => V2Cast,
  Expression => V2Expression,
  Literal => V2Literal,
  NamedReference,
  NullOrdering,
  SortDirection,
  SortOrder => V2SortOrder
}
import org.apache.spark.sql.types._

/** Turns Spark's predicates into expressions that are evaluated row by row while a table is read: Spark's own
  * expressions, so that nulls, NaN and -0.0 compare as everywhere in Spark. What may fail or takes more than a look at the
  * values (arithmetic, functions, casts that lose something) stays with Spark.
  *
  * @param column the type of a column by its path; none for one that cannot be filtered here
  */
final private[spark] class PredicateTranslation(column: Seq[String] => Option[DataType]) {
  private val attributes = mutable.LinkedHashMap.empty[Seq[String], AttributeReference]

  /** The columns met so far, as they occur in the expressions. */
  def columns: Seq[(Seq[String], AttributeReference)] = attributes.toSeq

  /** None when Spark has to evaluate the predicate. */
  def apply(predicate: Predicate): Option[Expression] =
    value(predicate).filter(e => e.dataType == BooleanType && e.deterministic)

  /** An order by columns as they are; none when Spark has to sort. */
  def order(by: V2SortOrder): Option[SortOrder] = by.expression() match {
    case r: NamedReference =>
      reference(r.fieldNames.toSeq).filter(e => PredicateTranslation.isComparable(e.dataType)).map {
        column =>
          val isAscending = by.direction() == SortDirection.ASCENDING
          val nullsFirst = by.nullOrdering() == NullOrdering.NULLS_FIRST
          SortOrder(
            column,
            if (isAscending) Ascending else Descending,
            if (nullsFirst) NullsFirst else NullsLast,
            Nil
          )
      }
    case _ => None
  }

  private def value(e: V2Expression): Option[Expression] = (e match {
    case p: Predicate => operation(p.name(), p.children().toSeq)
    // Spark shows predicates that are accepted, and fails to show a null of this type.
    case l: V2Literal[_] if l.value == null && l.dataType == BinaryType => None
    case l: V2Literal[_] => Some(Literal(l.value, l.dataType))
    case r: NamedReference => reference(r.fieldNames.toSeq)
    case c: V2Cast =>
      value(c.expression()).filter(from => Cast.canUpCast(from.dataType, c.dataType))
        .map(Cast(_, c.dataType, None))
    case _ => None
  }).filter(e => e.resolved && PredicateTranslation.isComparable(e.dataType))

  private def reference(path: Seq[String]): Option[Expression] =
    attributes.get(path).orElse {
      column(path).map { dataType =>
        // A column that a data file lacks is null there, whatever the schema says.
        val attribute = AttributeReference(path.mkString("."), dataType, nullable = true)()
        attributes(path) = attribute
        attribute
      }
    }

  private def operation(name: String, children: Seq[V2Expression]): Option[Expression] =
    name match {
      case "IS_NULL" | "IS_NOT_NULL" => nullTest(name, children.head)
      case "ALWAYS_TRUE" => Some(Literal.TrueLiteral)
      case "ALWAYS_FALSE" => Some(Literal.FalseLiteral)
      case _ =>
        val operands = children.map(value)
        if (operands.forall(_.isDefined)) join(name, operands.flatten) else None
    }

  /** The only question about values of every type. */
  private def nullTest(name: String, operand: V2Expression): Option[Expression] =
    (operand match {
      case r: NamedReference => reference(r.fieldNames.toSeq)
      case other => value(other)
    }).map(e => if (name == "IS_NULL") IsNull(e) else IsNotNull(e))

  private def join(name: String, operands: Seq[Expression]): Option[Expression] =
    (name, operands) match {
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
      case ("NOT", Seq(e)) => Some(Not(e))
      case ("BOOLEAN_EXPRESSION", Seq(e)) => Some(e)
      case ("IN", tested +: list) => Some(in(tested, list))
      case _ => None
    }

  /** As Spark's optimizer does with lists of literals. */
  private def in(tested: Expression, list: Seq[Expression]): Expression =
    if (
      list.length > PredicateTranslation.longList &&
      list.forall(e => e.isInstanceOf[Literal] && e.dataType == tested.dataType)
    ) InSet(tested, list.map(_.eval()).toSet)
    else In(tested, list)
}

private[spark] object PredicateTranslation {

  /** Whether values of a type are compared here: those of one slot, strings by their bytes. */
  def isComparable(t: DataType): Boolean = t match {
    case s: StringType => s == StringType // of no other collation
    case _: NumericType | BooleanType | BinaryType | DateType | TimestampType | TimestampNTZType =>
      true
    case _: DayTimeIntervalType | _: YearMonthIntervalType => true
    case _ => false
  }

  /** Longer lists are looked up instead of gone through. */
  private val longList = 10
}
