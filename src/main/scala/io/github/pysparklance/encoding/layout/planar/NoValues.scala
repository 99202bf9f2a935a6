// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.layout.planar

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.layout.{ConstantLayout, PageWindows}
import io.github.pysparklance.encoding.proto.v2_1.{ConstantLayout => Constant, RepDefLayer}
import io.github.pysparklance.encoding.spi._

/** No values: every slot of the leaf is null, or the leaf is a struct without members. Source:
  * message `NoValues`; format page of the structural encodings, "Version 2.3".
  */
private[planar] object NoValues {

  def dense(
      layers: java.util.List[RepDefLayer],
      numRows: Long,
      bufferSizes: IndexedSeq[Long],
      valueType: ValueType,
      chooser: DecoderChooser
  ): PageDecoder = {
    CorruptFileException.check(
      layers.size == 1 && layers.get(0) == RepDefLayer.REPDEF_NULLABLE_ITEM,
      s"a dense page without values with layers $layers"
    )
    PageWindows.checkBuffers(bufferSizes.length, 0, "dense page without values")
    val layout = Constant.newBuilder().addAllLayers(layers)
    ConstantLayout.decoder(
      layout.build(),
      numRows,
      bufferSizes,
      valueType,
      EncodingVersion.V2_3,
      chooser
    )
  }

  def sparse(valueType: ValueType): SparseValues = new BufferlessValues {
    override def open(buffers: IndexedSeq[Buffer], structure: SparseDomains): SparseValuesReader = {
      valueType match {
        case PackedStructType(children) if children.isEmpty =>
        case _ =>
          val valid = structure.validLeaves.rank(structure.numLeafSlots)
          CorruptFileException.check(valid == 0, s"a page without values has $valid valid slots")
      }
      super.open(buffers, structure)
    }

    def read(from: Long, until: Long): LeafValues = NullLeaf((until - from).toInt)
  }
}
