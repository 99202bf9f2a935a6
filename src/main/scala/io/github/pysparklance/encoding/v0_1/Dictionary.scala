// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.v0_1

import io.github.pysparklance.core._

/** Values as keys into a dictionary that is stored once a file. Source: `Encoding.DICTIONARY` and message `Dictionary`,
  * file.proto; format page of the legacy format, "Dictionary encoding".
  *
  * {{{
  *   page of a batch   plain keys of the index type         0 1 0 2
  *   the dictionary    string, binary: VarBinary            "a" "b" ""        an empty value is null
  *                     integers: Plain                      10 20 30
  * }}}
  * A null key is not marked: it reads as the value of whatever key was written in its place, as a rule 0. Only in files
  * of version 0.1. Hot code: imperative.
  */
object Dictionary {

  /** @param validity of the items; null when all are valid */
  final case class Items(values: Values, validity: Validity) {
    def isNull(item: Int): Boolean = validity != null && !validity.isValid(item)
  }

  /** Appends the keys `[from, from + count)` of a page to `out`.
    *
    * @param bytes a part of the page with these keys
    * @param firstByte where in the page `bytes` begin
    * @param scratch values of the width of the index type, which are cleared
    * @param validity gets one item a key; null when no item is null
    * @throws CorruptFileException when a key is not one of the dictionary's
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
      // a negative key is the largest unsigned number
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
}
