// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.v2_0

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.proto.{v2_0 => pb}
import io.github.pysparklance.encoding.spi._

/** Lists of one length, as values of one column. Source: message `FixedSizeList`, encodings_v2_0.proto.
  *
  * {{{
  *   items   numValues * dimension items in an encoding of their own, with their own nulls
  * }}}
  * Null lists, which the Nullable around this tells, keep their items' slots. A list of bits may begin inside a byte.
  * `has_validity` is always false and means nothing.
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

  /** @param items the node of all items, null lists' included, with their own nulls */
  def encode(dimension: Int, items: pb.ArrayEncoding): pb.ArrayEncoding =
    pb.ArrayEncoding.newBuilder().setFixedSizeList(
      pb.FixedSizeList.newBuilder().setDimension(dimension).setItems(items)
    ).build()
}
