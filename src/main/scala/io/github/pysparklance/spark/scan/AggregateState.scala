// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

// Hot code: imperative.
package io.github.pysparklance.spark.scan

import org.apache.spark.sql.catalyst.util.SQLOrderingUtil
import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.ColumnVector
import org.apache.spark.unsafe.types.UTF8String

import io.github.pysparklance.spark.scan.push.PushedAggregate

/** The state of an aggregate over the rows of a task. */
abstract private[scan] class AggregateState {

  /** Adds rows of a batch, which must not be null.
    *
    * @param vector the column; null if the aggregate has none
    * @param rows positions of the rows; null for the first `numRows` rows
    */
  def add(vector: ColumnVector, rows: Array[Int], numRows: Int): Unit

  /** The result in Spark's internal representation; null if no row was added. */
  def result: Any
}

/** Creates states. */
private[scan] object AggregateState {

  def apply(aggregate: PushedAggregate): AggregateState = aggregate match {
    case PushedAggregate.MinMax(_, dataType, isMax) => minMax(dataType, isMax)
    case _ => new Counted
  }

  private def minMax(t: DataType, isMax: Boolean): AggregateState = t match {
    case BooleanType => new Integers(isMax, (v, i) => if (v.getBoolean(i)) 1L else 0L, _ == 1L)
    case ByteType => new Integers(isMax, (v, i) => v.getByte(i).toLong, _.toByte)
    case ShortType => new Integers(isMax, (v, i) => v.getShort(i).toLong, _.toShort)
    case IntegerType | DateType | _: YearMonthIntervalType =>
      new Integers(isMax, (v, i) => v.getInt(i).toLong, _.toInt)
    case LongType | TimestampType | TimestampNTZType | _: DayTimeIntervalType => new Longs(isMax)
    case FloatType => new Doubles(isMax, (v, i) => v.getFloat(i).toDouble, _.toFloat)
    case DoubleType => new Doubles(isMax, (v, i) => v.getDouble(i), v => v)
    case _: StringType => new Strings(isMax)
    case BinaryType => new Binaries(isMax)
    case d: DecimalType => new Decimals(isMax, d)
    case other => throw new IllegalArgumentException(s"no MIN or MAX of ${other.sql}")
  }

  final private class Counted extends AggregateState {
    private[this] var count = 0L

    def add(vector: ColumnVector, rows: Array[Int], numRows: Int): Unit = count += numRows

    def result: Any = count
  }

  /** Reads a value as a wide number. */
  private trait LongGetter { def apply(v: ColumnVector, row: Int): Long }

  private trait DoubleGetter { def apply(v: ColumnVector, row: Int): Double }

  final private class Integers(isMax: Boolean, get: LongGetter, back: Long => Any)
      extends AggregateState {
    private[this] var found = false
    private[this] var best = 0L

    def add(vector: ColumnVector, rows: Array[Int], numRows: Int): Unit = {
      var i = 0
      while (i < numRows) {
        val value = get(vector, if (rows == null) i else rows(i))
        if (!found || (if (isMax) value > best else value < best)) {
          best = value
          found = true
        }
        i += 1
      }
    }

    def result: Any = if (found) back(best) else null
  }

  final private class Longs(isMax: Boolean) extends AggregateState {
    private[this] var found = false
    private[this] var best = 0L

    def add(vector: ColumnVector, rows: Array[Int], numRows: Int): Unit = {
      var i = 0
      while (i < numRows) {
        val value = vector.getLong(if (rows == null) i else rows(i))
        if (!found || (if (isMax) value > best else value < best)) {
          best = value
          found = true
        }
        i += 1
      }
    }

    def result: Any = if (found) best else null
  }

  /** Uses Spark's order: NaN is greater than all other values, and -0.0 equals 0.0. */
  final private class Doubles(isMax: Boolean, get: DoubleGetter, back: Double => Any)
      extends AggregateState {
    private[this] var found = false
    private[this] var best = 0.0

    def add(vector: ColumnVector, rows: Array[Int], numRows: Int): Unit = {
      var i = 0
      while (i < numRows) {
        val value = get(vector, if (rows == null) i else rows(i))
        if (!found) {
          best = value
          found = true
        } else {
          val order = SQLOrderingUtil.compareDoubles(value, best)
          if (if (isMax) order > 0 else order < 0) best = value
        }
        i += 1
      }
    }

    def result: Any = if (found) back(best) else null
  }

  final private class Strings(isMax: Boolean) extends AggregateState {
    private[this] var best: UTF8String = null

    def add(vector: ColumnVector, rows: Array[Int], numRows: Int): Unit = {
      var i = 0
      while (i < numRows) {
        val value = vector.getUTF8String(if (rows == null) i else rows(i))
        // The batch owns the bytes, so they are copied.
        if (best == null) best = value.copy()
        else {
          val order = value.compareTo(best)
          if (if (isMax) order > 0 else order < 0) best = value.copy()
        }
        i += 1
      }
    }

    def result: Any = best
  }

  final private class Binaries(isMax: Boolean) extends AggregateState {
    private[this] var best: Array[Byte] = null

    def add(vector: ColumnVector, rows: Array[Int], numRows: Int): Unit = {
      var i = 0
      while (i < numRows) {
        val value = vector.getBinary(if (rows == null) i else rows(i))
        if (best == null) best = value.clone()
        else {
          val order = java.util.Arrays.compareUnsigned(value, best)
          if (if (isMax) order > 0 else order < 0) best = value.clone()
        }
        i += 1
      }
    }

    def result: Any = best
  }

  final private class Decimals(isMax: Boolean, t: DecimalType) extends AggregateState {
    private[this] var best: Decimal = null

    def add(vector: ColumnVector, rows: Array[Int], numRows: Int): Unit = {
      var i = 0
      while (i < numRows) {
        val value = vector.getDecimal(if (rows == null) i else rows(i), t.precision, t.scale)
        if (best == null) best = value
        else {
          val order = value.compare(best)
          if (if (isMax) order > 0 else order < 0) best = value
        }
        i += 1
      }
    }

    def result: Any = best
  }
}
