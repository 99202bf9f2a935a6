// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.types

import org.apache.spark.sql.types._

import io.github.pysparklance.core.LogicalType
import io.github.pysparklance.spark.shim.SparkShim

/** Converts Spark's flat types to Lance types. Timestamps have microseconds, with the time zone
  * `UTC` for instants. Decimals have 128 bits.
  */
private[types] object LeafTypes {

  /** Returns the default type of a column, or `None` if it is not supported. */
  def default(t: DataType): Option[LogicalType] = t match {
    case BooleanType => Some(LogicalType.Bool)
    case ByteType => Some(LogicalType.Integer(8, signed = true))
    case ShortType => Some(LogicalType.Integer(16, signed = true))
    case IntegerType | _: YearMonthIntervalType => Some(LogicalType.Integer(32, signed = true))
    case LongType => Some(LogicalType.Integer(64, signed = true))
    case FloatType => Some(LogicalType.Float)
    case DoubleType => Some(LogicalType.Double)
    case d: DecimalType => Some(LogicalType.Decimal(128, d.precision, d.scale))
    case _: StringType | _: CharType | _: VarcharType => Some(LogicalType.Utf8(large = false))
    case BinaryType => Some(LogicalType.Binary(large = false))
    case DateType => Some(LogicalType.Date32)
    case TimestampType => Some(LogicalType.Timestamp(LogicalType.Microsecond, Some("UTC")))
    case TimestampNTZType => Some(LogicalType.Timestamp(LogicalType.Microsecond, None))
    case _: DayTimeIntervalType => Some(LogicalType.Duration(LogicalType.Microsecond))
    case NullType => Some(LogicalType.Null)
    case other =>
      SparkShim.timePrecision(other).map { digits =>
        LogicalType.Time(64, if (digits <= 6) LogicalType.Microsecond else LogicalType.Nanosecond)
      }
  }

  /** Whether a column with Spark's type `t` can be stored as `wanted`, so that reading returns the
    * same type.
    */
  def goesWith(t: DataType, wanted: LogicalType): Boolean =
    (t, wanted) match {
      case (_: DayTimeIntervalType, LogicalType.Duration(_)) => true
      case (_, LogicalType.Time(_, _)) if SparkShim.timePrecision(t).isDefined => true
      case (_: YearMonthIntervalType, _) => wanted == LogicalType.Integer(32, signed = true)
      case _ => shown(wanted).contains(PhysicalTypes(t))
    }

  /** Returns the Spark type of a Lance type, if there is one. */
  def shown(t: LogicalType): Option[DataType] = t match {
    case LogicalType.Json => Some(StringType)
    case LogicalType.Struct | LogicalType.List(_, _) | LogicalType.Map | LogicalType.Blob => None
    case leaf => scala.util.Try(SparkTypes.leafType(leaf, TypeOptions.default)).toOption
  }

  /** Returns the type of a separate field. A single bfloat16 is an extension of a binary. */
  def stored(t: LogicalType): LogicalType = t match {
    case LogicalType.BFloat16 => LogicalType.FixedSizeBinary(2)
    case other => other
  }

  /** Returns the field metadata of the extension type, as written by pylance. */
  def extension(t: LogicalType): Map[String, String] = t match {
    case LogicalType.BFloat16 => extension("lance.bfloat16")
    case LogicalType.Json => extension("lance.json")
    case _ => Map.empty
  }

  def extension(name: String): Map[String, String] =
    Map(ColumnOptionKeys.ExtensionName -> name, ColumnOptionKeys.ExtensionMetadata -> "")

  /** Whether a type can be the item of a fixed-size list. */
  def isFixedWidth(t: LogicalType): Boolean = t match {
    case LogicalType.Utf8(_) | LogicalType.Binary(_) | LogicalType.Null | LogicalType.Json => false
    case _: LogicalType.Dictionary => false
    case _ => true
  }
}
