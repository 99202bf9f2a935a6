// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.spi

import io.github.pysparklance.core.Values

/** One layer of nesting above leaf values, as a page's levels give it. */
sealed trait Layer

/** A leaf, struct or fixed-size list: the validity of its slots, null when all are valid. */
final case class ItemLayer(validity: io.github.pysparklance.core.Validity) extends Layer

/** A list or map: slot i has the child slots `[offsets(i), offsets(i + 1))`. */
final case class ListLayer(
    numSlots: Int,
    offsets: Array[Int],
    validity: io.github.pysparklance.core.Validity
) extends Layer

/** Rows of one leaf column with the nesting above it.
  *
  * @param layers outermost first; the last is the leaf's own [[ItemLayer]]
  * @param values one value for every slot of the leaf layer
  */
final case class LeafBatch(numRows: Int, layers: IndexedSeq[Layer], values: LeafValues)

/** What a leaf holds: values, one value for all, or only nulls. */
sealed trait LeafValues {
  def numItems: Int
}
final case class PlainLeaf(values: Values) extends LeafValues {
  def numItems: Int = values.numItems
}
final case class ConstantLeaf(value: Values, numItems: Int) extends LeafValues
final case class NullLeaf(numItems: Int) extends LeafValues
