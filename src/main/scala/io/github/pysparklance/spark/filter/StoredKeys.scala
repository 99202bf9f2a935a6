// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.filter

import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

import io.github.pysparklance.core.{LogicalType, Optional}
import io.github.pysparklance.index.spi.{BytesKey, Key, NumberKey}

/** Converts keys of indices to values of Spark. */
private[spark] object StoredKeys {

  /** Returns a function that converts keys. It returns `None` for a key without a Spark value, such
    * as a timestamp in seconds that overflows microseconds. Returns `None` for types whose keys do
    * not map one-to-one to Spark values: floats (zeros and NaNs) and timestamps that Spark
    * truncates.
    *
    * @param stored type in files
    * @param dataType type in Spark
    */
  def of(stored: LogicalType, dataType: DataType): Option[Key => Option[Any]] = {
    import LogicalType._
    (stored, dataType) match {
      case (Bool, BooleanType) => Some(key => Some(number(key) != 0))
      case (Integer(_, _), ByteType) => Some(key => Some(number(key).toByte))
      case (Integer(_, _), ShortType) => Some(key => Some(number(key).toShort))
      case (Integer(_, _), IntegerType) | (Date32, DateType) =>
        Some(key => Some(number(key).toInt))
      case (Integer(_, _), LongType) => Some(key => Some(number(key)))
      case (Timestamp(unit, _), TimestampType | TimestampNTZType) =>
        val micros = microsPerSecond / unit.perSecond
        if (micros == 0) None else Some(key => product(number(key), micros))
      case (Decimal(_, precision, scale), d: DecimalType) if d.scale == scale =>
        Some(key => Some(decimal(bytes(key), precision, scale)))
      case (Utf8(_), StringType) => Some(key => Some(UTF8String.fromBytes(bytes(key))))
      case (Binary(_), BinaryType) => Some(key => Some(bytes(key)))
      case _ => None
    }
  }

  private def product(value: Long, factor: Long): Option[Long] = {
    val high = Math.multiplyHigh(value, factor)
    val low = value * factor
    Optional.when(high == low >> 63)(low)
  }

  private val microsPerSecond = 1000000L

  private def number(key: Key): Long = key match {
    case NumberKey(value) => value
    case _: BytesKey => throw new IllegalArgumentException("a key of bytes for a number")
  }

  private def bytes(key: Key): Array[Byte] = key match {
    case b: BytesKey => b.bytes
    case _: NumberKey => throw new IllegalArgumentException("a number for a key of bytes")
  }

  /** Big-endian, sign bit flipped. */
  private def decimal(key: Array[Byte], precision: Int, scale: Int): Decimal = {
    val big = key.clone()
    big(0) = (big(0) ^ 0x80).toByte
    val unscaled = new java.math.BigInteger(big)
    Decimal(new java.math.BigDecimal(unscaled, scale), precision, scale)
  }
}
