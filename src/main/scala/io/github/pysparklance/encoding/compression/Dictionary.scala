// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.compression

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.proto.v2_1
import io.github.pysparklance.encoding.spi._

/** Numbers as indices into a small dictionary. Source: message `Dictionary`, format page of the
  * compressive encodings, "Dictionary", "Message Dictionary". Dictionaries of pages do not use this
  * message, see [[PageDictionary]].
  *
  * {{{
  *   u64 bytes of indices | u64 bytes of items | indices, 32 bits | items, 32 or 64 bits
  * }}}
  * A child without bytes is omitted. If neither has bytes, there is no header. A dictionary has 1
  * to 4,096 items. Since 2.3, as a sequence. Hot code: imperative.
  */
object Dictionary {
  private val mostItems = 4096
  private val header = 16

  def sequence(
      message: v2_1.Dictionary,
      bits: Int,
      indices: SequenceDecoder,
      items: SequenceDecoder
  ): SequenceDecoder = {
    val numItems = message.getNumDictionaryItems
    CorruptFileException.check(
      numItems > 0 && numItems <= mostItems,
      s"Dictionary of ${Integer.toUnsignedString(numItems)} items, expected 1 to $mostItems"
    )
    new DictionarySequence(numItems, bits, indices, items)
  }

  final private class DictionarySequence(
      numItems: Int,
      bits: Int,
      indices: SequenceDecoder,
      items: SequenceDecoder
  ) extends SequenceDecoder {
    val hasPayload: Boolean = indices.hasPayload || items.hasPayload

    def progression(numValues: Long): Option[Progression] = None

    def decode(payload: Buffer, numValues: Int, out: Values): Unit = {
      var indexBytes = Buffer.empty
      var itemBytes = Buffer.empty
      if (hasPayload) {
        indexBytes = payload.slice(header.toLong, payload.u63(0, "the bytes of Dictionary indices"))
        itemBytes = payload.slice(
          header.toLong + indexBytes.length,
          payload.u63(8, "the bytes of Dictionary items")
        )
        CorruptFileException.check(
          header.toLong + indexBytes.length + itemBytes.length == payload.length,
          s"Dictionary of ${indexBytes.length} and ${itemBytes.length} bytes in a block of ${payload.length}"
        )
      }
      Sequences.checkFramed("Dictionary indices", indices, indexBytes.length.toLong)
      Sequences.checkFramed("Dictionary items", items, itemBytes.length.toLong)
      val positions = new IntValues
      indices.decode(indexBytes, numValues, positions)
      val distinct = Values.allocate(FixedWidth(bits))
      items.decode(itemBytes, numItems, distinct)
      lookUp(positions.array, numValues, distinct, out)
    }

    private def lookUp(positions: Array[Int], numValues: Int, items: Values, out: Values): Unit = {
      var outside = 0
      var i = 0
      while (i < numValues) {
        outside |= positions(
          i
        ) | (numItems - 1 - positions(i)) // a set sign bit: not among the items
        i += 1
      }
      if (outside < 0)
        throw new CorruptFileException(s"an index exceeds the $numItems items of a Dictionary")
      i = 0
      (items, out) match {
        case (from: IntValues, to: IntValues) =>
          val at = to.extend(numValues)
          while (i < numValues) {
            to.array(at + i) = from.array(positions(i))
            i += 1
          }
        case (from: LongValues, to: LongValues) =>
          val at = to.extend(numValues)
          while (i < numValues) {
            to.array(at + i) = from.array(positions(i))
            i += 1
          }
        case _ =>
          throw new CorruptFileException(s"Dictionary for ${out.getClass.getSimpleName}")
      }
    }
  }
}
