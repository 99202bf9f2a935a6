// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.filter

import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

import io.github.pysparklance.core.LogicalType
import io.github.pysparklance.index.spi.{BytesKey, Key, NumberKey}

/** Converts keys of indices to values of Spark. */
private[spark] object StoredKeys {

  /** None where Spark has another value for two keys, or one for both: floats with their zeros and NaNs, and timestamps that
    * it cuts.
    *
    * @param stored the type in files
    * @param dataType the type in Spark
    */
  def of(stored: LogicalType, dataType: DataType): Option[Key => Any] = {
    import LogicalType._
    (stored, dataType) match {
      case (Bool, BooleanType) => Some(key => number(key) != 0)
      case (Integer(_, _), ByteType) => Some(key => number(key).toByte)
      case (Integer(_, _), ShortType) => Some(key => number(key).toShort)
      case (Integer(_, _), IntegerType) | (Date32, DateType) => Some(key => number(key).toInt)
      case (Integer(_, _), LongType) => Some(key => number(key))
      case (Timestamp(unit, _), TimestampType | TimestampNTZType) =>
        val micros = microsPerSecond / unit.perSecond
        if (micros == 0) None else Some(key => Math.multiplyExact(number(key), micros))
      case (Decimal(_, precision, scale), d: DecimalType) if d.scale == scale =>
        Some(key => decimal(bytes(key), precision, scale))
      case (Utf8(_), StringType) => Some(key => UTF8String.fromBytes(bytes(key)))
      case (Binary(_), BinaryType) => Some(key => bytes(key))
      case _ => None
    }
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
