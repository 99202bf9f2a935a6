// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.v0_1

import io.github.pysparklance.core._

/** Dictionary-encoded values with one dictionary per file. Source: `Encoding.DICTIONARY` and
  * message `Dictionary`, file.proto; format page of the legacy format, "Dictionary encoding".
  *
  * {{{
  *   page of a batch   plain keys of the index type         0 1 0 2
  *   the dictionary    string, binary: VarBinary            "a" "b" ""        an empty value is null
  *                     integers: Plain                      10 20 30
  * }}}
  * Nulls are not marked. A null reads as the value of the key stored for it, usually 0. Only in
  * files of version 0.1. Hot code: imperative.
  */
object Dictionary {

  /** The items of a dictionary.
    *
    * @param validity validity of the items; null if all are valid
    */
  final case class Items(values: Values, validity: Validity) {
    def isNull(item: Int): Boolean = validity != null && !validity.isValid(item)
  }

  /** Appends the keys `[from, from + count)` of a page to `out`.
    *
    * @param bytes a part of the page with these keys
    * @param firstByte position of `bytes` in the page
    * @param scratch values of the width of the index type; cleared first
    * @param validity receives one item per key; null if no item is null
    * @throws CorruptFileException if a key exceeds the dictionary
    */
  def decode(
      bytes: Buffer,
      firstByte: Long,
      index: LogicalType.Integer,
      from: Long,
      count: Int,
      items: Items,
      scratch: Values,
      out: DictionaryValues,
      validity: Validity
  ): Unit = {
    scratch.clear()
    Plain.decode(bytes, firstByte, FixedWidth(index.bits), from, count, scratch)
    val keys = out.indices.extend(count)
    widen(scratch, index.signed, count, out.indices.array, keys)
    out.extend(count)
    val array = out.indices.array
    val numItems = items.values.numItems
    var largest = 0
    var i = keys
    while (i < keys + count) {
      // negative keys compare as large unsigned numbers
      if (Integer.compareUnsigned(array(i), largest) > 0) largest = array(i)
      i += 1
    }
    CorruptFileException.check(
      count == 0 || (largest >= 0 && largest < numItems),
      s"key ${Integer.toUnsignedString(largest)} of a dictionary of $numItems values"
    )
    if (validity != null) {
      i = keys
      while (i < keys + count) {
        validity.append(!items.isNull(array(i)))
        i += 1
      }
    }
  }

  private def widen(keys: Values, signed: Boolean, count: Int, out: Array[Int], at: Int): Unit = {
    var i = 0
    keys match {
      case v: ByteValues =>
        val mask = if (signed) -1 else 0xff
        while (i < count) { out(at + i) = v.array(i) & mask; i += 1 }
      case v: ShortValues =>
        val mask = if (signed) -1 else 0xffff
        while (i < count) { out(at + i) = v.array(i) & mask; i += 1 }
      case v: IntValues => System.arraycopy(v.array, 0, out, at, count)
      case v: LongValues =>
        while (i < count) {
          val key = v.array(i)
          out(at + i) = if (key < 0 || key > Int.MaxValue) -1 else key.toInt
          i += 1
        }
      case other =>
        throw new UnsupportedFeatureException(s"dictionary keys as ${other.getClass.getSimpleName}")
    }
  }

  /** Maps values to dictionary keys for writing. All files of a table share the dictionary of its
    * first file.
    *
    * @param items the present dictionary: byte strings, or integers of up to 64 bits
    * @param mayGrow whether new values are appended to the dictionary
    */
  final class Keys(val items: Items, index: LogicalType.Integer, mayGrow: Boolean) {
    private val known = scala.collection.mutable.HashMap.empty[Any, Int]
    private val maxKeys: Long =
      if (index.bits >= 32) Values.maxArrayLength.toLong
      else 1L << (if (index.signed) index.bits - 1 else index.bits)

    /** Key of the item that reads as null; -1 if there is none. */
    private var nullKey = -1

    (items.values.numItems - 1 to 0 by -1).foreach { i =>
      if (items.isNull(i)) nullKey = i else known(value(items.values, i)) = i
    }

    /** Appends the key of the non-null value at position `at` to `keys`, which has the width of the
      * index type.
      *
      * @throws UnsupportedFeatureException if the dictionary lacks the value and cannot grow
      */
    def append(values: Values, at: Int, keys: Values): Unit =
      append(known.getOrElseUpdate(value(values, at), add(_.appendFrom(values, at, 1))), keys)

    /** Appends the key of an empty item, which reads as null. Returns false if the dictionary has
      * none and cannot grow.
      */
    def appendNull(keys: Values): Boolean = {
      if (nullKey < 0 && mayGrow && items.values.isInstanceOf[BinaryValues])
        nullKey = add(_.appendFiller(1))
      if (nullKey >= 0) append(nullKey, keys)
      nullKey >= 0
    }

    private def append(key: Int, keys: Values): Unit = keys match {
      case k: ByteValues => k.append(key.toByte)
      case k: ShortValues => k.append(key.toShort)
      case k: IntValues => k.append(key)
      case k: LongValues => k.append(key.toLong)
      case other =>
        throw new UnsupportedFeatureException(s"dictionary keys as ${other.getClass.getSimpleName}")
    }

    private def add(appendTo: Values => Unit): Int = {
      val key = items.values.numItems
      if (!mayGrow)
        throw new UnsupportedFeatureException(
          s"a value that is not in the dictionary of the table: its files of version 0.1 share the $key values " +
            "of the first file"
        )
      if (key >= maxKeys)
        throw new UnsupportedFeatureException(
          s"more than $maxKeys values in a dictionary with keys of ${LogicalType.text(index)}"
        )
      appendTo(items.values)
      key
    }

    private def value(values: Values, at: Int): Any = values match {
      case v: BinaryValues =>
        java.nio.ByteBuffer.wrap(
          java.util.Arrays.copyOfRange(v.bytes, v.offsets(at), v.offsets(at + 1))
        )
      case v: ByteValues => v.array(at)
      case v: ShortValues => v.array(at)
      case v: IntValues => v.array(at)
      case v: LongValues => v.array(at)
      case other =>
        throw new UnsupportedFeatureException(
          s"dictionaries of ${other.getClass.getSimpleName} in a file of version 0.1"
        )
    }
  }
}
