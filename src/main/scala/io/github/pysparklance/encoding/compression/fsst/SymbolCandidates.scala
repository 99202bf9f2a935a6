// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.compression.fsst

/** Candidate symbols for the next table of [[SymbolTableBuilder]], with the bytes that each would
  * save. Hot code: imperative and without boxing.
  */
final private[compression] class SymbolCandidates {
  private[this] var symbols = new Array[Long](1024)
  private[this] var lengths = new Array[Int](1024)
  private[this] var gains = new Array[Long](1024)
  private[this] var count = 0

  /** A hash table of candidate positions plus one; 0 is free. At least twice as long as the number
    * of candidates.
    */
  private[this] var slots = new Array[Int](4096)

  /** Number of candidates. */
  def size: Int = count

  def clear(): Unit = {
    count = 0
    java.util.Arrays.fill(slots, 0)
  }

  /** Adds to the bytes that a symbol would save. */
  def add(symbol: Long, length: Int, gain: Long): Unit = {
    val slot = find(symbol, length)
    if (slots(slot) != 0) gains(slots(slot) - 1) += gain
    else {
      if (count == symbols.length) grow()
      symbols(count) = symbol
      lengths(count) = length
      gains(count) = gain
      count += 1
      if (2 * count > slots.length) rehash() else slots(slot) = count
    }
  }

  /** Adds the candidates with the highest savings to a table until it is full. Breaks ties by
    * length, then by bytes, so that the same values always give the same table.
    */
  def fill(table: SymbolMatcher): Unit = {
    val heap = new Array[Int](count)
    var i = 0
    while (i < count) {
      heap(i) = i
      i += 1
    }
    i = count / 2 - 1
    while (i >= 0) {
      sink(heap, i, count)
      i -= 1
    }
    var left = count
    while (left > 0 && table.numSymbols < SymbolMatcher.maxSymbols) {
      val best = heap(0)
      table.add(symbols(best), lengths(best)): Unit
      left -= 1
      heap(0) = heap(left)
      sink(heap, 0, left)
    }
  }

  private def sink(heap: Array[Int], from: Int, size: Int): Unit = {
    val moved = heap(from)
    var at = from
    var child = 2 * at + 1
    while (child < size) {
      if (child + 1 < size && isBefore(heap(child + 1), heap(child))) child += 1
      if (isBefore(heap(child), moved)) {
        heap(at) = heap(child)
        at = child
        child = 2 * at + 1
      } else child = size
    }
    if (size > 0) heap(at) = moved
  }

  private def isBefore(a: Int, b: Int): Boolean =
    if (gains(a) != gains(b)) gains(a) > gains(b)
    else if (lengths(a) != lengths(b)) lengths(a) < lengths(b)
    else symbols(a) < symbols(b)

  /** Returns the slot of a symbol, or the free slot for it. */
  private def find(symbol: Long, length: Int): Int = {
    val mask = slots.length - 1
    val hash = (symbol + length) * 0x9e3779b97f4a7c15L
    var slot = (hash >>> 32).toInt & mask
    while (slots(slot) != 0 && !holds(slots(slot) - 1, symbol, length)) slot = (slot + 1) & mask
    slot
  }

  private def holds(candidate: Int, symbol: Long, length: Int): Boolean =
    symbols(candidate) == symbol && lengths(candidate) == length

  private def grow(): Unit = {
    symbols = java.util.Arrays.copyOf(symbols, 2 * count)
    lengths = java.util.Arrays.copyOf(lengths, 2 * count)
    gains = java.util.Arrays.copyOf(gains, 2 * count)
  }

  private def rehash(): Unit = {
    slots = new Array[Int](2 * slots.length)
    var i = 0
    while (i < count) {
      slots(find(symbols(i), lengths(i))) = i + 1
      i += 1
    }
  }
}
