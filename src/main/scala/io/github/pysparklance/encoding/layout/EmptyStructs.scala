// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.layout

import io.github.pysparklance.core.{Buffer, Field, UnsupportedFeatureException}
import io.github.pysparklance.encoding.proto.v2_1.{
  ConstantLayout => Message,
  PageLayout,
  RepDefLayer
}
import io.github.pysparklance.encoding.spi.LeafPage

/** Pages of a struct without members. They contain only a number of rows. They look like pages of
  * nulls, but every row is a valid struct. Source: message `ConstantLayout`; format page of the
  * structural encodings, "Other special types".
  */
private[layout] object EmptyStructs {

  /** Encodes a page.
    *
    * @throws UnsupportedFeatureException if the struct or a struct around it is null, which such a
    *   page cannot express
    */
  def encode(page: LeafPage, leaf: Field): (PageLayout, IndexedSeq[Buffer]) = {
    if (page.definition != null)
      throw new UnsupportedFeatureException(
        s"""nulls in the struct "${leaf.name}", which has no members, or in a struct around it"""
      )
    val layout = Message.newBuilder().addLayers(RepDefLayer.REPDEF_NULLABLE_ITEM)
    (PageLayout.newBuilder().setConstantLayout(layout).build(), IndexedSeq.empty)
  }
}
