// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.layout.planar

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.layout.{PageWindows, RepDef}
import io.github.pysparklance.encoding.proto.v2_3
import io.github.pysparklance.encoding.proto.v2_3.StructuralPlane.{CodecCase => Structure}
import io.github.pysparklance.encoding.proto.v2_3.ValuePlane.{CodecCase => Plane}
import io.github.pysparklance.encoding.spi._

/** A page of version 2.3, which stores its structure and its values separately. Source: message
  * `PlanarLayout`; format page of the structural encodings, "Version 2.3".
  *
  * {{{
  *   structure   values: chunked          zipped           constant          none             indexed
  *   dense       as MiniBlockLayout       FullZipLayout    ConstantLayout    ConstantLayout   -
  *   sparse      chunks of every slot     valid slots      no buffers        no buffers       indices of every slot
  *
  *   buffers of a sparse page: value buffers | structure buffers, see SparseStructure
  * }}}
  * Supports pages written by release 14. Earlier releases wrote different pages under the same
  * version. The version is not stable yet.
  */
object PlanarLayout {

  /** Checks a page's message and returns the decoder of the page.
    *
    * @param numRows rows of the page, times the dimensions of all fixed-size lists of structs
    * @param bufferSizes bytes of its buffers
    */
  def decoder(
      layout: v2_3.PlanarLayout,
      numRows: Long,
      bufferSizes: IndexedSeq[Long],
      valueType: ValueType,
      chooser: DecoderChooser
  ): PageDecoder = layout.getStructure.getCodecCase match {
    case Structure.DENSE =>
      dense(
        layout.getStructure.getDense,
        layout.getValues,
        numRows,
        bufferSizes,
        valueType,
        chooser
      )
    case Structure.SPARSE =>
      sparse(
        layout.getStructure.getSparse,
        layout.getValues,
        numRows,
        bufferSizes,
        valueType,
        chooser
      )
    case Structure.CODEC_NOT_SET =>
      throw new UnsupportedFeatureException(
        s"planar page of structure ${layout.getStructure.getUnknownFields.asMap.keySet}"
      )
  }

  private def dense(
      structure: v2_3.DenseStructure,
      values: v2_3.ValuePlane,
      numRows: Long,
      bufferSizes: IndexedSeq[Long],
      valueType: ValueType,
      chooser: DecoderChooser
  ): PageDecoder = {
    val layers = structure.getLayersList
    RepDef(layers): Unit
    values.getCodecCase match {
      case Plane.CHUNKED =>
        ChunkedValues.dense(values.getChunked, layers, numRows, bufferSizes, valueType, chooser)
      case Plane.ZIPPED =>
        ZippedValues.dense(values.getZipped, layers, numRows, bufferSizes, valueType, chooser)
      case Plane.CONSTANT =>
        ConstantValue.dense(values.getConstant, layers, numRows, bufferSizes, valueType, chooser)
      case Plane.NONE => NoValues.dense(layers, numRows, bufferSizes, valueType, chooser)
      case Plane.INDEXED => throw new CorruptFileException("indexed values of a dense page")
      case Plane.CODEC_NOT_SET => throw unknown(values)
    }
  }

  private def sparse(
      structure: v2_3.SparseStructure,
      values: v2_3.ValuePlane,
      numRows: Long,
      bufferSizes: IndexedSeq[Long],
      valueType: ValueType,
      chooser: DecoderChooser
  ): PageDecoder = {
    val plan = SparseStructure(structure, numRows, chooser)
    val plane = values.getCodecCase match {
      case Plane.CHUNKED =>
        ChunkedValues.sparse(values.getChunked, plan.numLeafSlots, bufferSizes, valueType, chooser)
      case Plane.ZIPPED => ZippedValues.sparse(values.getZipped, bufferSizes, valueType, chooser)
      case Plane.CONSTANT => ConstantValue.sparse(values.getConstant, valueType)
      case Plane.NONE => NoValues.sparse(valueType)
      case Plane.INDEXED =>
        IndexedValues.sparse(values.getIndexed, plan.numLeafSlots, bufferSizes, valueType, chooser)
      case Plane.CODEC_NOT_SET => throw unknown(values)
    }
    PageWindows.checkBuffers(
      bufferSizes.length,
      plane.numBuffers + plan.numBuffers,
      "sparse planar page"
    )
    new SparsePage(plan, plane)
  }

  private def unknown(values: v2_3.ValuePlane): Throwable =
    new UnsupportedFeatureException(
      s"planar page of values ${values.getUnknownFields.asMap.keySet}"
    )
}
