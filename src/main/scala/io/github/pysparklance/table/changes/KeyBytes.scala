// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.changes

import java.io.ByteArrayOutputStream
import java.nio.ByteBuffer

import io.github.pysparklance.core._

/** Writes the values of one column of a key as bytes: equal bytes for equal values, and for no
  * others.
  *
  * {{{
  *   null      0
  *   value     1 | length, 4 bytes | bytes
  * }}}
  */
final private[changes] class KeyBytes private (leafType: LogicalType) {
  import LogicalType._

  /** Writes the value of a row.
    *
    * @param column plain values, in the structs around the leaf
    */
  def write(column: Column, row: Int, out: KeyBytes.Output): Unit =
    if (column.isNull(row)) out.writeNull()
    else
      column match {
        case StructColumn(_, children, _) => write(children.head, row, out)
        case LeafColumn(values, _) => value(values, row, out)
        case _: NullColumn => out.writeNull()
        case other =>
          throw new IllegalStateException(s"a key in a ${other.getClass.getSimpleName}")
      }

  private def value(values: Values, row: Int, out: KeyBytes.Output): Unit = values match {
    case v: ByteValues => out.write(1, v.array(row).toLong)
    case v: ShortValues => out.write(2, number(v.array(row)))
    case v: IntValues => out.write(4, number(v.array(row)))
    case v: LongValues => out.write(8, number(v.array(row)))
    case v: WideValues => out.write(v.bytes, row * v.bytesPerValue, v.bytesPerValue)
    case v: BinaryValues => out.write(v.bytes, v.offsets(row), v.offsets(row + 1) - v.offsets(row))
    case other => throw new IllegalStateException(s"a key in ${other.getClass.getSimpleName}")
  }

  private def number(bits: Short): Long =
    if (leafType != HalfFloat) bits.toLong
    else if ((bits & 0x7fff) == 0) 0L
    else if ((bits & 0x7fff) > 0x7c00) 0x7e00L
    else bits.toLong

  private def number(bits: Int): Long =
    if (leafType != Float) bits.toLong
    else {
      val f = java.lang.Float.intBitsToFloat(bits)
      if (f == 0.0f) 0L else java.lang.Float.floatToIntBits(f).toLong
    }

  private def number(bits: Long): Long =
    if (leafType != Double) bits
    else {
      val d = java.lang.Double.longBitsToDouble(bits)
      if (d == 0.0) 0L else java.lang.Double.doubleToLongBits(d)
    }
}

private[changes] object KeyBytes {
  import LogicalType._

  /** @param column cut down to one leaf
    * @throws InvalidRequestException if values of its type do not identify rows
    */
  def apply(column: Field): KeyBytes = {
    var field = column
    while (!field.isLeaf && field.logicalType == Struct) field = field.children.head
    if (!field.isLeaf || field.isBlob || !isKey(field.logicalType))
      throw new InvalidRequestException(
        s"values of type ${LogicalType.text(field.logicalType)} do not identify rows: name columns of numbers, " +
          "strings, bytes, or times",
        Place(column = Some(column.name))
      )
    new KeyBytes(field.logicalType)
  }

  private def isKey(t: LogicalType): Boolean = t match {
    case Dictionary(value, _, _) => isKey(value)
    case Bool | HalfFloat | Float | Double | Date32 | Date64 => true
    case _: Integer | _: Utf8 | _: Binary | _: FixedSizeBinary | _: Decimal => true
    case _: Timestamp | _: Time | _: Duration => true
    case _ => false
  }

  /** Gathers the bytes of a key. */
  final class Output {
    private val bytes = new ByteArrayOutputStream(16)

    def writeNull(): Unit = bytes.write(0)

    def write(length: Int, number: Long): Unit = {
      bytes.write(1)
      (0 until length).foreach(i => bytes.write((number >>> (8 * i)).toInt))
    }

    def write(from: Array[Byte], at: Int, length: Int): Unit = {
      write(4, length.toLong)
      bytes.write(from, at, length)
    }

    def result(): ByteBuffer = ByteBuffer.wrap(bytes.toByteArray)
  }
}
