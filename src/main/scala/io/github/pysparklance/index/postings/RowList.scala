// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.postings

/** Counts the memory of the row lists of an index, in bytes. */
final class MemoryUse {
  var bytes: Long = 0L
}

/** A list of the rows of a key. Stores the differences between consecutive rows with seven bits per
  * byte. Most rows take one or two bytes. Not thread-safe. Hot code.
  *
  * @param memory updated when the list grows
  */
final class RowList(memory: MemoryUse) {
  import RowList._

  private var bytes = new Array[Byte](firstBytes)
  private var numBytes = 0
  private var last = 0L
  private var isAscending = true
  memory.bytes += objectBytes + firstBytes

  /** Adds a row, unless it equals the last added row. */
  def add(row: Long): Unit = if (row != last || numBytes == 0) {
    if (numBytes + maxRowBytes > bytes.length) grow()
    if (java.lang.Long.compareUnsigned(row, last) < 0) isAscending = false
    var difference = row - last
    last = row
    while ((difference & ~0x7fL) != 0) {
      bytes(numBytes) = (difference | 0x80).toByte
      numBytes += 1
      difference >>>= 7
    }
    bytes(numBytes) = difference.toByte
    numBytes += 1
  }

  private def grow(): Unit = {
    val more = math.max(maxRowBytes, bytes.length >> 1)
    bytes = java.util.Arrays.copyOf(bytes, Math.addExact(bytes.length, more))
    memory.bytes += more
  }

  /** Runs `f` on each distinct row in ascending order. */
  def foreach(f: Long => Unit): Unit =
    if (isAscending) decode(f)
    else {
      val all = Array.newBuilder[Long]
      decode(all += _)
      val rows = all.result()
      java.util.Arrays.sort(rows)
      var i = 0
      while (i < rows.length) {
        if (i == 0 || rows(i) != rows(i - 1)) f(rows(i))
        i += 1
      }
    }

  private def decode(f: Long => Unit): Unit = {
    var row = 0L
    var at = 0
    while (at < numBytes) {
      var byte = bytes(at)
      var difference = byte & 0x7fL
      var shift = 7
      while (byte < 0) {
        at += 1
        byte = bytes(at)
        difference |= (byte & 0x7fL) << shift
        shift += 7
      }
      at += 1
      row += difference
      f(row)
    }
  }
}

private object RowList {
  private val firstBytes = 16
  private val maxRowBytes = 10

  /** The object, its array, and its slot in a table. */
  private val objectBytes = 72
}
