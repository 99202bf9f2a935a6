// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

// Hot code: small final classes over primitive arrays. Arrays may be longer than the rows they
// hold.
package io.github.pysparklance.spark.vectors

import java.util.{Arrays, Objects}

import org.apache.spark.sql.types._
import org.apache.spark.unsafe.Platform

import io.github.pysparklance.core.{Half, Validity}

/** Booleans. */
final private[vectors] class BooleanVector(array: Array[Byte], numRows: Int, validity: Validity)
    extends LanceVector(BooleanType, numRows, validity) {
  override def getBoolean(row: Int): Boolean = array(row) != 0
}

/** Signed 8-bit integers. */
final private[vectors] class ByteVector(array: Array[Byte], numRows: Int, validity: Validity)
    extends LanceVector(ByteType, numRows, validity) {
  override def getByte(row: Int): Byte = array(row)
  override def getBytes(row: Int, count: Int): Array[Byte] =
    Arrays.copyOfRange(array, row, row + count)

  override def between(
      min: Long,
      max: Long,
      live: Array[Int],
      numLive: Int,
      found: Array[Int]
  ): Int = {
    val shift = Long.MinValue - min
    val last = max + shift
    var n = 0
    var i = 0
    while (i < numLive) {
      val row = live(i)
      if (array(row).toLong + shift <= last) {
        found(n) = row
        n += 1
      }
      i += 1
    }
    withoutNulls(found, n)
  }
}

/** Signed 16-bit integers. */
final private[vectors] class ShortVector(array: Array[Short], numRows: Int, validity: Validity)
    extends LanceVector(ShortType, numRows, validity) {
  override def getShort(row: Int): Short = array(row)
  override def getShorts(row: Int, count: Int): Array[Short] =
    Arrays.copyOfRange(array, row, row + count)

  override def between(
      min: Long,
      max: Long,
      live: Array[Int],
      numLive: Int,
      found: Array[Int]
  ): Int = {
    val shift = Long.MinValue - min
    val last = max + shift
    var n = 0
    var i = 0
    while (i < numLive) {
      val row = live(i)
      if (array(row).toLong + shift <= last) {
        found(n) = row
        n += 1
      }
      i += 1
    }
    withoutNulls(found, n)
  }
}

/** Signed 32-bit integers, and dates in days. */
final private[vectors] class IntVector(
    dataType: DataType,
    array: Array[Int],
    numRows: Int,
    validity: Validity
) extends LanceVector(dataType, numRows, validity) {
  override def getInt(row: Int): Int = array(row)
  override def getInts(row: Int, count: Int): Array[Int] =
    Arrays.copyOfRange(array, row, row + count)

  override protected def selectValid(rows: Array[Int], n: Int): LanceVector =
    new IntVector(dataType, LanceVector.selected(array, rows, n), n, null)

  override def copyIntegers(rows: Array[Int], n: Int, to: Array[Long]): Boolean = {
    var i = 0
    if (rows == null)
      while (i < n) {
        to(i) = array(i).toLong
        i += 1
      }
    else
      while (i < n) {
        to(i) = array(rows(i)).toLong
        i += 1
      }
    true
  }

  override def between(
      min: Long,
      max: Long,
      live: Array[Int],
      numLive: Int,
      found: Array[Int]
  ): Int = {
    val shift = Long.MinValue - min
    val last = max + shift
    var n = 0
    var i = 0
    while (i < numLive) {
      val row = live(i)
      if (array(row).toLong + shift <= last) {
        found(n) = row
        n += 1
      }
      i += 1
    }
    withoutNulls(found, n)
  }
}

/** Signed 64-bit integers, and timestamps in microseconds. */
final private[vectors] class LongVector(
    dataType: DataType,
    array: Array[Long],
    numRows: Int,
    validity: Validity
) extends LanceVector(dataType, numRows, validity) {
  override def getLong(row: Int): Long = array(row)
  override def getLongs(row: Int, count: Int): Array[Long] =
    Arrays.copyOfRange(array, row, row + count)

  override protected def selectValid(rows: Array[Int], n: Int): LanceVector =
    new LongVector(dataType, LanceVector.selected(array, rows, n), n, null)

  override def copyIntegers(rows: Array[Int], n: Int, to: Array[Long]): Boolean = {
    if (rows == null) System.arraycopy(array, 0, to, 0, n)
    else {
      var i = 0
      while (i < n) {
        to(i) = array(rows(i))
        i += 1
      }
    }
    true
  }

  override def between(
      min: Long,
      max: Long,
      live: Array[Int],
      numLive: Int,
      found: Array[Int]
  ): Int = {
    val shift = Long.MinValue - min
    val last = max + shift
    var n = 0
    var i = 0
    while (i < numLive) {
      val row = live(i)
      if (array(row) + shift <= last) {
        found(n) = row
        n += 1
      }
      i += 1
    }
    withoutNulls(found, n)
  }
}

/** 32-bit floats, stored as bits. */
final private[vectors] class FloatVector(bits: Array[Int], numRows: Int, validity: Validity)
    extends LanceVector(FloatType, numRows, validity) {
  override def getFloat(row: Int): Float = java.lang.Float.intBitsToFloat(bits(row))

  override def copiedBytes: Int = 4

  override def copyTo(row: Int, count: Int, to: Array[Byte], offset: Long): Unit = {
    Objects.checkFromIndexSize(row, count, bits.length): Unit
    Platform.copyMemory(bits, Platform.INT_ARRAY_OFFSET + 4L * row, to, offset, 4L * count)
  }

  override protected def selectValid(rows: Array[Int], n: Int): LanceVector =
    new FloatVector(LanceVector.selected(bits, rows, n), n, null)

  override def getFloats(row: Int, count: Int): Array[Float] = {
    val out = new Array[Float](count)
    var i = 0
    while (i < count) {
      out(i) = java.lang.Float.intBitsToFloat(bits(row + i))
      i += 1
    }
    out
  }
}

/** 64-bit floats, stored as bits. */
final private[vectors] class DoubleVector(bits: Array[Long], numRows: Int, validity: Validity)
    extends LanceVector(DoubleType, numRows, validity) {
  override def getDouble(row: Int): Double = java.lang.Double.longBitsToDouble(bits(row))

  override def copiedBytes: Int = 8

  override def copyTo(row: Int, count: Int, to: Array[Byte], offset: Long): Unit = {
    Objects.checkFromIndexSize(row, count, bits.length): Unit
    Platform.copyMemory(bits, Platform.LONG_ARRAY_OFFSET + 8L * row, to, offset, 8L * count)
  }

  override protected def selectValid(rows: Array[Int], n: Int): LanceVector =
    new DoubleVector(LanceVector.selected(bits, rows, n), n, null)

  override def getDoubles(row: Int, count: Int): Array[Double] = {
    val out = new Array[Double](count)
    var i = 0
    while (i < count) {
      out(i) = java.lang.Double.longBitsToDouble(bits(row + i))
      i += 1
    }
    out
  }
}

/** Unsigned 8-bit integers, as SMALLINT. */
final private[vectors] class UnsignedByteVector(
    array: Array[Byte],
    numRows: Int,
    validity: Validity
) extends LanceVector(ShortType, numRows, validity) {
  override def getShort(row: Int): Short = (array(row) & 0xff).toShort
}

/** Unsigned 16-bit integers, as INT. */
final private[vectors] class UnsignedShortVector(
    array: Array[Short],
    numRows: Int,
    validity: Validity
) extends LanceVector(IntegerType, numRows, validity) {
  override def getInt(row: Int): Int = array(row) & 0xffff
}

/** Unsigned 32-bit integers, as BIGINT. */
final private[vectors] class UnsignedIntVector(array: Array[Int], numRows: Int, validity: Validity)
    extends LanceVector(LongType, numRows, validity) {
  override def getLong(row: Int): Long = array(row) & 0xffffffffL
}

/** Unsigned 64-bit integers, as decimals. */
final private[vectors] class UnsignedLongVector(
    array: Array[Long],
    numRows: Int,
    validity: Validity
) extends LanceVector(DecimalType(20, 0), numRows, validity) {
  override protected def decimalAt(row: Int, precision: Int, scale: Int): Decimal = {
    val v = array(row)
    if (v >= 0) Decimal(v, precision, scale)
    else Decimal(
      BigDecimal(new java.math.BigDecimal(java.lang.Long.toUnsignedString(v))),
      precision,
      scale
    )
  }
}

/** 16-bit floats: sign, 5 exponent bits, 10 mantissa bits. */
final private[vectors] class HalfFloatVector(bits: Array[Short], numRows: Int, validity: Validity)
    extends LanceVector(FloatType, numRows, validity) {
  override def getFloat(row: Int): Float = Half.toFloat(bits(row))

  override def copiedBytes: Int = 4

  override def copyTo(row: Int, count: Int, to: Array[Byte], offset: Long): Unit = {
    var i = 0
    while (i < count) {
      Platform.putFloat(to, offset + 4L * i, Half.toFloat(bits(row + i)))
      i += 1
    }
  }
}

/** The upper 16 bits of floats. */
final private[vectors] class BFloat16Vector(bits: Array[Short], numRows: Int, validity: Validity)
    extends LanceVector(FloatType, numRows, validity) {
  override def getFloat(row: Int): Float = java.lang.Float.intBitsToFloat(bits(row) << 16)

  override def copiedBytes: Int = 4

  override def copyTo(row: Int, count: Int, to: Array[Byte], offset: Long): Unit = {
    var i = 0
    while (i < count) {
      Platform.putInt(to, offset + 4L * i, bits(row + i) << 16)
      i += 1
    }
  }
}

/** Times of day in 32 bits, as numbers in their unit or in nanoseconds. */
final private[vectors] class MultipliedIntVector(
    dataType: DataType,
    array: Array[Int],
    factor: Long,
    numRows: Int,
    validity: Validity
) extends LanceVector(dataType, numRows, validity) {
  override def getLong(row: Int): Long = array(row) * factor
}

/** Times of day in 64 bits, rounded down to microseconds, in nanoseconds. */
final private[vectors] class TimeVector(
    dataType: DataType,
    array: Array[Long],
    factor: Long,
    numRows: Int,
    validity: Validity
) extends LanceVector(dataType, numRows, validity) {

  /** @throws ArithmeticException if the time overflows, far outside of a day */
  override def getLong(row: Int): Long = {
    val nanos = Math.multiplyExact(array(row), factor)
    nanos - Math.floorMod(nanos, 1000L)
  }
}

/** Timestamps and durations in seconds or milliseconds, converted to microseconds. */
final private[vectors] class MultipliedVector(
    dataType: DataType,
    array: Array[Long],
    factor: Long,
    numRows: Int,
    validity: Validity
) extends LanceVector(dataType, numRows, validity) {

  /** @throws ArithmeticException if the value overflows microseconds */
  override def getLong(row: Int): Long = Math.multiplyExact(array(row), factor)
}

/** Timestamps and durations in nanoseconds, rounded down to microseconds. */
final private[vectors] class FlooredVector(
    dataType: DataType,
    array: Array[Long],
    divisor: Long,
    numRows: Int,
    validity: Validity
) extends LanceVector(dataType, numRows, validity) {
  override def getLong(row: Int): Long = Math.floorDiv(array(row), divisor)
}

/** Dates in milliseconds, rounded down to days. */
final private[vectors] class MillisecondDateVector(
    array: Array[Long],
    numRows: Int,
    validity: Validity
) extends LanceVector(DateType, numRows, validity) {
  override def getInt(row: Int): Int = Math.floorDiv(array(row), 86400000L).toInt
}
