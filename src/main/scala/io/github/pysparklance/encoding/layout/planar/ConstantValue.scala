// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.layout.planar

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.layout.{ConstantLayout, PageWindows}
import io.github.pysparklance.encoding.proto.v2_1.{ConstantLayout => Constant, RepDefLayer}
import io.github.pysparklance.encoding.proto.v2_3
import io.github.pysparklance.encoding.spi._

/** One value for every non-null slot, stored in the message. Source: message `ConstantValue`;
  * format page of the structural encodings, "Version 2.3".
  *
  * The value has a fixed width of 1 to 32 bytes; a boolean takes one byte. Dense pages of this kind
  * have no nulls.
  */
private[planar] object ConstantValue {

  def dense(
      message: v2_3.ConstantValue,
      layers: java.util.List[RepDefLayer],
      numRows: Long,
      bufferSizes: IndexedSeq[Long],
      valueType: ValueType,
      chooser: DecoderChooser
  ): PageDecoder = {
    layers.forEach { layer =>
      CorruptFileException.check(
        layer == RepDefLayer.REPDEF_ALL_VALID_ITEM,
        s"a dense constant page with a layer $layer"
      )
    }
    PageWindows.checkBuffers(bufferSizes.length, 0, "dense constant page")
    val layout = Constant.newBuilder().addAllLayers(layers).setInlineValue(message.getScalar)
    ConstantLayout.decoder(
      layout.build(),
      numRows,
      bufferSizes,
      valueType,
      EncodingVersion.V2_3,
      chooser
    )
  }

  def sparse(message: v2_3.ConstantValue, valueType: ValueType): SparseValues = {
    val value = ConstantLayout.inlineValue(message.getScalar, valueType)
    new BufferlessValues {
      def read(from: Long, until: Long): LeafValues = ConstantLeaf(value, (until - from).toInt)
    }
  }
}
