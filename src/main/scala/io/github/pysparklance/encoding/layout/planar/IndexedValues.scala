// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.layout.planar

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.proto.v2_3
import io.github.pysparklance.encoding.spi._

/** Strings or binaries as indices into a dictionary of the page. Source: message `IndexedValues`;
  * format page of the structural encodings, "Version 2.3".
  *
  * {{{
  *   buffer 0   a 32-bit index for every slot of the leaf, null or not; empty if the description is complete
  *   buffer 1   the items, zipped
  *   buffer 2   start of each item in buffer 1
  * }}}
  * Only in sparse pages. The items are decoded once per page.
  */
private[planar] object IndexedValues {

  def sparse(
      message: v2_3.IndexedValues,
      numLeafSlots: Long,
      bufferSizes: IndexedSeq[Long],
      valueType: ValueType,
      chooser: DecoderChooser
  ): SparseValues = {
    valueType match {
      case VariableWidth(_) =>
      case other => throw new CorruptFileException(s"indexed values for a column of $other")
    }
    CorruptFileException.check(
      message.hasIndices && message.hasItems,
      "indexed values without indices or items"
    )
    CorruptFileException.check(
      bufferSizes.length >= 3,
      s"indexed values in a page of ${bufferSizes.length} buffers"
    )
    val items = message.getItems
    CorruptFileException.check(
      items.hasBitsPerOffset,
      "indexed values with fixed-width items"
    )
    val indices = chooser.sequence(message.getIndices, 32)
    CorruptFileException.check(
      indices.hasPayload == (bufferSizes(0) > 0),
      s"indices of ${bufferSizes(0)} bytes contradict their description"
    )
    val page = ZippedValues.flat(items, bufferSizes.slice(1, 3), valueType, chooser)
    new SparseValues {
      def numBuffers: Int = 3
      def head: IndexedSeq[Int] = 0 to 2

      def open(buffers: IndexedSeq[Buffer], structure: SparseDomains): SparseValuesReader = {
        val positions = new IntValues
        indices.decode(buffers(0), SparseDomains.listLength(numLeafSlots), positions)
        checkIndices(positions, items.getNumItems, structure.validLeaves)
        val dictionary = page.open(page.head.map(i => buffers(1 + i)))
        val all = RowRange(0, page.numRows)
        dictionary.addWindow(
          all,
          dictionary.dataRange(all).fold(Buffer.empty) { r =>
            buffers(1 + r.buffer).slice(r.offset, r.length)
          }
        )
        dictionary.read(0, Checked.int(page.numRows, "items of a dictionary")).values match {
          case PlainLeaf(values) =>
            new Reader(positions, new DictionaryValues(new IntValues, values))
          case other => throw new CorruptFileException(s"dictionary items as $other")
        }
      }
    }
  }

  /** Checks indices. Indices of nulls are undefined; those outside the dictionary become 0. */
  private def checkIndices(positions: IntValues, numItems: Long, valid: => ValidSet): Unit = {
    val all = positions.array
    val last = Checked.int(numItems, "items of a dictionary") - 1
    var outside = 0
    var i = 0
    while (i < positions.numItems) {
      outside |= all(i) | (last - all(i)) // a set sign bit: not among the items
      i += 1
    }
    if (outside < 0) {
      i = 0
      while (i < positions.numItems) {
        if (all(i) < 0 || all(i) > last) {
          CorruptFileException.check(
            valid.rank(i + 1L) == valid.rank(i.toLong),
            s"an index beyond the $numItems items of a dictionary"
          )
          all(i) = 0
        }
        i += 1
      }
    }
  }

  final private class Reader(positions: IntValues, out: DictionaryValues)
      extends BufferlessReader {
    def read(from: Long, until: Long): LeafValues = {
      out.clear()
      out.indices.appendFrom(positions, from.toInt, (until - from).toInt)
      out.extend((until - from).toInt)
      PlainLeaf(out)
    }
  }
}
