// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.compression

import io.github.pysparklance.core._

/** The distinct values of a page in the order in which they first appear, and each value's position
  * among them. Source: format page of the compressive encodings, "Dictionary", "Page dictionary".
  * Hot code: imperative.
  *
  * @param indices one a value
  */
final case class PageDictionary(items: Values, indices: IntValues)

object PageDictionary {

  /** Fewer values are not worth a dictionary. */
  private val fewestValues = 100

  private val mostItems = 100000
  private val mostItemBytes = 8L << 20
  private val sampleRuns = 32
  private val sampleRunValues = 128

  /** None when there are too many distinct values for a dictionary to pay: more than half of all or
    * than 100,000, more than 8 MiB of them, or nearly all of a sample.
    */
  def build(values: Values): Option[PageDictionary] = {
    val maxItems = math.min(values.numItems / 2, mostItems)
    if (values.numItems < fewestValues || !samplePromises(values, maxItems)) None
    else index(values, maxItems)
  }

  /** Whether a sample has repetitions enough. */
  private def samplePromises(values: Values, maxItems: Int): Boolean =
    if (values.numItems < sampleRuns * sampleRunValues) true
    else {
      val sample = emptyLike(values)
      val step = values.numItems / sampleRuns
      (0 until sampleRuns).foreach(i =>
        sample.appendFrom(values, i * step, math.min(step, sampleRunValues))
      )
      val distinct = index(sample, sample.numItems).map(_.items.numItems).getOrElse(sample.numItems)
      val unique = distinct.toDouble / sample.numItems
      unique < 0.98 && unique * values.numItems <= maxItems
    }

  private def emptyLike(values: Values): Values = values match {
    case _: BinaryValues => new BinaryValues
    case _: LongValues => new LongValues
    case v: WideValues => new WideValues(v.bytesPerValue)
    case other =>
      throw new IllegalArgumentException(s"no dictionary of ${other.getClass.getSimpleName}")
  }

  private def index(values: Values, maxItems: Int): Option[PageDictionary] = {
    val items = emptyLike(values)
    val indices = new IntValues
    val at = indices.extend(values.numItems)
    val table = new Table
    var i = 0
    while (i < values.numItems) {
      val h = hash(values, i)
      val found = table.find(h, values, i, items)
      if (found >= 0) indices.array(at + i) = found
      else {
        if (items.numItems >= maxItems || items.sizeInBytes > mostItemBytes) return None
        table.add(h, items.numItems)
        indices.array(at + i) = items.numItems
        items.appendFrom(values, i, 1)
      }
      i += 1
    }
    Some(PageDictionary(items, indices))
  }

  /** Positions of items by hash, open addressing. */
  final private class Table {
    private var mask = 1023
    private var slots = Array.fill(mask + 1)(-1)
    private var hashes = new Array[Int](512)
    private var used = 0

    def find(h: Int, values: Values, i: Int, items: Values): Int = {
      var slot = h & mask
      while (slots(slot) >= 0) {
        val item = slots(slot)
        if (hashes(item) == h && same(values, i, items, item)) return item
        slot = (slot + 1) & mask
      }
      -1
    }

    def add(h: Int, item: Int): Unit = {
      if (item == hashes.length) hashes = java.util.Arrays.copyOf(hashes, 2 * item)
      hashes(item) = h
      used += 1
      if (used * 2 > mask) grow()
      else place(item)
    }

    private def place(item: Int): Unit = {
      var slot = hashes(item) & mask
      while (slots(slot) >= 0) slot = (slot + 1) & mask
      slots(slot) = item
    }

    private def grow(): Unit = {
      mask = 4 * mask + 3
      slots = Array.fill(mask + 1)(-1)
      var item = 0
      while (item < used) {
        place(item)
        item += 1
      }
    }
  }

  private def mix(h: Long): Int = {
    val x = h * 0x9e3779b97f4a7c15L
    (x ^ (x >>> 32)).toInt
  }

  private def hash(values: Values, i: Int): Int = values match {
    case v: BinaryValues => hashBytes(v.bytes, v.offsets(i), v.offsets(i + 1))
    case v: LongValues => mix(v.array(i))
    case v: WideValues => hashBytes(v.bytes, i * v.bytesPerValue, (i + 1) * v.bytesPerValue)
    case _ => 0
  }

  private def hashBytes(bytes: Array[Byte], from: Int, until: Int): Int = {
    var h = (until - from).toLong
    var at = from
    while (at + 8 <= until) {
      h = (h ^ Buffer.longAt(bytes, at)) * 0xff51afd7ed558ccdL
      h ^= h >>> 32
      at += 8
    }
    if (at < until) h = (h ^ SymbolMatcher.wordAt(bytes, at, until - at)) * 0xff51afd7ed558ccdL
    mix(h)
  }

  private def same(values: Values, i: Int, items: Values, j: Int): Boolean = (values, items) match {
    case (a: BinaryValues, b: BinaryValues) =>
      java.util.Arrays.equals(
        a.bytes,
        a.offsets(i),
        a.offsets(i + 1),
        b.bytes,
        b.offsets(j),
        b.offsets(j + 1)
      )
    case (a: LongValues, b: LongValues) => a.array(i) == b.array(j)
    case (a: WideValues, b: WideValues) =>
      val n = a.bytesPerValue
      java.util.Arrays.equals(a.bytes, i * n, (i + 1) * n, b.bytes, j * n, (j + 1) * n)
    case _ => false
  }
}
