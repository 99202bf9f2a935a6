// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.v0_1

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.value.RawValues

/** Contiguous fixed-width values. Source: `Encoding.PLAIN` of message `Field`, file.proto; format
  * page of the legacy format, "Plain encoding".
  *
  * {{{
  *   8 bits and more   | value 0 | value 1 | ...       bitsPerValue / 8 bytes each, little endian
  *   1 bit (boolean)   t f t t f f f t | t             8d 01: lowest bit first, the page starts on a byte
  *   fixed-size list   the items of all lists as one plain page; items of one bit do not start on a byte for each list
  * }}}
  * There is no validity: a null reads as the value stored in its place, usually zero. Also used for
  * offsets of lists, with 32 or 64 bits. Only in files of version 0.1. Hot code: imperative.
  */
object Plain {

  /** Returns the bits of one value on disk. For a fixed-size list, counts all its items.
    *
    * @throws UnsupportedFeatureException if a plain page cannot hold the type
    */
  def bitsPerValue(valueType: ValueType): Long = valueType match {
    case FixedWidth(bits) => bits.toLong
    case FixedSizeListType(dimension, items) =>
      val bits = bitsPerValue(items)
      if (bits > maxBitsPerValue / math.max(1, dimension))
        throw new UnsupportedFeatureException(s"fixed-size lists of $dimension times $bits bits")
      dimension * bits
    case other => throw new UnsupportedFeatureException(s"$other in a plain page of version 0.1")
  }

  /** Longer values do not fit an array. */
  private val maxBitsPerValue = Int.MaxValue * 8L

  /** Returns the bytes of a page of `numValues` values.
    *
    * @throws CorruptFileException if no file can be that long
    */
  def numBytes(bitsPerValue: Long, numValues: Long): Long = {
    CorruptFileException.check(
      numValues >= 0 && (bitsPerValue == 0 || numValues <= (Long.MaxValue - 7) / bitsPerValue),
      s"a page of $numValues values of $bitsPerValue bits"
    )
    (numValues * bitsPerValue + 7) >> 3
  }

  /** Returns the byte range of values `[from, until)`, relative to the page. */
  def byteRange(bitsPerValue: Long, from: Long, until: Long): ByteRange = {
    val first = (from * bitsPerValue) >> 3
    ByteRange(first, ((until * bitsPerValue + 7) >> 3) - first)
  }

  /** Appends values `[from, from + count)` of the page to `out`.
    *
    * @param bytes a part of the page with the `byteRange` of these values
    * @param firstByte position of `bytes` in the page
    * @throws CorruptFileException if `bytes` do not hold the values
    */
  def decode(
      bytes: Buffer,
      firstByte: Long,
      valueType: ValueType,
      from: Long,
      count: Int,
      out: Values
  ): Unit = (valueType, out) match {
    case (FixedSizeListType(dimension, items), lists: FixedSizeListValues) =>
      val numItems = count.toLong * dimension
      if (numItems > Int.MaxValue)
        throw new UnsupportedFeatureException(s"a batch of $numItems list items; read fewer rows")
      decode(bytes, firstByte, items, from * dimension, numItems.toInt, lists.items)
      lists.extend(count)
    case (FixedWidth(bits), _) =>
      val firstBit = from * bits - firstByte * 8
      val endBit = firstBit + count.toLong * bits
      CorruptFileException.check(
        firstBit >= 0 && endBit <= bytes.length * 8L,
        s"values at bits [$firstBit, $endBit) of ${bytes.length} bytes"
      )
      if (bits == 1) {
        val byte = (firstBit >> 3).toInt
        RawValues.append(bytes.array, bytes.offset + byte, 1, (firstBit & 7).toInt, count, out)
      } else
        RawValues.append(bytes.array, bytes.offset + (firstBit >> 3).toInt, bits, 0, count, out)
    case _ => throw new UnsupportedFeatureException(s"$valueType in a plain page of version 0.1")
  }

  /** Encodes a page of all `values`.
    *
    * @throws UnsupportedFeatureException if a plain page cannot hold the values, for example null
    *   items of fixed-size lists
    */
  def encode(valueType: ValueType, values: Values): Array[Byte] = (valueType, values) match {
    case (FixedSizeListType(_, items), lists: FixedSizeListValues) =>
      if (lists.itemValidity != null && lists.itemValidity.hasNulls)
        throw new UnsupportedFeatureException("null items of lists in a plain page of version 0.1")
      encode(items, lists.items)
    case (FixedWidth(bits), _) =>
      val length = numBytes(bits.toLong, values.numItems.toLong)
      if (length > Values.maxArrayLength)
        throw new UnsupportedFeatureException(s"a plain page of $length bytes")
      val bytes = new Array[Byte](length.toInt)
      RawValues.copy(values, bits, 0, values.numItems, bytes, 0)
      bytes
    case _ => throw new UnsupportedFeatureException(s"$valueType in a plain page of version 0.1")
  }
}
