// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.layout.planar

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.proto.v2_3
import io.github.pysparklance.encoding.spi._

/** Fixed-size lists of structs in a sparse page. Every slot has the same number of children, even
  * if it is null. Source: message `SparseFixedSizeListLayer`; format page of the structural
  * encodings, "Sparse pages".
  */
private[planar] object SparseFixedSizeListLayer {

  /** @param message has a dimension of at least 1 */
  def apply(
      message: v2_3.SparseFixedSizeListLayer,
      numSlots: Long,
      chooser: DecoderChooser
  ): SparseStructure.Layer = {
    val dimension = message.getDimension
    CorruptFileException.check(
      numSlots <= SparseStructure.mostSlots / dimension,
      s"$numSlots lists of $dimension items"
    )
    val validity = SparseValiditySet(message.getValidity, numSlots, chooser)
    new SparseStructure.Layer {
      def numChildSlots: Long = numSlots * dimension
      def numBuffers: Int = validity.numBuffers
      def open(buffers: Iterator[Buffer]): SparseDomain =
        new SparseItems(validity.open(buffers), dimension)
    }
  }
}
