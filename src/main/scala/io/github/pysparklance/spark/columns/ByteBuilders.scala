// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

// Hot code.
package io.github.pysparklance.spark.columns

import org.apache.spark.sql.catalyst.expressions.{SpecializedGetters, UnsafeRow}
import org.apache.spark.sql.types.Decimal
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.types.UTF8String

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.value.JsonbWriter

/** Appends strings. */
final private[columns] class StringBuilder(field: Field, out: BinaryValues = new BinaryValues)
    extends LeafBuilder(field, out) {
  protected def appendValue(from: SpecializedGetters, at: Int): Unit =
    StringBuilder.append(from.getUTF8String(at), out)
}

private object StringBuilder {
  def append(s: UTF8String, out: BinaryValues): Unit = {
    val n = s.numBytes()
    out.reserve(1)
    out.reserveBytes(n.toLong)
    val end = out.numBytes
    s.writeToMemory(out.bytes, Platform.BYTE_ARRAY_OFFSET.toLong + end)
    out.offsets(out.numItems + 1) = end + n
    out.extend(1)
  }
}

/** Appends binaries. */
final private[columns] class BinaryBuilder(field: Field, out: BinaryValues = new BinaryValues)
    extends LeafBuilder(field, out) {
  protected def appendValue(from: SpecializedGetters, at: Int): Unit = from match {
    // Reads the bytes in place. `getBinary` would copy them.
    case row: UnsafeRow => StringBuilder.append(row.getUTF8String(at), out)
    case _ =>
      val bytes = from.getBinary(at)
      out.append(bytes, 0, bytes.length)
  }
}

/** Appends binaries of a fixed size that no number has. */
final private[columns] class FixedSizeBinaryBuilder(field: Field, out: WideValues)
    extends LeafBuilder(field, out) {
  def this(field: Field, numBytes: Int) = this(field, new WideValues(numBytes))

  protected def appendValue(from: SpecializedGetters, at: Int): Unit = {
    val bytes = from.getBinary(at)
    if (bytes.length != out.bytesPerValue) outOfRange(s"of ${bytes.length} bytes")
    val first = out.extend(1)
    System.arraycopy(bytes, 0, out.bytes, first, bytes.length)
  }
}

/** Appends binaries with the size of a number. They are stored as numbers, with the first byte
  * lowest.
  */
abstract private[columns] class BinaryNumberBuilder(field: Field, numBytes: Int, out: Values)
    extends LeafBuilder(field, out) {
  final protected def appendValue(from: SpecializedGetters, at: Int): Unit = {
    val bytes = from.getBinary(at)
    if (bytes.length != numBytes) outOfRange(s"of ${bytes.length} bytes")
    appendNumber(bytes)
  }

  protected def appendNumber(bytes: Array[Byte]): Unit
}

/** Appends binaries of one byte. */
final private[columns] class BinaryByteBuilder(field: Field, out: ByteValues = new ByteValues)
    extends BinaryNumberBuilder(field, 1, out) {
  protected def appendNumber(bytes: Array[Byte]): Unit = out.append(bytes(0))
}

/** Appends binaries of two bytes. */
final private[columns] class BinaryShortBuilder(field: Field, out: ShortValues = new ShortValues)
    extends BinaryNumberBuilder(field, 2, out) {
  protected def appendNumber(bytes: Array[Byte]): Unit =
    out.append(Buffer.shortAt(bytes, 0).toShort)
}

/** Appends binaries of four bytes. */
final private[columns] class BinaryIntBuilder(field: Field, out: IntValues = new IntValues)
    extends BinaryNumberBuilder(field, 4, out) {
  protected def appendNumber(bytes: Array[Byte]): Unit = out.append(Buffer.intAt(bytes, 0))
}

/** Appends binaries of eight bytes. */
final private[columns] class BinaryLongBuilder(field: Field, out: LongValues = new LongValues)
    extends BinaryNumberBuilder(field, 8, out) {
  protected def appendNumber(bytes: Array[Byte]): Unit = out.append(Buffer.longAt(bytes, 0))
}

/** Appends JSON text in its binary format. */
final private[columns] class JsonBuilder(field: Field, out: BinaryValues = new BinaryValues)
    extends LeafBuilder(field, out) {
  protected def appendValue(from: SpecializedGetters, at: Int): Unit = {
    val bytes = Place.in(Place(column = Some(field.name))) {
      JsonbWriter.bytes(from.getUTF8String(at).toString)
    }
    out.append(bytes, 0, bytes.length)
  }
}

/** Appends unscaled decimals, little-endian in 16 or 32 bytes. */
final private[columns] class DecimalBuilder(
    field: Field,
    precision: Int,
    scale: Int,
    out: WideValues
) extends LeafBuilder(field, out) {
  private val compact = precision <= Decimal.MAX_LONG_DIGITS

  def this(field: Field, numBytes: Int, precision: Int, scale: Int) =
    this(field, precision, scale, new WideValues(numBytes))

  protected def appendValue(from: SpecializedGetters, at: Int): Unit =
    if (compact) from match {
      case row: UnsafeRow => appendLong(row.getLong(at)) // avoids the Decimal of getDecimal
      case _ => appendLong(from.getDecimal(at, precision, scale).toUnscaledLong)
    }
    else {
      val unscaled = from.getDecimal(at, precision, scale).toJavaBigDecimal.unscaledValue
      if (unscaled.bitLength < 64) appendLong(unscaled.longValue)
      else {
        val bigEndian = unscaled.toByteArray
        val first = out.extend(1)
        val bytes = out.bytes
        val n = bigEndian.length
        var i = 0
        while (i < n) {
          bytes(first + i) = bigEndian(n - 1 - i)
          i += 1
        }
        java.util.Arrays.fill(
          bytes,
          first + n,
          first + out.bytesPerValue,
          (if (unscaled.signum < 0) -1 else 0).toByte
        )
      }
    }

  private def appendLong(unscaled: Long): Unit = {
    val first = out.extend(1)
    Buffer.putLong(out.bytes, first, unscaled)
    var at = 8
    while (at < out.bytesPerValue) {
      Buffer.putLong(out.bytes, first + at, unscaled >> 63)
      at += 8
    }
  }
}
