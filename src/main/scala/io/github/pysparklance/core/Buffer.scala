// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.core

import java.nio.{ByteBuffer, ByteOrder}

/** A read-only window of a byte array with little-endian reads. Every read checks its bounds.
  *
  * @param array the bytes, shared and never written through this window
  * @param offset index in `array` of the window's first byte
  * @param length bytes in the window
  */
final class Buffer(val array: Array[Byte], val offset: Int, val length: Int) {
  CorruptFileException.check(
    offset >= 0 && length >= 0 && offset.toLong + length <= array.length,
    s"$length bytes at offset $offset exceed an array of ${array.length} bytes"
  )

  def end: Int = offset + length

  def u8(at: Int): Int = { check(at, 1); array(offset + at) & 0xff }

  def u16(at: Int): Int = { check(at, 2); Buffer.shortAt(array, offset + at) & 0xffff }

  def i32(at: Int): Int = { check(at, 4); Buffer.intAt(array, offset + at) }

  /** Reads an unsigned 32-bit number. */
  def u32(at: Int): Long = i32(at) & 0xffffffffL

  def i64(at: Int): Long = { check(at, 8); Buffer.longAt(array, offset + at) }

  /** Reads an unsigned 64-bit count or offset. A value above `Long.MaxValue` is an error.
    *
    * @param what names the value in the error message
    * @throws CorruptFileException if the value exceeds `Long.MaxValue`
    */
  def u63(at: Int, what: => String): Long = {
    val v = i64(at)
    CorruptFileException.check(v >= 0, s"$what is ${java.lang.Long.toUnsignedString(v)}")
    v
  }

  /** Returns `length` bytes from `from` on as a window of the same array.
    *
    * @throws CorruptFileException if they exceed this window
    */
  def slice(from: Long, length: Long): Buffer = {
    // `from + length` could overflow with numbers from a damaged file.
    CorruptFileException.check(
      from >= 0 && length >= 0 && length <= this.length - from,
      s"$length bytes at offset $from exceed a buffer of ${this.length} bytes"
    )
    new Buffer(array, offset + from.toInt, length.toInt)
  }

  def copyBytes(from: Int, out: Array[Byte], outAt: Int, numBytes: Int): Unit = {
    check(from, numBytes)
    System.arraycopy(array, offset + from, out, outAt, numBytes)
  }

  /** Copies `numItems` little-endian words from byte `from` on. */
  def copyShorts(from: Int, out: Array[Short], outAt: Int, numItems: Int): Unit = {
    check(from, numItems * 2L)
    view(from, numItems * 2).asShortBuffer().get(out, outAt, numItems): Unit
  }

  def copyInts(from: Int, out: Array[Int], outAt: Int, numItems: Int): Unit = {
    check(from, numItems * 4L)
    view(from, numItems * 4).asIntBuffer().get(out, outAt, numItems): Unit
  }

  def copyLongs(from: Int, out: Array[Long], outAt: Int, numItems: Int): Unit = {
    check(from, numItems * 8L)
    view(from, numItems * 8).asLongBuffer().get(out, outAt, numItems): Unit
  }

  def toBytes: Array[Byte] = java.util.Arrays.copyOfRange(array, offset, end)

  /** A little-endian view of the same bytes. */
  def toByteBuffer: ByteBuffer = view(0, length)

  private def view(from: Int, numBytes: Int): ByteBuffer =
    ByteBuffer.wrap(array, offset + from, numBytes).slice().order(ByteOrder.LITTLE_ENDIAN)

  private def check(at: Int, numBytes: Long): Unit =
    if (at < 0 || numBytes < 0 || at + numBytes > length)
      throw new CorruptFileException(
        s"$numBytes bytes at offset $at exceed a buffer of $length bytes"
      )
}

object Buffer {
  val empty: Buffer = new Buffer(Array.emptyByteArray, 0, 0)

  def apply(bytes: Array[Byte]): Buffer = new Buffer(bytes, 0, bytes.length)

  /** Little-endian reads and writes at an array index. Only the array's own bounds are checked. */
  @inline def shortAt(bytes: Array[Byte], at: Int): Short = LittleEndian.getShort(bytes, at)
  @inline def intAt(bytes: Array[Byte], at: Int): Int = LittleEndian.getInt(bytes, at)
  @inline def longAt(bytes: Array[Byte], at: Int): Long = LittleEndian.getLong(bytes, at)
  @inline def putShort(bytes: Array[Byte], at: Int, v: Short): Unit =
    LittleEndian.putShort(bytes, at, v)
  @inline def putInt(bytes: Array[Byte], at: Int, v: Int): Unit =
    LittleEndian.putInt(bytes, at, v)
  @inline def putLong(bytes: Array[Byte], at: Int, v: Long): Unit =
    LittleEndian.putLong(bytes, at, v)
}
