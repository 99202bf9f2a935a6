// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.v2_0

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.proto.{v2_0 => pb}
import io.github.pysparklance.encoding.spi._

/** Fixed-size lists, one list per value. Source: message `FixedSizeList`, encodings_v2_0.proto.
  *
  * {{{
  *   items   numValues * dimension items in any encoding, including their nulls
  * }}}
  * Null lists keep the slots of their items. A Nullable around this encoding contains the validity
  * of lists. A list of bits may begin inside a byte. `has_validity` is always false and ignored.
  */
object FixedSizeList {

  def decoder(
      message: pb.FixedSizeList,
      numValues: Long,
      valueType: ValueType,
      chooser: ArrayChooser
  ): ArrayDecoder = valueType match {
    case FixedSizeListType(dimension, itemType)
        if Integer.toUnsignedLong(message.getDimension) == dimension =>
      val numItems = Trees.times(numValues, dimension.toLong)
      new Node(dimension, chooser.decoder(message.getItems, numItems, itemType))
    case other =>
      throw Trees.contradiction(s"FixedSizeList of ${message.getDimension} items", other)
  }

  final private class Node(dimension: Int, items: ArrayDecoder) extends OneChildDecoder(items) {
    def bitsPerValue: Long = Trees.times(items.bitsPerValue, dimension.toLong)
    def yieldsNulls: Boolean = false

    def read(values: RowRange): ArrayRead =
      new Read(items.read(RowRange(values.from * dimension, values.until * dimension)))
  }

  final private class Read(items: ArrayRead) extends OneChildRead(items) {
    def decode(numValues: Int, out: NullableValues): Unit = {
      val lists = out.values.asInstanceOf[FixedSizeListValues]
      val validity = if (lists.itemValidity == null) new Validity else lists.itemValidity
      val inner = new NullableValues(lists.items, validity)
      items.decode(Math.multiplyExact(numValues, lists.dimension), inner)
      lists.itemValidity = inner.validity
      lists.extend(numValues)
    }
  }

  /** Encodes lists.
    *
    * @param items the encoding of all items with their nulls, including items of null lists
    */
  def encode(dimension: Int, items: pb.ArrayEncoding): pb.ArrayEncoding =
    pb.ArrayEncoding.newBuilder().setFixedSizeList(
      pb.FixedSizeList.newBuilder().setDimension(dimension).setItems(items)
    ).build()
}
