// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.filter

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.{
  Ascending,
  AttributeReference,
  Cast,
  Descending,
  Expression,
  In,
  InSet,
  Literal,
  NullsFirst,
  NullsLast,
  SortOrder
}
import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.connector.expressions.{
  Cast => V2Cast,
  Expression => V2Expression,
  Literal => V2Literal,
  NamedReference,
  NullOrdering,
  SortDirection,
  SortOrder => V2SortOrder,
  UserDefinedScalarFunc
}
import org.apache.spark.sql.types._

import io.github.pysparklance.spark.functions.{SparkVectorFunctions, VectorFunction}
import io.github.pysparklance.spark.shim.PredicateOperators

/** Translates Spark's predicates to expressions that are evaluated while a table is read. They are
  * Spark's own expressions, so that nulls, NaN, and -0.0 compare as in Spark. Expressions that can
  * fail, or that compute values (arithmetic, functions, lossy casts), are evaluated by Spark.
  *
  * @param column returns the type of a column by its path, or `None` if it cannot be filtered
  */
final private[spark] class PredicateTranslation(column: Seq[String] => Option[DataType]) {
  private val attributes = mutable.LinkedHashMap.empty[Seq[String], AttributeReference]

  /** The columns of the translated expressions, with their attributes. */
  def columns: Seq[(Seq[String], AttributeReference)] = attributes.toSeq

  /** Returns `None` if Spark has to evaluate the predicate. */
  def apply(predicate: Predicate): Option[Expression] =
    value(predicate).filter(e => e.dataType == BooleanType && e.deterministic)

  /** Translates an order by plain columns, or by vector distance. Returns `None` if Spark has to
    * sort.
    */
  def order(by: V2SortOrder): Option[SortOrder] = (by.expression() match {
    case r: NamedReference =>
      reference(r.fieldNames.toSeq).filter(e => PredicateTranslation.isComparable(e.dataType))
    case f: UserDefinedScalarFunc => vectorFunction(f)
    case _ => None
  }).map { key =>
    val isAscending = by.direction() == SortDirection.ASCENDING
    val nullsFirst = by.nullOrdering() == NullOrdering.NULLS_FIRST
    SortOrder(
      key,
      if (isAscending) Ascending else Descending,
      if (nullsFirst) NullsFirst else NullsLast,
      Nil
    )
  }

  /** Translates a vector function of a column and a constant, from the connector or from Spark. */
  private def vectorFunction(call: UserDefinedScalarFunc): Option[Expression] = {
    val arguments = call.children().toSeq.map {
      case r: NamedReference => reference(r.fieldNames.toSeq)
      case l: V2Literal[_] => Some(Literal(l.value, l.dataType))
      case _ => None
    }
    val name = call.canonicalName()
    if (arguments.exists(_.isEmpty)) None
    else
      VectorFunction.ofCanonicalName(name).map(_.of(arguments.flatten))
        .orElse(SparkVectorFunctions.of(name, arguments.flatten))
  }

  private def value(e: V2Expression): Option[Expression] = (e match {
    case p: Predicate => operation(p.name(), p.children().toSeq)
    // Spark displays accepted predicates, and cannot display a null of this type.
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
        // A column that is missing in a data file is null, even if the schema does not allow nulls.
        val attribute = AttributeReference(path.mkString("."), dataType, nullable = true)()
        attributes(path) = attribute
        attribute
      }
    }

  private def operation(name: String, children: Seq[V2Expression]): Option[Expression] = {
    // Null tests are the only predicates that all types support.
    val isNullTest = name == "IS_NULL" || name == "IS_NOT_NULL"
    val operands = children.map {
      case r: NamedReference if isNullTest => reference(r.fieldNames.toSeq)
      case other => value(other)
    }
    if (operands.exists(_.isEmpty)) None
    else
      PredicateOperators(name, operands.flatten).map {
        case In(tested, list) => in(tested, list)
        case other => other
      }
  }

  /** Uses a set for long lists of literals, like Spark's optimizer. */
  private def in(tested: Expression, list: Seq[Expression]): Expression =
    if (
      list.length > PredicateTranslation.longList &&
      list.forall(e => e.isInstanceOf[Literal] && e.dataType == tested.dataType)
    ) InSet(tested, list.map(_.eval()).toSet)
    else In(tested, list)
}

/** Selects supported types. */
private[spark] object PredicateTranslation {

  /** Whether values of a type can be compared: flat types, and strings that compare by bytes. */
  def isComparable(t: DataType): Boolean = t match {
    case s: StringType => s == StringType // excludes other collations
    case _: NumericType | BooleanType | BinaryType | DateType | TimestampType | TimestampNTZType =>
      true
    case _: DayTimeIntervalType | _: YearMonthIntervalType => true
    case _ => false
  }

  /** Longer lists use a set. */
  private val longList = 10
}
