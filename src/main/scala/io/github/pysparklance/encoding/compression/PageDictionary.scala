// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.compression

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.compression.fsst.SymbolMatcher
import io.github.pysparklance.encoding.spi.EncodingOptions

/** The distinct values of a page in order of first appearance, and the index of each value. Source:
  * format page of the compressive encodings, "Dictionary", "Page dictionary". Hot code: imperative.
  *
  * @param indices one per value
  */
final case class PageDictionary(items: Values, indices: IntValues)

object PageDictionary {

  /** Fewer values do not get a dictionary. */
  private val fewestValues = 100

  private val mostItems = 100000
  private val sampleRuns = 32
  private val sampleRunValues = 128

  /** Builds a dictionary, or returns `None` if it would not pay off. It does not with too many
    * distinct values, with too many bytes, or with few repetitions in a sample.
    *
    * @param divisor at least 1; the number of values divided by this limits the distinct values
    * @param maxBytes maximum bytes of the distinct values
    */
  def build(
      values: Values,
      divisor: Int = EncodingOptions.defaultDictDivisor,
      maxBytes: Long = EncodingOptions.defaultDictMaxBytes
  ): Option[PageDictionary] = {
    val maxItems = math.min(values.numItems / divisor, mostItems)
    if (values.numItems < fewestValues || !samplePromises(values, maxItems, maxBytes)) None
    else index(values, maxItems, maxBytes)
  }

  /** Builds a dictionary of leaf values, regardless of its size.
    *
    * @throws UnsupportedFeatureException for nested values, and for more than 2 GiB of strings
    */
  def of(values: Values, valueType: ValueType): PageDictionary = values match {
    case v: ByteValues => narrowed(v, valueType, i => v.array(i).toLong)
    case v: ShortValues => narrowed(v, valueType, i => v.array(i).toLong)
    case v: IntValues => narrowed(v, valueType, i => v.array(i).toLong)
    case _: BinaryValues | _: LongValues | _: WideValues =>
      index(values, Int.MaxValue, Int.MaxValue).getOrElse(
        throw new UnsupportedFeatureException("a dictionary of more than 2 GiB of values")
      )
    case _ => throw new UnsupportedFeatureException(s"a dictionary of $valueType")
  }

  private def narrowed(values: Values, valueType: ValueType, at: Int => Long): PageDictionary = {
    val wide = new LongValues
    wide.reserve(values.numItems)
    (0 until values.numItems).foreach(i => wide.append(at(i)))
    val found = indexLongs(wide, Int.MaxValue).get
    val first = new Array[Int](found.items.numItems)
    (values.numItems - 1 to 0 by -1).foreach(i => first(found.indices.array(i)) = i)
    val items = Values.allocate(valueType)
    first.foreach(items.appendFrom(values, _, 1))
    PageDictionary(items, found.indices)
  }

  /** Whether a sample shows enough repetitions. Estimates the values that the sample missed from
    * the new values in its second half. A column with a thousand names, for example, has few new
    * ones there.
    */
  private def samplePromises(values: Values, maxItems: Int, maxBytes: Long): Boolean =
    if (values.numItems < sampleRuns * sampleRunValues) true
    else {
      val sample = Values.emptyLike(values)
      val step = values.numItems / sampleRuns
      // both halves of the sample cover the whole page
      (0 until sampleRuns by 2).foreach(i => sample.appendFrom(values, i * step, sampleRunValues))
      (1 until sampleRuns by 2).foreach(i => sample.appendFrom(values, i * step, sampleRunValues))
      index(sample, sample.numItems, maxBytes).exists { found =>
        val half = sample.numItems / 2
        var inFirst = 0
        var i = 0
        while (i < half) {
          inFirst = math.max(inFirst, found.indices.array(i) + 1)
          i += 1
        }
        val newShare = (found.items.numItems - inFirst).toDouble / half
        found.items.numItems + newShare * (values.numItems - sample.numItems) <= maxItems
      }
    }

  private def index(values: Values, maxItems: Int, maxBytes: Long): Option[PageDictionary] =
    values match {
      case v: BinaryValues => indexStrings(v, maxItems, maxBytes)
      case v: LongValues => indexLongs(v, maxItems)
      case v: WideValues => indexWide(v, maxItems, maxBytes)
      case other =>
        throw new IllegalArgumentException(s"no dictionary of ${other.getClass.getSimpleName}")
    }

  // one loop per type, so that hashing and comparing need no virtual calls

  private def indexStrings(
      values: BinaryValues,
      maxItems: Int,
      maxBytes: Long
  ): Option[PageDictionary] = {
    // Positions of the items among the values. Most attempts fail, so items are copied only at the
    // end.
    val firsts = new IntValues
    var numBytes = 0L
    val indices = new IntValues
    val to = indices.extend(values.numItems)
    val table = new Table
    var i = 0
    while (i < values.numItems) {
      val from = values.offsets(i)
      val until = values.offsets(i + 1)
      val h = hash(values.bytes, from, until)
      var slot = table.slot(h)
      var item = table.item(slot)
      while (
        item >= 0 && !(table.hash(item) == h &&
          isItem(values.bytes, from, until, values, firsts.array(item)))
      ) {
        slot = table.next(slot)
        item = table.item(slot)
      }
      if (item < 0) {
        item = firsts.numItems
        numBytes += until - from
        if (item >= maxItems || numBytes > maxBytes) return None
        firsts.append(i)
        table.add(slot, h, item)
      }
      indices.array(to + i) = item
      i += 1
    }
    val items = new BinaryValues
    items.reserveBytes(numBytes)
    (0 until firsts.numItems).foreach(item => items.appendFrom(values, firsts.array(item), 1))
    Some(PageDictionary(items, indices))
  }

  /** Whether `bytes[from, until)` equals an item. */
  private[encoding] def isItem(
      bytes: Array[Byte],
      from: Int,
      until: Int,
      items: BinaryValues,
      item: Int
  ): Boolean =
    java.util.Arrays.equals(
      bytes,
      from,
      until,
      items.bytes,
      items.offsets(item),
      items.offsets(item + 1)
    )

  private def indexLongs(values: LongValues, maxItems: Int): Option[PageDictionary] = {
    val items = new LongValues
    val indices = new IntValues
    val to = indices.extend(values.numItems)
    val table = new Table
    var i = 0
    while (i < values.numItems) {
      val value = values.array(i)
      val h = mix(value)
      var slot = table.slot(h)
      var item = table.item(slot)
      while (item >= 0 && items.array(item) != value) {
        slot = table.next(slot)
        item = table.item(slot)
      }
      if (item < 0) {
        item = items.numItems
        if (item >= maxItems) return None
        items.append(value)
        table.add(slot, h, item)
      }
      indices.array(to + i) = item
      i += 1
    }
    Some(PageDictionary(items, indices))
  }

  private def indexWide(
      values: WideValues,
      maxItems: Int,
      maxBytes: Long
  ): Option[PageDictionary] = {
    val n = values.bytesPerValue
    val items = new WideValues(n)
    val indices = new IntValues
    val to = indices.extend(values.numItems)
    val table = new Table
    var i = 0
    while (i < values.numItems) {
      val from = i * n
      val h = hash(values.bytes, from, from + n)
      var slot = table.slot(h)
      var item = table.item(slot)
      while (
        item >= 0 && !(table.hash(item) == h && java.util.Arrays
          .equals(values.bytes, from, from + n, items.bytes, item * n, item * n + n))
      ) {
        slot = table.next(slot)
        item = table.item(slot)
      }
      if (item < 0) {
        item = items.numItems
        if (item >= maxItems || items.sizeInBytes > maxBytes) return None
        items.appendFrom(values, i, 1)
        table.add(slot, h, item)
      }
      indices.array(to + i) = item
      i += 1
    }
    Some(PageDictionary(items, indices))
  }

  /** Positions of items by hash, with open addressing. */
  final private class Table {
    private var mask = 1023
    private var slots = Array.fill(mask + 1)(-1)
    private var hashes = new Array[Int](512)
    private var used = 0

    /** Returns the first slot of a hash. */
    def slot(h: Int): Int = h & mask
    def next(slot: Int): Int = (slot + 1) & mask

    /** Returns the item in a slot, or -1 if it is free. */
    def item(slot: Int): Int = slots(slot)
    def hash(item: Int): Int = hashes(item)

    /** Adds the next item to a free slot. */
    def add(slot: Int, h: Int, item: Int): Unit = {
      if (item == hashes.length) hashes = java.util.Arrays.copyOf(hashes, 2 * item)
      hashes(item) = h
      used += 1
      if (used * 2 > mask) grow() else slots(slot) = item
    }

    private def grow(): Unit = {
      mask = 4 * mask + 3
      slots = Array.fill(mask + 1)(-1)
      var item = 0
      while (item < used) {
        var slot = hashes(item) & mask
        while (slots(slot) >= 0) slot = (slot + 1) & mask
        slots(slot) = item
        item += 1
      }
    }
  }

  private def mix(h: Long): Int = {
    val x = h * 0x9e3779b97f4a7c15L
    (x ^ (x >>> 32)).toInt
  }

  /** Returns a hash of `bytes[from, until)` with well-mixed bits. */
  private[encoding] def hash(bytes: Array[Byte], from: Int, until: Int): Int = {
    var h = (until - from).toLong
    var at = from
    while (at + 8 <= until) {
      h = (h ^ Buffer.longAt(bytes, at)) * 0xff51afd7ed558ccdL
      h ^= h >>> 32
      at += 8
    }
    if (at < until)
      h = (h ^ SymbolMatcher.wordAt(bytes, at, until - at)) * 0xff51afd7ed558ccdL
    mix(h)
  }
}
