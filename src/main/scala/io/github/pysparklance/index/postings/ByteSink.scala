// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.postings

import io.github.pysparklance.core.Buffer

/** A growing little-endian byte buffer. Not thread-safe. */
final class ByteSink {
  private var bytes = new Array[Byte](1024)
  private var count = 0

  /** The underlying array; the first [[length]] bytes are used. Valid until the next call. */
  def array: Array[Byte] = bytes
  def length: Int = count

  def clear(): Unit = count = 0

  def putByte(value: Int): Unit = {
    reserve(1)
    bytes(count) = value.toByte
    count += 1
  }

  /** Appends an unsigned number in LEB128. */
  def putVarint(value: Int): Unit = {
    reserve(5)
    var rest = value
    while ((rest & ~0x7f) != 0) {
      bytes(count) = (rest & 0x7f | 0x80).toByte
      count += 1
      rest >>>= 7
    }
    bytes(count) = rest.toByte
    count += 1
  }

  def putShort(value: Int): Unit = {
    reserve(2)
    bytes(count) = value.toByte
    bytes(count + 1) = (value >> 8).toByte
    count += 2
  }

  def putInt(value: Int): Unit = {
    reserve(4)
    Buffer.putInt(bytes, count, value)
    count += 4
  }

  def putLong(value: Long): Unit = {
    reserve(8)
    Buffer.putLong(bytes, count, value)
    count += 8
  }

  def put(source: Array[Byte], from: Int, numBytes: Int): Unit = {
    reserve(numBytes)
    System.arraycopy(source, from, bytes, count, numBytes)
    count += numBytes
  }

  /** Replaces four bytes. */
  def setInt(at: Int, value: Int): Unit = Buffer.putInt(bytes, at, value)

  /** Appends zeros, and returns the position of the first. */
  def zeros(numBytes: Int): Int = {
    reserve(numBytes)
    java.util.Arrays.fill(bytes, count, count + numBytes, 0.toByte)
    count += numBytes
    count - numBytes
  }

  private def reserve(more: Int): Unit = {
    val wanted = Math.addExact(count, more)
    if (wanted > bytes.length)
      bytes = java.util.Arrays.copyOf(bytes, math.max(wanted, bytes.length + (bytes.length >> 1)))
  }
}
