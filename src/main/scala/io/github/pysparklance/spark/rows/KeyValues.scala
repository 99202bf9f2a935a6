// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.rows

import org.apache.spark.sql.catalyst.expressions.{
  And,
  Attribute,
  Expression,
  GreaterThanOrEqual,
  In,
  IsNull,
  LessThanOrEqual,
  Literal,
  Or,
  RowOrdering
}
import org.apache.spark.sql.catalyst.util.{CharVarcharUtils, TypeUtils}
import org.apache.spark.sql.types.{
  ArrayType,
  DataType,
  DoubleType,
  FloatType,
  MapType,
  StructField,
  StructType
}

import io.github.pysparklance.core.Optional

/** A condition that is true for every row whose value is among some values, and that a scan can evaluate. */
private[rows] object KeyValues {

  /** More values become a range. */
  private[rows] val maxValues: Int = 256

  /** @param values with nulls, not empty
    * @return `None` if the type has no order, or its values are compared in another form
    */
  def condition(column: Attribute, field: StructField, values: Seq[Any]): Option[Expression] =
    Optional.when(isPlain(field.dataType) && !hasLength(field)) {
      val found = values.filter(_ != null).distinct
      val isNull = Optional.when(values.contains(null))(IsNull(column): Expression)
      val isAmong = Optional.when(found.nonEmpty)(among(column, field.dataType, found))
      (isNull ++ isAmong).reduce(Or(_, _))
    }

  private def among(column: Attribute, t: DataType, values: Seq[Any]): Expression =
    if (values.length <= maxValues && !isFloating(t)) In(column, values.map(Literal(_, t)))
    else {
      val order = TypeUtils.getInterpretedOrdering(t)
      And(
        GreaterThanOrEqual(column, Literal(values.min(order), t)),
        LessThanOrEqual(column, Literal(values.max(order), t))
      )
    }

  /** Spark looks for more than ten values in a set of objects, which tells -0.0 from 0.0. */
  private def isFloating(t: DataType): Boolean = t match {
    case FloatType | DoubleType => true
    case _ => false
  }

  private def isPlain(t: DataType): Boolean = t match {
    case _: StructType | _: ArrayType | _: MapType => false
    case other => RowOrdering.isOrderable(other)
  }

  /** CHAR values are padded when they are compared. */
  private def hasLength(field: StructField): Boolean =
    CharVarcharUtils.getRawType(field.metadata).isDefined ||
      CharVarcharUtils.hasCharVarchar(field.dataType)
}
