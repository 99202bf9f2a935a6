// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.schema

import java.math.{BigDecimal => JBigDecimal, BigInteger, RoundingMode}

import io.github.pysparklance.core._

/** Converts plain values of one type to another. Hot code: imperative. Values of nulls are
  * undefined.
  */
sealed abstract private[table] class LeafCast {

  /** Converts all values.
    *
    * @param validity null if all values are valid
    * @throws InvalidRequestException if a valid value does not fit
    */
  def apply(values: Values, validity: Validity): Values
}

private[table] object LeafCast {
  import LogicalType._

  /** Returns the cast between two types that `TypeChange` allows. */
  def apply(from: LogicalType, to: LogicalType): LeafCast = (from, to) match {
    case (Dictionary(value, _, _), _) => apply(value, to)
    case _ if from == to => Same
    case (a: Integer, b: Integer) => new IntegerToInteger(a, b)
    case (a: Integer, Float | Double) => new IntegerToReal(a, to == Double)
    case (a: Integer, b: Decimal) => new ToDecimal(new Integers(a), 0, from, b)
    case (a: Decimal, b: Decimal) => new ToDecimal(new Decimals(a), a.scale, from, b)
    case (Float, Double) => FloatToDouble
    case (Double, Float) => DoubleToFloat
    case (_: Utf8, _: Utf8) | (_: Binary, _: Binary) => Same
    case (FixedSizeBinary(n), _: Binary) => new BytesToBinary(n)
    case (Date32, Timestamp(unit, _)) => new DaysToTime(86400L * unit.perSecond, from, to)
    case (Date32, Date64) => new DaysToTime(86400L * 1000L, from, to)
    case (Timestamp(a, _), Timestamp(b, _)) => new TimeToTime(a, b, from, to)
    case (Duration(a), Duration(b)) => new TimeToTime(a, b, from, to)
    case _ =>
      throw new UnsupportedFeatureException(s"converting ${text(from)} to ${text(to)}")
  }

  private def isValid(validity: Validity, i: Int): Boolean = validity == null || validity.isValid(i)

  private def doesNotFit(value: Any, from: LogicalType, to: LogicalType): Nothing =
    throw new InvalidRequestException(
      s"the value $value of a ${text(from)} does not fit a ${text(to)}; nothing was changed"
    )

  private object Same extends LeafCast {
    def apply(values: Values, validity: Validity): Values = values
  }

  /** Returns the integer at an index, sign-extended or zero-extended. */
  private def integer(values: Values, signed: Boolean, i: Int): Long = values match {
    case v: LongValues => v.array(i)
    case v: IntValues => if (signed) v.array(i).toLong else v.array(i) & 0xffffffffL
    case v: ShortValues => if (signed) v.array(i).toLong else v.array(i) & 0xffffL
    case v: ByteValues => if (signed) v.array(i).toLong else v.array(i) & 0xffL
    case other => throw new InvalidRequestException(s"integers as ${other.getClass.getSimpleName}")
  }

  final private class IntegerToInteger(from: Integer, to: Integer) extends LeafCast {
    private val isBig = !from.signed && from.bits == 64
    private val min = if (to.signed) -1L << (to.bits - 1) else 0L
    // every non-negative long fits an unsigned 64-bit target
    private val max =
      if (to.bits == 64) Long.MaxValue
      else if (to.signed) (1L << (to.bits - 1)) - 1
      else (1L << to.bits) - 1
    private val takesBig = !to.signed && to.bits == 64

    def apply(values: Values, validity: Validity): Values = {
      val n = values.numItems
      val out = Values.allocate(FixedWidth(to.bits))
      out.reserve(n)
      var i = 0
      while (i < n) {
        val v = integer(values, from.signed, i)
        val fits = if (isBig && v < 0) takesBig else v >= min && v <= max
        if (!fits && isValid(validity, i))
          doesNotFit(if (isBig) java.lang.Long.toUnsignedString(v) else v, from, to)
        append(out, v)
        i += 1
      }
      out
    }

    private def append(out: Values, v: Long): Unit = out match {
      case o: LongValues => o.append(v)
      case o: IntValues => o.append(v.toInt)
      case o: ShortValues => o.append(v.toShort)
      case o: ByteValues => o.append(v.toByte)
      case other =>
        throw new InvalidRequestException(s"integers as ${other.getClass.getSimpleName}")
    }
  }

  final private class IntegerToReal(from: Integer, isDouble: Boolean) extends LeafCast {
    def apply(values: Values, validity: Validity): Values = {
      val n = values.numItems
      val doubles = new LongValues
      val floats = new IntValues
      var i = 0
      while (i < n) {
        val v = integer(values, from.signed, i)
        if (isDouble) doubles.append(java.lang.Double.doubleToRawLongBits(v.toDouble))
        else floats.append(java.lang.Float.floatToRawIntBits(v.toFloat))
        i += 1
      }
      if (isDouble) doubles else floats
    }
  }

  private object FloatToDouble extends LeafCast {
    def apply(values: Values, validity: Validity): Values = {
      val in = values.asInstanceOf[IntValues]
      val out = new LongValues
      val at = out.extend(in.numItems)
      var i = 0
      while (i < in.numItems) {
        val f = java.lang.Float.intBitsToFloat(in.array(i))
        out.array(at + i) = java.lang.Double.doubleToRawLongBits(f.toDouble)
        i += 1
      }
      out
    }
  }

  /** Rounds to the nearest float. Values out of range become infinite. */
  private object DoubleToFloat extends LeafCast {
    def apply(values: Values, validity: Validity): Values = {
      val in = values.asInstanceOf[LongValues]
      val out = new IntValues
      val at = out.extend(in.numItems)
      var i = 0
      while (i < in.numItems) {
        val d = java.lang.Double.longBitsToDouble(in.array(i))
        out.array(at + i) = java.lang.Float.floatToRawIntBits(d.toFloat)
        i += 1
      }
      out
    }
  }

  /** Reads integers of any size. */
  sealed abstract private class WholeNumbers {
    def apply(values: Values, i: Int): BigInteger
  }

  final private class Integers(t: Integer) extends WholeNumbers {
    private val unsigned = !t.signed && t.bits == 64

    def apply(values: Values, i: Int): BigInteger = {
      val v = integer(values, t.signed, i)
      if (unsigned && v < 0) BigInteger.valueOf(v).add(BigInteger.ONE.shiftLeft(64))
      else BigInteger.valueOf(v)
    }
  }

  final private class Decimals(t: Decimal) extends WholeNumbers {
    private val width = t.bits / 8

    def apply(values: Values, i: Int): BigInteger = {
      val in = values.asInstanceOf[WideValues].bytes
      val big = new Array[Byte](width)
      var k = 0
      while (k < width) {
        big(width - 1 - k) = in(i * width + k)
        k += 1
      }
      new BigInteger(big)
    }
  }

  final private class ToDecimal(numbers: WholeNumbers, scale: Int, from: LogicalType, to: Decimal)
      extends LeafCast {
    private val width = to.bits / 8

    def apply(values: Values, validity: Validity): Values = {
      val n = values.numItems
      val out = new WideValues(width)
      var i = 0
      while (i < n) {
        if (isValid(validity, i)) append(out, rescaled(numbers(values, i)))
        else out.appendFiller(1)
        i += 1
      }
      out
    }

    private def rescaled(unscaled: BigInteger): BigInteger = {
      val value = new JBigDecimal(unscaled, scale)
      val fitted =
        try value.setScale(to.scale, RoundingMode.UNNECESSARY)
        catch { case _: ArithmeticException => doesNotFit(value.toPlainString, from, to) }
      if (fitted.precision > to.precision) doesNotFit(value.toPlainString, from, to)
      fitted.unscaledValue
    }

    private def append(out: WideValues, v: BigInteger): Unit = {
      val big = v.toByteArray
      val at = out.extend(1)
      val sign: Byte = if (v.signum < 0) -1 else 0
      var k = 0
      while (k < width) {
        out.bytes(at + k) = if (k < big.length) big(big.length - 1 - k) else sign
        k += 1
      }
    }
  }

  final private class BytesToBinary(numBytes: Int) extends LeafCast {
    def apply(values: Values, validity: Validity): Values = {
      val out = new BinaryValues
      val one = new Array[Byte](numBytes)
      var i = 0
      while (i < values.numItems) {
        values match {
          case w: WideValues => out.append(w.bytes, i * numBytes, numBytes)
          case other =>
            val v = integer(other, signed = false, i)
            var k = 0
            while (k < numBytes) {
              one(k) = (v >>> (8 * k)).toByte
              k += 1
            }
            out.append(one, 0, numBytes)
        }
        i += 1
      }
      out
    }
  }

  final private class DaysToTime(perDay: Long, from: LogicalType, to: LogicalType)
      extends LeafCast {
    def apply(values: Values, validity: Validity): Values = {
      val in = values.asInstanceOf[IntValues]
      val out = new LongValues
      var i = 0
      while (i < in.numItems) {
        val days = in.array(i).toLong
        val fits = Math.multiplyHigh(days, perDay) == (days * perDay) >> 63
        if (!fits && isValid(validity, i)) doesNotFit(s"day $days", from, to)
        out.append(days * perDay)
        i += 1
      }
      out
    }
  }

  /** Converts between time units. Values must be representable exactly. */
  final private class TimeToTime(a: TimeUnit, b: TimeUnit, from: LogicalType, to: LogicalType)
      extends LeafCast {
    private val factor = math.max(1L, b.perSecond / a.perSecond)
    private val divisor = math.max(1L, a.perSecond / b.perSecond)

    def apply(values: Values, validity: Validity): Values = {
      val in = values.asInstanceOf[LongValues]
      val out = new LongValues
      var i = 0
      while (i < in.numItems) {
        val v = in.array(i)
        val fits = v % divisor == 0 && Math.multiplyHigh(v, factor) == (v * factor) >> 63
        if (!fits && isValid(validity, i)) doesNotFit(v, from, to)
        out.append(v * factor / divisor)
        i += 1
      }
      out
    }
  }
}
