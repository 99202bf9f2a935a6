// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.sorting

import io.github.pysparklance.core.{BinaryValues, Buffer}
import io.github.pysparklance.index.spi.{BytesKey, Key, KeySlot, KeyType, Keys}

/** Collects entries with binary keys. Sorts eight bytes at a time, as numbers. */
final private class BytesBuffer(keyType: KeyType) extends EntryBuffer(keyType) {
  import BytesBuffer._

  private val values = new BinaryValues
  private val slot = new KeySlot

  /** Positions in [[values]], sorted. */
  private var order = Array.emptyLongArray

  /** Eight bytes of the key at each position of [[order]]. */
  private var words = Array.emptyLongArray

  protected def add(keys: Keys, position: Int, row: Long): Unit = {
    keys.read(position, slot)
    values.append(slot.bytes, slot.from, slot.numBytes)
    rows.append(row)
  }

  override def sizeInBytes: Long = super.sizeInBytes + values.sizeInBytes

  override def clear(): Unit = {
    super.clear()
    values.clear()
  }

  protected def sort(): Unit = {
    val n = rows.numItems
    if (order.length < n) {
      order = new Array[Long](rows.array.length)
      words = new Array[Long](rows.array.length)
    }
    var i = 0
    while (i < n) {
      order(i) = i.toLong
      i += 1
    }
    System.arraycopy(rows.array, 0, words, 0, n)
    radix.sort(words, order, 0, n)
    val runs = new java.util.ArrayDeque[Run]
    runs.push(Run(0, n, 0))
    while (!runs.isEmpty) sortRun(runs.pop(), runs)
  }

  /** Sorts a run by the next eight bytes. Keys that are still equal become new runs. */
  private def sortRun(run: Run, runs: java.util.ArrayDeque[Run]): Unit = {
    var i = run.from
    while (i < run.until) {
      words(i) = word(order(i).toInt, run.depth)
      i += 1
    }
    radix.sort(words, order, run.from, run.until)
    var from = run.from
    while (from < run.until) {
      var until = from + 1
      while (until < run.until && words(until) == words(from)) until += 1
      if (until - from > 1) resolve(from, until, run.depth + wordBytes, runs)
      from = until
    }
  }

  /** Orders keys whose first `depth` bytes, padded with zeros, are equal. */
  private def resolve(from: Int, until: Int, depth: Int, runs: java.util.ArrayDeque[Run]): Unit = {
    var (shortest, longest) = (Int.MaxValue, 0)
    var i = from
    while (i < until) {
      val length = lengthOf(order(i).toInt)
      shortest = math.min(shortest, length)
      longest = math.max(longest, length)
      i += 1
    }
    if (shortest >= depth) {
      val rest = if (shortest == depth) endedFirst(from, until, depth) else from
      if (until - rest > 1) runs.push(Run(rest, until, depth))
    } else if (shortest < longest) sortByComparison(from, until)
  }

  /** Moves keys of length `depth` to the front.
    *
    * @return position of the first longer key
    */
  private def endedFirst(from: Int, until: Int, depth: Int): Int = {
    val (ended, longer) =
      java.util.Arrays.copyOfRange(order, from, until).partition(p => lengthOf(p.toInt) == depth)
    System.arraycopy(ended, 0, order, from, ended.length)
    System.arraycopy(longer, 0, order, from + ended.length, longer.length)
    from + ended.length
  }

  /** Sorts keys that differ only in trailing zeros. */
  private def sortByComparison(from: Int, until: Int): Unit = {
    val sorted = java.util.Arrays.copyOfRange(order, from, until).sorted(
      Ordering.fromLessThan[Long]((a, b) => keyOf(a.toInt).compare(keyOf(b.toInt)) < 0)
    )
    System.arraycopy(sorted, 0, order, from, sorted.length)
  }

  private def lengthOf(i: Int): Int = values.offsets(i + 1) - values.offsets(i)

  /** Eight bytes of a key as a big-endian number, padded with zeros. */
  private def word(i: Int, depth: Int): Long = {
    val at = values.offsets(i) + depth
    val end = values.offsets(i + 1)
    if (end - at >= wordBytes) java.lang.Long.reverseBytes(Buffer.longAt(values.bytes, at))
    else {
      var word = 0L
      var k = 0
      while (k < wordBytes) {
        word = word << 8 | (if (at + k < end) values.bytes(at + k) & 0xffL else 0L)
        k += 1
      }
      word
    }
  }

  private def keyOf(i: Int): Key = new BytesKey(
    java.util.Arrays.copyOfRange(values.bytes, values.offsets(i), values.offsets(i + 1))
  )

  protected def compare(position: Int, bound: EntryBound): Int = {
    val byKey = keyOf(order(position).toInt).compare(bound.key.get)
    if (byKey != 0) byKey else java.lang.Long.compareUnsigned(rowAt(position), bound.row)
  }

  protected def keyBytes(from: Int, until: Int): Int = {
    var bytes = 4L * (until - from + 1)
    var i = from
    while (i < until) {
      bytes += lengthOf(order(i).toInt)
      i += 1
    }
    Math.toIntExact(bytes)
  }

  protected def writeKeys(from: Int, until: Int, block: Array[Byte], at: Int): Unit = {
    val bytesAt = at + 4 * (until - from + 1)
    var offset = 0
    var i = from
    while (i < until) {
      val p = order(i).toInt
      val length = lengthOf(p)
      System.arraycopy(values.bytes, values.offsets(p), block, bytesAt + offset, length)
      offset += length
      Buffer.putInt(block, at + 4 * (i - from + 1), offset)
      i += 1
    }
  }

  protected def rowAt(position: Int): Long = rows.array(order(position).toInt)
}

private object BytesBuffer {
  private val wordBytes = 8

  /** Positions of keys with the same first `depth` bytes. */
  final private case class Run(from: Int, until: Int, depth: Int)
}
