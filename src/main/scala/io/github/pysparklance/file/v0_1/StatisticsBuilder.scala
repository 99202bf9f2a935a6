// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.v0_1

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.{ByteBuffer, CharBuffer}
import java.util.Arrays

import io.github.pysparklance.core._

/** Computes the minimum and maximum of one field in every batch, as stored in
  * [[StatisticsMetadata]].
  *
  * {{{
  *   integers, dates, decimals  the values; unsigned comparison of unsigned integers
  *   floats                     without NaN; a zero is stored as min -0.0 and max 0.0; only NaN: -inf, inf
  *   booleans                   min: no false seen; max: a true seen
  *   strings, binaries          the first 64 bytes, of strings up to the end of a character; null without values
  * }}}
  * If any value of the batch is longer than 64 bytes, the maximum is rounded up, because a prefix
  * is less than the value.
  *
  * Source: format page of the legacy format, "Page statistics". Hot code: imperative.
  */
final private[v0_1] class StatisticsBuilder(val field: Field) {
  private val valueType = field.valueType

  /** One slot per batch. */
  val nullCounts = new LongValues
  val min: Values = Values.allocate(valueType)
  val max: Values = Values.allocate(valueType)

  /** Adds the bounds of a non-empty batch. Only byte strings may contain nulls, which have no
    * bytes.
    */
  def add(values: Values): Unit = {
    var nulls = 0L
    (values, min, max) match {
      case (v: ByteValues, lo: ByteValues, hi: ByteValues) =>
        val flip = if (isUnsigned) 0x80 else 0
        var least = 127
        var most = -128
        var i = 0
        while (i < v.numItems) {
          val x = (v.array(i) ^ flip).toByte.toInt
          if (x < least) least = x
          if (x > most) most = x
          i += 1
        }
        lo.append((least ^ flip).toByte)
        hi.append((most ^ flip).toByte)
      case (v: ShortValues, lo: ShortValues, hi: ShortValues) =>
        val flip = if (isUnsigned) 0x8000 else 0
        var least = Short.MaxValue.toInt
        var most = Short.MinValue.toInt
        var i = 0
        while (i < v.numItems) {
          val x = (v.array(i) ^ flip).toShort.toInt
          if (x < least) least = x
          if (x > most) most = x
          i += 1
        }
        lo.append((least ^ flip).toShort)
        hi.append((most ^ flip).toShort)
      case (v: IntValues, lo: IntValues, hi: IntValues) =>
        if (field.logicalType == LogicalType.Float) addFloats(v, lo, hi) else addInts(v, lo, hi)
      case (v: LongValues, lo: LongValues, hi: LongValues) =>
        if (field.logicalType == LogicalType.Double) addDoubles(v, lo, hi) else addLongs(v, lo, hi)
      case (v: WideValues, _, _) => addDecimals(v)
      case (v: BinaryValues, lo: BinaryValues, hi: BinaryValues) => nulls = addBytes(v, lo, hi)
      case _ => throw new IllegalStateException(s"bounds of ${field.logicalType}")
    }
    nullCounts.append(nulls)
  }

  private def isUnsigned: Boolean = field.logicalType match {
    case LogicalType.Integer(_, signed) => !signed
    case _ => false
  }

  private def addInts(v: IntValues, lo: IntValues, hi: IntValues): Unit = {
    val flip = if (isUnsigned) Int.MinValue else 0
    var least = Int.MaxValue
    var most = Int.MinValue
    var i = 0
    while (i < v.numItems) {
      val x = v.array(i) ^ flip
      if (x < least) least = x
      if (x > most) most = x
      i += 1
    }
    lo.append(least ^ flip)
    hi.append(most ^ flip)
  }

  private def addLongs(v: LongValues, lo: LongValues, hi: LongValues): Unit = {
    val flip = if (isUnsigned) Long.MinValue else 0L
    var least = Long.MaxValue
    var most = Long.MinValue
    var i = 0
    while (i < v.numItems) {
      val x = v.array(i) ^ flip
      if (x < least) least = x
      if (x > most) most = x
      i += 1
    }
    lo.append(least ^ flip)
    hi.append(most ^ flip)
  }

  private def addFloats(v: IntValues, lo: IntValues, hi: IntValues): Unit = {
    import java.lang.Float.{floatToRawIntBits, intBitsToFloat}
    var least = Float.PositiveInfinity
    var most = Float.NegativeInfinity
    var i = 0
    while (i < v.numItems) {
      val x = intBitsToFloat(v.array(i))
      if (x < least) least = x
      if (x > most) most = x
      i += 1
    }
    if (least > most) { least = Float.NegativeInfinity; most = Float.PositiveInfinity }
    lo.append(floatToRawIntBits(if (least == 0f) -0f else least))
    hi.append(floatToRawIntBits(if (most == 0f) 0f else most))
  }

  private def addDoubles(v: LongValues, lo: LongValues, hi: LongValues): Unit = {
    import java.lang.Double.{doubleToRawLongBits, longBitsToDouble}
    var least = Double.PositiveInfinity
    var most = Double.NegativeInfinity
    var i = 0
    while (i < v.numItems) {
      val x = longBitsToDouble(v.array(i))
      if (x < least) least = x
      if (x > most) most = x
      i += 1
    }
    if (least > most) { least = Double.NegativeInfinity; most = Double.PositiveInfinity }
    lo.append(doubleToRawLongBits(if (least == 0d) -0d else least))
    hi.append(doubleToRawLongBits(if (most == 0d) 0d else most))
  }

  private def addDecimals(v: WideValues): Unit = {
    def isLess(a: Int, b: Int): Boolean = {
      val high = Buffer.longAt(v.bytes, a * 16 + 8)
      val other = Buffer.longAt(v.bytes, b * 16 + 8)
      if (high != other) high < other
      else
        java.lang.Long.compareUnsigned(
          Buffer.longAt(v.bytes, a * 16),
          Buffer.longAt(v.bytes, b * 16)
        ) < 0
    }
    var least = 0
    var most = 0
    var i = 1
    while (i < v.numItems) {
      if (isLess(i, least)) least = i
      if (isLess(most, i)) most = i
      i += 1
    }
    min.appendFrom(v, least, 1)
    max.appendFrom(v, most, 1)
  }

  private def addBytes(v: BinaryValues, lo: BinaryValues, hi: BinaryValues): Long = {
    import StatisticsBuilder._
    val isText = field.logicalType.isInstanceOf[LogicalType.Utf8]
    val bytes = v.bytes
    var nulls = 0L
    var cut = false
    var least, most = -1
    var leastEnd, mostEnd = 0
    var i = 0
    while (i < v.numItems) {
      val from = v.offsets(i)
      var end = v.offsets(i + 1)
      if (from == end && field.nullable) nulls += 1
      else {
        if (end - from > prefixBytes) {
          end = from + prefixBytes
          if (isText) while (end > from && (bytes(end) & 0xc0) == 0x80) end -= 1
          cut = true
        }
        if (least < 0 || Arrays.compareUnsigned(bytes, from, end, bytes, least, leastEnd) < 0) {
          least = from
          leastEnd = end
        }
        if (most < 0 || Arrays.compareUnsigned(bytes, from, end, bytes, most, mostEnd) > 0) {
          most = from
          mostEnd = end
        }
      }
      i += 1
    }
    if (least < 0) lo.appendFiller(1) else lo.append(bytes, least, leastEnd - least)
    if (most < 0) hi.appendFiller(1)
    else if (!cut) hi.append(bytes, most, mostEnd - most)
    else {
      val prefix = Arrays.copyOfRange(bytes, most, mostEnd)
      (if (isText) raisedText(prefix) else raised(prefix)) match {
        case Some(bound) => hi.append(bound, 0, bound.length)
        case None => hi.appendFiller(1)
      }
    }
    nulls
  }
}

private[v0_1] object StatisticsBuilder {

  /** Maximum number of bytes of a value in the statistics. */
  val prefixBytes: Int = 64

  /** Whether fields of this type have statistics. */
  def isSupported(logicalType: LogicalType): Boolean = {
    import LogicalType._
    logicalType match {
      case Bool | Integer(_, _) | Float | Double | Date32 | Date64 => true
      case Utf8(_) | Binary(_) | Decimal(128, _, _) => true
      case _ => false
    }
  }

  /** Returns the smallest byte string above all strings with this prefix; none if all its bytes are
    * 0xff.
    */
  def raised(prefix: Array[Byte]): Option[Array[Byte]] = {
    val out = prefix.clone()
    var i = out.length - 1
    while (i >= 0) {
      out(i) = (out(i) + 1).toByte
      if (out(i) != 0) return Some(out)
      i -= 1
    }
    None
  }

  /** Returns the text with its last possible byte raised so that it stays valid UTF-8; none if that
    * is impossible.
    */
  def raisedText(prefix: Array[Byte]): Option[Array[Byte]] = {
    val out = prefix.clone()
    var i = out.length - 1
    while (i >= 0) {
      val original = out(i)
      var byte = (original & 0xff) + 1
      while (byte <= 0xff) {
        out(i) = byte.toByte
        if (isUtf8(out)) return Some(out)
        byte += 1
      }
      out(i) = original
      i -= 1
    }
    None
  }

  private def isUtf8(bytes: Array[Byte]): Boolean =
    UTF_8.newDecoder().decode(
      ByteBuffer.wrap(bytes),
      CharBuffer.allocate(bytes.length),
      true
    ).isUnderflow
}
