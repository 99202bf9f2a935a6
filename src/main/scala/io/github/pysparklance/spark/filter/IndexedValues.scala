// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.filter

import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

import io.github.pysparklance.core.{LogicalType, Optional}
import io.github.pysparklance.index.spi.{BytesKey, Key, KeyRange, KeyType, NumberKey}

/** Maps a Spark value to the key ranges of the stored values that compare equal, less, or greater
  * in Spark. The methods return `None` if the ranges are unknown.
  */
sealed private[filter] trait IndexedValues {

  /** The least stored value that is at least a Spark value. */
  protected def first(value: Any): Option[Key]

  /** The greatest stored value that is at most a Spark value. */
  protected def last(value: Any): Option[Key]

  def equalTo(value: Any): Option[Seq[KeyRange]] =
    for (low <- first(value); high <- last(value))
      yield Seq(KeyRange(Some(low), includesLow = true, Some(high), includesHigh = true))

  def below(value: Any, orEqual: Boolean): Option[Seq[KeyRange]] =
    (if (orEqual) last(value) else first(value)).map { key =>
      Seq(KeyRange.all.copy(high = Some(key), includesHigh = orEqual))
    }

  def above(value: Any, orEqual: Boolean): Option[Seq[KeyRange]] =
    (if (orEqual) first(value) else last(value)).map { key =>
      Seq(KeyRange.all.copy(low = Some(key), includesLow = orEqual))
    }
}

/** Selects the mapping for a type. */
private[filter] object IndexedValues {

  /** Returns `None` if stored values have another order or meaning than in Spark.
    *
    * @param stored type in files
    * @param dataType type in Spark
    */
  def of(stored: LogicalType, dataType: DataType): Option[IndexedValues] = {
    import LogicalType._
    (stored, dataType) match {
      case (Bool, BooleanType) => Some(Booleans)
      case (Integer(64, false), _: DecimalType) => Some(UnsignedLongs)
      case (Integer(_, _), ByteType | ShortType | IntegerType | LongType) => Some(Integers)
      case (Date32, DateType) => Some(Integers)
      case (Float, FloatType) => Some(Floats)
      case (Double, DoubleType) => Some(Doubles)
      case (Timestamp(unit, _), TimestampType | TimestampNTZType) => Some(new Microseconds(unit))
      case (Decimal(bits, _, scale), d: DecimalType) if d.scale == scale =>
        Some(new Decimals(bits / 8, scale))
      case (Utf8(_), StringType) => Some(Texts)
      case (Binary(_) | FixedSizeBinary(_), BinaryType) => Some(Binaries)
      case _ => None
    }
  }

  /** Types whose values have exactly one key. */
  abstract private class Plain extends IndexedValues {
    protected def key(value: Any): Option[Key]
    final protected def first(value: Any): Option[Key] = key(value)
    final protected def last(value: Any): Option[Key] = key(value)
  }

  private object Booleans extends Plain {
    protected def key(value: Any): Option[Key] = value match {
      case b: Boolean => Some(NumberKey(if (b) 1 else 0))
      case _ => None
    }
  }

  private object Integers extends Plain {
    protected def key(value: Any): Option[Key] = value match {
      case n @ (_: Byte | _: Short | _: Int | _: Long) =>
        Some(NumberKey(n.asInstanceOf[Number].longValue))
      case _ => None
    }
  }

  /** Unsigned 64-bit integers, which are decimals in Spark. */
  private object UnsignedLongs extends IndexedValues {
    private def key(value: Any, mode: java.math.RoundingMode): Option[Key] = value match {
      case d: Decimal =>
        val n = d.toJavaBigDecimal.setScale(0, mode).toBigInteger
        // Other values are out of range.
        Optional.unless(n.signum < 0 || n.bitLength > 64)(KeyType.unsigned64(n.longValue))
      case _ => None
    }

    protected def first(value: Any): Option[Key] = key(value, java.math.RoundingMode.CEILING)
    protected def last(value: Any): Option[Key] = key(value, java.math.RoundingMode.FLOOR)
  }

  /** In Spark, all NaNs are equal and greater than all numbers, and both zeros are equal. Indices
    * use the order of IEEE 754, in which NaNs with the sign bit come first.
    */
  abstract private class Floating extends IndexedValues {
    protected def double(value: Any): Option[Double]

    /** Returns the key of a number. */
    protected def key(value: Double): Key

    private def negativeInfinity: Key = key(Double.NegativeInfinity)
    private def positiveInfinity: Key = key(Double.PositiveInfinity)

    protected def first(value: Any): Option[Key] =
      double(value).map(v => key(if (v == 0.0) -0.0 else v))

    protected def last(value: Any): Option[Key] =
      double(value).map(v => key(if (v == 0.0) 0.0 else v))

    private def negativeNaN: KeyRange = KeyRange.all.copy(high = Some(negativeInfinity))

    private def allNaN: Seq[KeyRange] =
      Seq(negativeNaN, KeyRange.all.copy(low = Some(positiveInfinity)))

    /** Returns a point for each zero, because value lookups distinguish the zeros. */
    override def equalTo(value: Any): Option[Seq[KeyRange]] = double(value).map { v =>
      if (v.isNaN) allNaN
      else if (v == 0.0) Seq(KeyRange.point(key(-0.0)), KeyRange.point(key(0.0)))
      else Seq(KeyRange.point(key(v)))
    }

    override def below(value: Any, orEqual: Boolean): Option[Seq[KeyRange]] =
      double(value).flatMap { v =>
        val numbers =
          KeyRange(Some(negativeInfinity), includesLow = true, None, includesHigh = false)
        if (v.isNaN && orEqual) Some(Seq(KeyRange.all))
        else if (v.isNaN)
          Some(Seq(numbers.copy(high = Some(positiveInfinity), includesHigh = true)))
        else
          super.below(value, orEqual).map(_.map { r =>
            r.copy(low = numbers.low, includesLow = true)
          })
      }

    override def above(value: Any, orEqual: Boolean): Option[Seq[KeyRange]] =
      double(value).flatMap { v =>
        if (v.isNaN) Some(if (orEqual) allNaN else Nil)
        else super.above(value, orEqual).map(_ :+ negativeNaN)
      }
  }

  private object Floats extends Floating {
    protected def double(value: Any): Option[Double] = value match {
      case f: Float => Some(f.toDouble)
      case _ => None
    }
    protected def key(value: Double): Key =
      KeyType.floating(java.lang.Float.floatToRawIntBits(value.toFloat).toLong)
  }

  private object Doubles extends Floating {
    protected def double(value: Any): Option[Double] = value match {
      case d: Double => Some(d)
      case _ => None
    }
    protected def key(value: Double): Key =
      KeyType.floating(java.lang.Double.doubleToRawLongBits(value))
  }

  /** Timestamps of any unit. In Spark they are rounded down to microseconds. */
  final private class Microseconds(unit: LogicalType.TimeUnit) extends IndexedValues {
    private val microsPerSecond = 1000000L

    private def stored(value: Any)(finer: (Long, Long) => Long, coarser: (Long, Long) => Long) =
      value match {
        case micros: Long =>
          try
            Some(NumberKey(
              if (unit.perSecond > microsPerSecond) finer(micros, unit.perSecond / microsPerSecond)
              else coarser(micros, microsPerSecond / unit.perSecond)
            ))
          catch { case _: ArithmeticException => None }
        case _ => None
      }

    protected def first(value: Any): Option[Key] =
      stored(value)(
        Math.multiplyExact(_, _),
        (v, n) => Math.floorDiv(v, n) + (if (Math.floorMod(v, n) == 0) 0 else 1)
      )

    protected def last(value: Any): Option[Key] =
      stored(value)(
        (v, n) => Math.addExact(Math.multiplyExact(v, n), n - 1),
        (v, n) => Math.floorDiv(v, n)
      )
  }

  /** @param numBytes size of a stored value
    * @param scale scale of the column
    */
  final private class Decimals(numBytes: Int, scale: Int) extends Plain {
    protected def key(value: Any): Option[Key] = value match {
      case d: Decimal if d.scale <= scale =>
        KeyType.decimal(d.toJavaBigDecimal.setScale(scale).unscaledValue, numBytes)
      case _ => None
    }
  }

  private object Texts extends Plain {
    protected def key(value: Any): Option[Key] = value match {
      case s: UTF8String => Some(new BytesKey(s.getBytes))
      case _ => None
    }
  }

  private object Binaries extends Plain {
    protected def key(value: Any): Option[Key] = value match {
      case b: Array[Byte] => Some(new BytesKey(b))
      case _ => None
    }
  }
}
