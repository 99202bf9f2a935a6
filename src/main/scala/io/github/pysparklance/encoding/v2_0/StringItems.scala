// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.v2_0

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.compression.PageDictionary

/** The distinct strings of a page with few of them, in order of first appearance. Hot code:
  * imperative.
  *
  * @param indices 1-based position of each value's string; 0 for null
  */
final private class StringItems(val items: BinaryValues, val indices: ByteValues)

private object StringItems {

  /** Slots of the hash table, several times the number of items. */
  private val numSlots = 1024

  /** Returns `None` if there are more than `mostItems` (at most 255) distinct strings, or none.
    *
    * @param validity null if all values are valid
    */
  def of(values: BinaryValues, validity: Validity, mostItems: Int): Option[StringItems] = {
    val items = new BinaryValues
    val indices = new ByteValues
    indices.extend(values.numItems): Unit
    val slots = new Array[Int](numSlots) // 1-based position of the item
    var i = 0
    while (i < values.numItems) {
      if (validity != null && !validity.isValid(i)) indices.array(i) = 0
      else {
        val from = values.offsets(i)
        val until = values.offsets(i + 1)
        var slot = PageDictionary.hash(values.bytes, from, until) & (numSlots - 1)
        while (
          slots(slot) != 0 &&
          !PageDictionary.isItem(values.bytes, from, until, items, slots(slot) - 1)
        ) slot = (slot + 1) & (numSlots - 1)
        if (slots(slot) == 0) {
          if (items.numItems == mostItems) return None
          items.append(values.bytes, from, until - from)
          slots(slot) = items.numItems
        }
        indices.array(i) = slots(slot).toByte
      }
      i += 1
    }
    if (items.numItems == 0) None else Some(new StringItems(items, indices))
  }
}
