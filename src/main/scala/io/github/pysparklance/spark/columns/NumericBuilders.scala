// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

// Hot code: small final classes that append to primitive arrays.
package io.github.pysparklance.spark.columns

import org.apache.spark.sql.catalyst.expressions.SpecializedGetters
import org.apache.spark.sql.catalyst.util.ArrayData

import io.github.pysparklance.core._

/** Builds columns of flat values.
  *
  * @param values values of the column
  */
abstract private[columns] class LeafBuilder(val field: Field, val values: Values)
    extends ColumnBuilder {
  protected def nullable: Boolean = field.nullable
  protected def appendFiller(n: Int): Unit = values.appendFiller(n)

  /** Appends filler items below a null list, which count as valid. */
  final def appendFillerItems(n: Int): Unit = {
    appendFiller(n)
    countValid(n)
  }

  /** Validity of the items, for the enclosing fixed-size list. */
  final def itemValidity: Validity = validity

  /** Completes the values before they are read. */
  def settle(): Unit = ()

  def column: Column = {
    settle()
    LeafColumn(values, validity)
  }

  override def clear(): Unit = { super.clear(); values.clear() }
  def sizeInBytes: Long = values.sizeInBytes

  protected def outOfRange(value: Any): Nothing =
    throw new InvalidRequestException(
      s"the value $value does not fit the column's type ${LogicalType.text(field.logicalType)}",
      Place(column = Some(field.name))
    )
}

/** Builders of integers. */
private[columns] object LeafBuilder {

  /** Integers with the width of a field. */
  sealed abstract class Integers {
    def values: Values
    def append(v: Long): Unit
  }

  final private class Ints extends Integers {
    val values = new IntValues
    def append(v: Long): Unit = values.append(v.toInt)
  }

  final private class Longs extends Integers {
    val values = new LongValues
    def append(v: Long): Unit = values.append(v)
  }

  def integers(t: ValueType): Integers = if (t == FixedWidth(32)) new Ints else new Longs
}

/** Appends nulls. */
final private[columns] class NullBuilder(field: Field) extends LeafBuilder(field, new ByteValues) {
  protected def appendValue(from: SpecializedGetters, at: Int): Unit =
    outOfRange("that is not null")
  override def column: Column = NullColumn(rows)
}

/** Appends booleans. */
final private[columns] class BooleanBuilder(field: Field, out: ByteValues = new ByteValues)
    extends LeafBuilder(field, out) {
  protected def appendValue(from: SpecializedGetters, at: Int): Unit =
    out.append(if (from.getBoolean(at)) 1 else 0)
}

/** Appends signed 8-bit integers. */
final private[columns] class ByteBuilder(field: Field, out: ByteValues = new ByteValues)
    extends LeafBuilder(field, out) {
  protected def appendValue(from: SpecializedGetters, at: Int): Unit = out.append(from.getByte(at))
}

/** Appends unsigned 8-bit integers, which are SMALLINT in Spark. */
final private[columns] class UnsignedByteBuilder(field: Field, out: ByteValues = new ByteValues)
    extends LeafBuilder(field, out) {
  protected def appendValue(from: SpecializedGetters, at: Int): Unit = {
    val v = from.getShort(at)
    if (v < 0 || v > 0xff) outOfRange(v)
    out.append(v.toByte)
  }
}

/** Appends signed 16-bit integers. */
final private[columns] class ShortBuilder(field: Field, out: ShortValues = new ShortValues)
    extends LeafBuilder(field, out) {
  protected def appendValue(from: SpecializedGetters, at: Int): Unit = out.append(from.getShort(at))
}

/** Appends unsigned 16-bit integers, which are INT in Spark. */
final private[columns] class UnsignedShortBuilder(field: Field, out: ShortValues = new ShortValues)
    extends LeafBuilder(field, out) {
  protected def appendValue(from: SpecializedGetters, at: Int): Unit = {
    val v = from.getInt(at)
    if (v < 0 || v > 0xffff) outOfRange(v)
    out.append(v.toShort)
  }
}

/** Appends signed 32-bit integers, and dates in days. */
final private[columns] class IntBuilder(field: Field, out: IntValues = new IntValues)
    extends LeafBuilder(field, out) {
  protected def appendValue(from: SpecializedGetters, at: Int): Unit = out.append(from.getInt(at))

  override def appendAll(items: ArrayData): Unit =
    if (NoNulls(items)) {
      val array = items.toIntArray()
      val first = out.extend(array.length)
      System.arraycopy(array, 0, out.array, first, array.length)
      countValid(array.length)
    } else super.appendAll(items)
}

/** Appends unsigned 32-bit integers, which are BIGINT in Spark. */
final private[columns] class UnsignedIntBuilder(field: Field, out: IntValues = new IntValues)
    extends LeafBuilder(field, out) {
  protected def appendValue(from: SpecializedGetters, at: Int): Unit = {
    val v = from.getLong(at)
    if (v < 0 || v > 0xffffffffL) outOfRange(v)
    out.append(v.toInt)
  }
}

/** Appends times of day in 32 bits, which are BIGINT in Spark. */
final private[columns] class NarrowedIntBuilder(field: Field, out: IntValues = new IntValues)
    extends LeafBuilder(field, out) {
  protected def appendValue(from: SpecializedGetters, at: Int): Unit = {
    val v = from.getLong(at)
    if (v != v.toInt) outOfRange(v)
    out.append(v.toInt)
  }
}

/** Appends signed 64-bit integers. */
final private[columns] class LongBuilder(field: Field, out: LongValues = new LongValues)
    extends LeafBuilder(field, out) {
  protected def appendValue(from: SpecializedGetters, at: Int): Unit = out.append(from.getLong(at))

  override def appendAll(items: ArrayData): Unit =
    if (NoNulls(items)) {
      val array = items.toLongArray()
      val first = out.extend(array.length)
      System.arraycopy(array, 0, out.array, first, array.length)
      countValid(array.length)
    } else super.appendAll(items)
}

/** Appends unsigned 64-bit integers, which are decimals in Spark. */
final private[columns] class UnsignedLongBuilder(field: Field, out: LongValues = new LongValues)
    extends LeafBuilder(field, out) {
  protected def appendValue(from: SpecializedGetters, at: Int): Unit = {
    val v = from.getDecimal(at, 20, 0).toJavaBigDecimal.toBigInteger
    if (v.signum < 0 || v.bitLength > 64) outOfRange(v)
    out.append(v.longValue)
  }
}

/** Appends 32-bit floats. */
final private[columns] class FloatBuilder(field: Field, out: IntValues = new IntValues)
    extends LeafBuilder(field, out) {
  protected def appendValue(from: SpecializedGetters, at: Int): Unit =
    out.append(java.lang.Float.floatToRawIntBits(from.getFloat(at)))

  override def appendAll(items: ArrayData): Unit =
    if (NoNulls(items)) {
      val floats = items.toFloatArray()
      val first = out.extend(floats.length)
      val bits = out.array
      var i = 0
      while (i < floats.length) {
        bits(first + i) = java.lang.Float.floatToRawIntBits(floats(i))
        i += 1
      }
      countValid(floats.length)
    } else super.appendAll(items)
}

/** Appends 16-bit floats, rounded to the nearest value, ties to even. */
final private[columns] class HalfFloatBuilder(field: Field, out: ShortValues = new ShortValues)
    extends LeafBuilder(field, out) {
  protected def appendValue(from: SpecializedGetters, at: Int): Unit = append(from.getFloat(at))

  private def append(v: Float): Unit = {
    val half = Half.fromFloat(v)
    if (Half.isInfinite(half) && !v.isInfinite) outOfRange(v)
    out.append(half)
  }

  override def appendAll(items: ArrayData): Unit =
    if (NoNulls(items)) {
      val floats = items.toFloatArray()
      var i = 0
      while (i < floats.length) {
        append(floats(i))
        i += 1
      }
      countValid(floats.length)
    } else super.appendAll(items)
}

/** Appends the upper 16 bits of floats, rounded in the same way. */
final private[columns] class BFloat16Builder(field: Field, out: ShortValues = new ShortValues)
    extends LeafBuilder(field, out) {
  protected def appendValue(from: SpecializedGetters, at: Int): Unit = {
    val v = from.getFloat(at)
    val rounded = Half.toBFloat16(v)
    if ((rounded & 0x7fff) == 0x7f80 && !v.isInfinite) outOfRange(v)
    out.append(rounded)
  }
}

/** Appends 64-bit floats. */
final private[columns] class DoubleBuilder(field: Field, out: LongValues = new LongValues)
    extends LeafBuilder(field, out) {
  protected def appendValue(from: SpecializedGetters, at: Int): Unit =
    out.append(java.lang.Double.doubleToRawLongBits(from.getDouble(at)))

  override def appendAll(items: ArrayData): Unit =
    if (NoNulls(items)) {
      val doubles = items.toDoubleArray()
      val first = out.extend(doubles.length)
      val bits = out.array
      var i = 0
      while (i < doubles.length) {
        bits(first + i) = java.lang.Double.doubleToRawLongBits(doubles(i))
        i += 1
      }
      countValid(doubles.length)
    } else super.appendAll(items)
}

/** Appends dates in milliseconds. */
final private[columns] class MillisecondDateBuilder(field: Field, out: LongValues = new LongValues)
    extends LeafBuilder(field, out) {
  protected def appendValue(from: SpecializedGetters, at: Int): Unit =
    out.append(from.getInt(at) * 86400000L)
}

/** Appends timestamps in the unit of the column. Rejects microseconds that the unit cannot
  * represent.
  */
final private[columns] class TimestampBuilder(
    field: Field,
    unit: LogicalType.TimeUnit,
    out: LongValues = new LongValues
) extends LeafBuilder(field, out) {
  private val multiplier = math.max(1L, unit.perSecond / 1000000L)
  private val divisor = math.max(1L, 1000000L / unit.perSecond)

  protected def appendValue(from: SpecializedGetters, at: Int): Unit = {
    val micros = from.getLong(at)
    if (divisor == 1L) {
      if (multiplier == 1L) out.append(micros)
      else if (micros > Long.MaxValue / multiplier || micros < Long.MinValue / multiplier)
        outOfRange(s"$micros us")
      else out.append(micros * multiplier)
    } else {
      val v = micros / divisor
      if (v * divisor != micros) outOfRange(s"$micros us")
      out.append(v)
    }
  }
}

/** Appends times of day in the unit of the column. Rejects nanoseconds that the unit cannot
  * represent.
  */
final private[columns] class TimeBuilder(
    field: Field,
    divisor: Long,
    out: LeafBuilder.Integers
) extends LeafBuilder(field, out.values) {

  def this(field: Field, unit: LogicalType.TimeUnit) =
    this(field, 1000000000L / unit.perSecond, LeafBuilder.integers(field.valueType))

  protected def appendValue(from: SpecializedGetters, at: Int): Unit = {
    val nanos = from.getLong(at)
    val v = nanos / divisor
    if (v * divisor != nanos) outOfRange(s"$nanos ns")
    out.append(v)
  }
}

/** Returns whether an array has no null items. */
private[columns] object NoNulls {
  def apply(items: ArrayData): Boolean = {
    val n = items.numElements()
    var i = 0
    while (i < n && !items.isNullAt(i)) i += 1
    i == n
  }
}
