// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.v0_1

import io.github.pysparklance.core._

/** Byte strings of any length. Source: `Encoding.VAR_BINARY` of message `Field`, file.proto; format
  * page of the legacy format, "Var-binary encoding".
  *
  * {{{
  *   bytes of all values    61 62              "ab", null; they begin at byte 8 of the file
  *   i64 x (n + 1)          8  10  10          position in the FILE of each value, and the end of the last;
  *                                    the page begins here
  * }}}
  * An empty value is null if the field is nullable. Offsets have 64 bits for string, binary, and
  * their large types. Only in files of version 0.1. Hot code: imperative.
  */
object VarBinary {

  /** Bytes of one offset. */
  val offsetBytes: Int = 8

  /** Reads and checks offsets.
    *
    * @param bytes contiguous offsets, one more than values
    * @param limit end position in the file that no value may exceed
    * @throws CorruptFileException if offsets decrease or exceed the limit
    */
  def offsets(bytes: Buffer, numValues: Int, limit: Long): Array[Long] = {
    val offsets = new Array[Long](numValues + 1)
    bytes.copyLongs(0, offsets, 0, numValues + 1)
    Offsets.check(offsets, limit, "of the file")
    offsets
  }

  /** Appends values `[from, from + count)` to `out`.
    *
    * @param offsets from [[offsets]]
    * @param data a part of the file with the bytes of these values
    * @param dataPosition position of `data` in the file
    * @param validity receives one item per value; null if the field is not nullable
    */
  def decode(
      offsets: Array[Long],
      from: Int,
      count: Int,
      data: Buffer,
      dataPosition: Long,
      out: BinaryValues,
      validity: Validity
  ): Unit = {
    val first = offsets(from)
    val numBytes = offsets(from + count) - first
    val start = first - dataPosition
    CorruptFileException.check(
      numBytes == 0 || (start >= 0 && numBytes <= data.length - start),
      s"$numBytes bytes of values at $start of ${data.length}"
    )
    out.reserve(count)
    out.reserveBytes(numBytes)
    val at = out.numItems
    val to = out.numBytes
    if (numBytes > 0)
      System.arraycopy(data.array, data.offset + start.toInt, out.bytes, to, numBytes.toInt)
    val ends = out.offsets
    var previous = first
    var shortest = Long.MaxValue
    var i = 1
    while (i <= count) {
      val end = offsets(from + i)
      shortest = math.min(shortest, end - previous)
      previous = end
      ends(at + i) = to + (end - first).toInt
      i += 1
    }
    out.extend(count)
    if (validity != null) {
      if (shortest > 0) validity.appendValid(count)
      else appendValidity(offsets, from, count, validity)
    }
  }

  private def appendValidity(
      offsets: Array[Long],
      from: Int,
      count: Int,
      validity: Validity
  ): Unit = {
    validity.reserve(count)
    var i = from
    val end = from + count
    while (i < end) {
      validity.append(offsets(i) < offsets(i + 1))
      i += 1
    }
  }

  /** Encodes the offsets of `values`, which form the page. The bytes of the values precede them at
    * `position` of the file. In a nullable field, nulls must be empty, and all other values
    * non-empty.
    */
  def encodeOffsets(values: BinaryValues, position: Long): Array[Byte] = {
    val n = values.numItems
    val bytes = new Array[Byte](Math.multiplyExact(n + 1, offsetBytes))
    var i = 0
    while (i <= n) {
      Buffer.putLong(bytes, i * offsetBytes, position + values.offsets(i))
      i += 1
    }
    bytes
  }
}
