// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.rowid

import com.google.protobuf.ByteString

import io.github.pysparklance.core.{Buffer, CorruptFileException}
import io.github.pysparklance.table.proto

/** Unsigned integers as a base and narrow offsets. In memory they have the same form as in the
  * message.
  *
  * {{{
  *   u16_array  base 1000   offsets  05 00 | 07 00 | ff 00      1005, 1007, 1255
  *   u64_array              values   eight bytes each           base is 0
  * }}}
  * Little endian. The writer uses the narrowest width; the base is the smallest value. Hot code:
  * imperative.
  *
  * Source: message `EncodedU64Array`, rowids.proto.
  *
  * @param bytesPerValue 2, 4, or 8
  */
final private[rowid] class EncodedU64Array private (
    base: Long,
    bytesPerValue: Int,
    offsets: Array[Byte]
) {

  /** Number of values. */
  val numValues: Int = offsets.length / bytesPerValue

  /** Returns the value at an index, unsigned. */
  def apply(i: Int): Long = bytesPerValue match {
    case 2 => base + (Buffer.shortAt(offsets, i * 2) & 0xffffL)
    case 4 => base + (Buffer.intAt(offsets, i * 4) & 0xffffffffL)
    case _ => base + Buffer.longAt(offsets, i * 8)
  }

  /** Writes `numWanted` values from index `from` into `out` at `at`. */
  def fill(from: Int, out: Array[Long], at: Int, numWanted: Int): Unit = {
    var i = 0
    bytesPerValue match {
      case 2 =>
        while (i < numWanted) {
          out(at + i) = base + (Buffer.shortAt(offsets, (from + i) * 2) & 0xffffL)
          i += 1
        }
      case 4 =>
        while (i < numWanted) {
          out(at + i) = base + (Buffer.intAt(offsets, (from + i) * 4) & 0xffffffffL)
          i += 1
        }
      case _ =>
        while (i < numWanted) {
          out(at + i) = base + Buffer.longAt(offsets, (from + i) * 8)
          i += 1
        }
    }
  }

  /** Whether each value exceeds the one before. */
  def isStrictlyAscending: Boolean = {
    var i = 1
    while (i < numValues && java.lang.Long.compareUnsigned(apply(i - 1), apply(i)) < 0) i += 1
    i >= numValues
  }

  /** Returns the number of values in an ascending array that are below `value`. */
  def numBelow(value: Long): Int = {
    var low = 0
    var high = numValues
    while (low < high) {
      val middle = (low + high) >>> 1
      if (java.lang.Long.compareUnsigned(apply(middle), value) < 0) low = middle + 1
      else high = middle
    }
    low
  }

  def toMessage: proto.EncodedU64Array = {
    val b = proto.EncodedU64Array.newBuilder()
    val bytes = ByteString.copyFrom(offsets)
    bytesPerValue match {
      case 2 =>
        b.setU16Array(
          proto.EncodedU64Array.U16Array.newBuilder().setBase(base).setOffsets(bytes)
        )
      case 4 =>
        b.setU32Array(
          proto.EncodedU64Array.U32Array.newBuilder().setBase(base).setOffsets(bytes)
        )
      case _ => b.setU64Array(proto.EncodedU64Array.U64Array.newBuilder().setValues(bytes))
    }
    b.build()
  }
}

private[rowid] object EncodedU64Array {

  /** @throws CorruptFileException unless the bytes are a whole number of values */
  def decode(m: proto.EncodedU64Array): EncodedU64Array = {
    import proto.EncodedU64Array.ArrayCase._
    m.getArrayCase match {
      case U16_ARRAY => decode(m.getU16Array.getBase, 2, m.getU16Array.getOffsets)
      case U32_ARRAY => decode(m.getU32Array.getBase, 4, m.getU32Array.getOffsets)
      case U64_ARRAY => decode(0L, 8, m.getU64Array.getValues)
      case ARRAY_NOT_SET =>
        throw new CorruptFileException("corrupt row ids: an EncodedU64Array without an array")
    }
  }

  private def decode(base: Long, bytesPerValue: Int, bytes: ByteString): EncodedU64Array = {
    CorruptFileException.check(
      bytes.size % bytesPerValue == 0,
      s"corrupt row ids: an EncodedU64Array with ${bytes.size} bytes for values of $bytesPerValue"
    )
    new EncodedU64Array(base, bytesPerValue, bytes.toByteArray)
  }

  /** Encodes `values`, unsigned and in any order, with the narrowest width. */
  def encode(values: Array[Long]): EncodedU64Array = {
    var min = if (values.isEmpty) 0L else values(0)
    var max = min
    var i = 1
    while (i < values.length) {
      if (java.lang.Long.compareUnsigned(values(i), min) < 0) min = values(i)
      if (java.lang.Long.compareUnsigned(values(i), max) > 0) max = values(i)
      i += 1
    }
    val span = max - min
    if (java.lang.Long.compareUnsigned(span, 0xffffL) <= 0) {
      val bytes = new Array[Byte](values.length * 2)
      i = 0
      while (i < values.length) {
        Buffer.putShort(bytes, i * 2, (values(i) - min).toShort)
        i += 1
      }
      new EncodedU64Array(min, 2, bytes)
    } else if (java.lang.Long.compareUnsigned(span, 0xffffffffL) <= 0) {
      val bytes = new Array[Byte](Math.multiplyExact(values.length, 4))
      i = 0
      while (i < values.length) {
        Buffer.putInt(bytes, i * 4, (values(i) - min).toInt)
        i += 1
      }
      new EncodedU64Array(min, 4, bytes)
    } else {
      val bytes = new Array[Byte](Math.multiplyExact(values.length, 8))
      i = 0
      while (i < values.length) {
        Buffer.putLong(bytes, i * 8, values(i))
        i += 1
      }
      new EncodedU64Array(0L, 8, bytes)
    }
  }
}
