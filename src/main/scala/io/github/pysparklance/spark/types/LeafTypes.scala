// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.types

import org.apache.spark.sql.types._

import io.github.pysparklance.core.LogicalType
import io.github.pysparklance.spark.shim.SparkShim

/** What Lance makes of Spark's types without members. Timestamps are microseconds (`UTC` for those that mean an
  * instant), decimals have 128 bits.
  */
private[types] object LeafTypes {

  /** The type a column gets when nobody asks for another; none when there is no such type. */
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

  /** Whether a column of Spark's type `t` can be kept as `wanted`: reading gives the same type back. */
  def goesWith(t: DataType, wanted: LogicalType): Boolean =
    (t, wanted) match {
      case (_: DayTimeIntervalType, LogicalType.Duration(_)) => true
      case (_, LogicalType.Time(_, _)) if SparkShim.timePrecision(t).isDefined => true
      case (_: YearMonthIntervalType, _) => wanted == LogicalType.Integer(32, signed = true)
      case _ => shown(wanted).contains(PhysicalTypes(t))
    }

  /** Spark's type for values of a type, where it has one. */
  def shown(t: LogicalType): Option[DataType] = t match {
    case LogicalType.Json => Some(StringType)
    case LogicalType.Struct | LogicalType.List(_, _) | LogicalType.Map | LogicalType.Blob => None
    case leaf => scala.util.Try(SparkTypes.leafType(leaf, TypeOptions.default)).toOption
  }

  /** The type of a field of its own: a single bfloat16 is an extension of a binary. */
  def stored(t: LogicalType): LogicalType = t match {
    case LogicalType.BFloat16 => LogicalType.FixedSizeBinary(2)
    case other => other
  }

  /** Metadata that tell the extension type of a field, as pylance writes them. */
  def extension(t: LogicalType): Map[String, String] = t match {
    case LogicalType.BFloat16 => extension("lance.bfloat16")
    case LogicalType.Json => extension("lance.json")
    case _ => Map.empty
  }

  def extension(name: String): Map[String, String] =
    Map(SettingKeys.ExtensionName -> name, SettingKeys.ExtensionMetadata -> "")

  /** Whether it can be the item of a fixed-size list. */
  def isFixedWidth(t: LogicalType): Boolean = t match {
    case LogicalType.Utf8(_) | LogicalType.Binary(_) | LogicalType.Null | LogicalType.Json => false
    case _: LogicalType.Dictionary => false
    case _ => true
  }
}
