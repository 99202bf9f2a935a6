// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

// Hot code: strings are views of the decoded bytes.
package io.github.pysparklance.spark.vectors

import java.math.BigInteger

import org.apache.spark.sql.types.{BinaryType, DataType, Decimal, StringType}
import org.apache.spark.unsafe.types.UTF8String

import io.github.pysparklance.core.{BinaryValues, Buffer, Validity}
import io.github.pysparklance.encoding.value.Jsonb

/** Strings and binaries: value i is `bytes[offsets(i), offsets(i + 1))`. */
final private[vectors] class VariableVector(
    dataType: DataType,
    bytes: Array[Byte],
    offsets: Array[Int],
    numRows: Int,
    validity: Validity
) extends LanceVector(dataType, numRows, validity) {
  override def getUTF8String(row: Int): UTF8String = {
    val from = offsets(row)
    UTF8String.fromBytes(bytes, from, offsets(row + 1) - from)
  }

  override def getBinary(row: Int): Array[Byte] =
    java.util.Arrays.copyOfRange(bytes, offsets(row), offsets(row + 1))
}

/** The strings of a dictionary. Each string is created on first access, and reused for other rows.
  *
  * @param values values that do not change
  */
final private[spark] class DictionaryStrings(val values: BinaryValues) {
  private[this] val made = new Array[UTF8String](values.numItems)

  def apply(item: Int): UTF8String = {
    val known = made(item)
    if (known != null) known else make(item)
  }

  private def make(item: Int): UTF8String = {
    val from = values.offsets(item)
    val string = UTF8String.fromBytes(values.bytes, from, values.offsets(item + 1) - from)
    made(item) = string
    string
  }
}

/** Row i is string `positions(i)` of a dictionary. */
final private[spark] class DictionaryStringVector(
    val strings: DictionaryStrings,
    val positions: Array[Int],
    numRows: Int,
    validity: Validity
) extends LanceVector(StringType, numRows, validity) {
  override def getUTF8String(row: Int): UTF8String = strings(positions(row))

  override protected def selectValid(rows: Array[Int], n: Int): LanceVector =
    new DictionaryStringVector(strings, LanceVector.selected(positions, rows, n), n, null)
}

/** JSON in binary format, converted to text on access. */
final private[vectors] class JsonVector(
    bytes: Array[Byte],
    offsets: Array[Int],
    numRows: Int,
    validity: Validity
) extends LanceVector(StringType, numRows, validity) {
  override def getUTF8String(row: Int): UTF8String =
    UTF8String.fromBytes(Jsonb.text(bytes, offsets(row), offsets(row + 1)))
}

/** Concatenated binaries of equal length. */
final private[vectors] class FixedSizeBinaryVector(
    bytes: Array[Byte],
    bytesPerValue: Int,
    numRows: Int,
    validity: Validity
) extends LanceVector(BinaryType, numRows, validity) {
  override def getBinary(row: Int): Array[Byte] = {
    val from = row * bytesPerValue
    java.util.Arrays.copyOfRange(bytes, from, from + bytesPerValue)
  }
}

/** Binaries of 1, 2, 4, or 8 bytes, which are decoded as little-endian integers. */
final private[vectors] class PackedBinaryVector(
    integers: LanceVector,
    bytesPerValue: Int,
    numRows: Int,
    validity: Validity
) extends LanceVector(BinaryType, numRows, validity) {
  override def getBinary(row: Int): Array[Byte] = {
    var rest = bytesPerValue match {
      case 1 => integers.getByte(row).toLong
      case 2 => integers.getShort(row).toLong
      case 4 => integers.getInt(row).toLong
      case _ => integers.getLong(row)
    }
    val out = new Array[Byte](bytesPerValue)
    var i = 0
    while (i < bytesPerValue) {
      out(i) = rest.toByte
      rest >>>= 8
      i += 1
    }
    out
  }
}

/** Decimals with up to 18 digits: the low 64 bits of each little-endian value are sufficient. */
final private[vectors] class CompactDecimalVector(
    dataType: DataType,
    bytes: Array[Byte],
    bytesPerValue: Int,
    numRows: Int,
    validity: Validity
) extends LanceVector(dataType, numRows, validity) {
  override protected def decimalAt(row: Int, precision: Int, scale: Int): Decimal =
    Decimal.createUnsafe(Buffer.longAt(bytes, row * bytesPerValue), precision, scale)

  override protected def selectValid(rows: Array[Int], n: Int): LanceVector = {
    val out = new Array[Byte](n * 8)
    var i = 0
    while (i < n) {
      Buffer.putLong(out, i * 8, Buffer.longAt(bytes, rows(i) * bytesPerValue))
      i += 1
    }
    new CompactDecimalVector(dataType, out, 8, n, null)
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
      if (Buffer.longAt(bytes, row * bytesPerValue) + shift <= last) {
        found(n) = row
        n += 1
      }
      i += 1
    }
    withoutNulls(found, n)
  }
}

/** Decimals of up to 38 digits: the low 128 bits of each little-endian value. */
final private[vectors] class WideDecimalVector(
    dataType: DataType,
    bytes: Array[Byte],
    bytesPerValue: Int,
    numRows: Int,
    validity: Validity
) extends LanceVector(dataType, numRows, validity) {
  override protected def decimalAt(row: Int, precision: Int, scale: Int): Decimal = {
    val at = row * bytesPerValue
    val low = Buffer.longAt(bytes, at)
    val high = Buffer.longAt(bytes, at + 8)
    val unscaled =
      if (high == (low >> 63)) BigInteger.valueOf(low)
      else {
        val bigEndian = new Array[Byte](16)
        var i = 0
        while (i < 8) {
          bigEndian(i) = (high >>> (56 - 8 * i)).toByte
          bigEndian(8 + i) = (low >>> (56 - 8 * i)).toByte
          i += 1
        }
        new BigInteger(bigEndian)
      }
    Decimal(new java.math.BigDecimal(unscaled, scale), precision, scale)
  }
}
