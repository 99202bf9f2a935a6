// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.spi

import io.github.pysparklance.core.Values

/** One level of nesting above leaf values, decoded from a page's levels. */
sealed trait Layer

/** A leaf, struct, or fixed-size list: the validity of its slots; null if all are valid. */
final case class ItemLayer(validity: io.github.pysparklance.core.Validity) extends Layer

/** A list or map: slot i contains the child slots `[offsets(i), offsets(i + 1))`. */
final case class ListLayer(
    numSlots: Int,
    offsets: Array[Int],
    validity: io.github.pysparklance.core.Validity
) extends Layer

/** Rows of one leaf column with the nesting above it.
  *
  * @param layers outermost first; the last is the leaf's own [[ItemLayer]]
  * @param values one value for each slot of the leaf layer
  */
final case class LeafBatch(numRows: Int, layers: IndexedSeq[Layer], values: LeafValues)

/** The values of a leaf: one per slot, one for all slots, or only nulls. */
sealed trait LeafValues {
  def numItems: Int
}

/** One value per slot. */
final case class PlainLeaf(values: Values) extends LeafValues {
  def numItems: Int = values.numItems
}

/** The same value in all slots. */
final case class ConstantLeaf(value: Values, numItems: Int) extends LeafValues

/** Only nulls. */
final case class NullLeaf(numItems: Int) extends LeafValues
