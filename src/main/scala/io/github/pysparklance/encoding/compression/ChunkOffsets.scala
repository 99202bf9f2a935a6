// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.compression

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.value.Messages

/** The offsets at the start of a chunk of `Variable` or `Fsst`. They are relative to the start of
  * the chunk's buffer and take 4 or 8 bytes each. There is one more than there are values. Hot
  * code: imperative.
  */
private[compression] object ChunkOffsets {

  /** Reads the offsets of values `[from, from + count)` into `out(at to at + count)`, shifted so
    * that the first becomes `base`.
    *
    * @param out the element at `at` is unchanged if this throws
    * @return position in the buffer of the first value's bytes
    * @throws CorruptFileException unless the offsets ascend and lie in the buffer
    */
  def read(
      buffer: Buffer,
      offsetBytes: Int,
      numValues: Int,
      from: Int,
      count: Int,
      out: Array[Int],
      at: Int,
      base: Int
  ): Int = {
    Messages.checkSlice(numValues, from, count)
    val header = (numValues + 1L) * offsetBytes
    if (header > buffer.length)
      throw new CorruptFileException(
        s"${buffer.length} bytes for $numValues values with their offsets"
      )
    val before = out(at)
    if (offsetBytes == 4) buffer.copyInts(from * 4, out, at, count + 1)
    else narrow(buffer, from, count + 1, out, at)
    val first = out(at)
    val last = out(at + count)
    if (first < header || last > buffer.length || !ascending(out, at, count)) {
      out(at) = before
      throw new CorruptFileException(
        s"offsets of values [$from, ${from + count}) in a chunk of ${buffer.length} bytes are not " +
          "ascending or exceed it"
      )
    }
    if (base.toLong + (last - first) > Values.maxArrayLength) {
      out(at) = before
      throw new UnsupportedFeatureException(
        "a batch of more than 2 GiB of strings; read fewer rows at a time"
      )
    }
    val shift = base - first
    var i = at
    val end = at + count
    while (i <= end) {
      out(i) += shift
      i += 1
    }
    first
  }

  /** Narrows 64-bit offsets to 32 bits. Larger ones become -1, which is not a valid offset. */
  private def narrow(buffer: Buffer, from: Int, numOffsets: Int, out: Array[Int], at: Int): Unit = {
    var i = 0
    var p = buffer.offset + from * 8
    while (i < numOffsets) {
      val offset = Buffer.longAt(buffer.array, p)
      out(at + i) = if (offset >= 0 && offset <= Int.MaxValue) offset.toInt else -1
      p += 8
      i += 1
    }
  }

  /** Whether no offset is smaller than the one before it, and none after the first is negative. */
  private def ascending(offsets: Array[Int], at: Int, count: Int): Boolean = {
    var down = 0
    var i = at
    val end = at + count
    while (i < end) {
      down |= (offsets(i + 1) - offsets(i)) | offsets(i + 1)
      i += 1
    }
    down >= 0
  }

  /** Writes `count + 1` offsets to `bytes` from `to` on, shifted so that the first becomes `base`.
    */
  def write(
      offsets: Array[Int],
      from: Int,
      count: Int,
      base: Int,
      bytes: Array[Byte],
      to: Int,
      offsetBytes: Int
  ): Unit = {
    val shift = base - offsets(from)
    var i = 0
    if (offsetBytes == 4)
      while (i <= count) {
        Buffer.putInt(bytes, to + i * 4, offsets(from + i) + shift)
        i += 1
      }
    else
      while (i <= count) {
        Buffer.putLong(bytes, to + i * 8, (offsets(from + i) + shift).toLong)
        i += 1
      }
  }
}
