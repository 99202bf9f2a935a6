// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.v2_0

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.compression.PageDictionary

/** The few distinct strings of a page, in the order in which they first appear. Hot code: imperative.
  *
  * @param indices for each value the position of its string, from 1; 0 for null
  */
final private class StringItems(val items: BinaryValues, val indices: ByteValues)

private object StringItems {

  /** Slots of the table, several times as many as items. */
  private val numSlots = 1024

  /** None when there are more than `mostItems`, of 255 at most, or none at all.
    *
    * @param validity null when all values are valid
    */
  def of(values: BinaryValues, validity: Validity, mostItems: Int): Option[StringItems] = {
    val items = new BinaryValues
    val indices = new ByteValues
    indices.extend(values.numItems): Unit
    val slots = new Array[Int](numSlots) // position of the item, from 1
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
