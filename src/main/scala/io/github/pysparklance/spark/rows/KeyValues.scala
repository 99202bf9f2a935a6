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

/** Creates conditions that match every row with one of the given values, and that scans can
  * evaluate.
  */
private[rows] object KeyValues {

  /** More values are replaced by a range. */
  private[rows] val maxValues: Int = 256

  /** @param values values that may include nulls; must not be empty
    * @return `None` if the type has no order, or its values are converted before comparisons
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

  /** Spark checks more than ten values with a set of objects, which distinguishes -0.0 and 0.0. */
  private def isFloating(t: DataType): Boolean = t match {
    case FloatType | DoubleType => true
    case _ => false
  }

  private def isPlain(t: DataType): Boolean = t match {
    case _: StructType | _: ArrayType | _: MapType => false
    case other => RowOrdering.isOrderable(other)
  }

  /** CHAR values are padded before comparisons. */
  private def hasLength(field: StructField): Boolean =
    CharVarcharUtils.getRawType(field.metadata).isDefined ||
      CharVarcharUtils.hasCharVarchar(field.dataType)
}
