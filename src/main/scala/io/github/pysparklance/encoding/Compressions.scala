// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding

import io.github.pysparklance.core.{UnsupportedFeatureException, ValueType}
import io.github.pysparklance.encoding.compression._
import io.github.pysparklance.encoding.compression.bitpacking.{
  InlineBitpacking,
  OutOfLineBitpacking
}
import io.github.pysparklance.encoding.proto.v2_1.CompressiveEncoding
import io.github.pysparklance.encoding.proto.v2_1.CompressiveEncoding.CompressionCase._
import io.github.pysparklance.encoding.spi._

/** Chooses the decoder of a `CompressiveEncoding` by its variant and context. Rejects variants that
  * the context does not allow. Nested variants use this object to choose the decoders of their
  * children. Source: format page of the compressive encodings, "Decoding contexts".
  *
  * @param hasSequences whether encoded number sequences are allowed where 2.1 and 2.2 store plain
  *   numbers
  */
sealed class Compressions private (hasSequences: Boolean) extends DecoderChooser {

  def miniBlock(encoding: CompressiveEncoding, valueType: ValueType): MiniBlockDecoder =
    encoding.getCompressionCase match {
      case FLAT => Flat.miniBlock(encoding.getFlat, valueType)
      case VARIABLE if hasSequences && !encoding.getVariable.getOffsets.hasFlat =>
        VariableSequence.miniBlock(encoding.getVariable, valueType, this)
      case VARIABLE => Variable.miniBlock(encoding.getVariable, valueType)
      case INLINE_BITPACKING =>
        InlineBitpacking.miniBlock(encoding.getInlineBitpacking, valueType)
      case FSST => Fsst.miniBlock(encoding.getFsst, valueType)
      case RLE => Rle.miniBlock(encoding.getRle, valueType, rleChildren)
      case BYTE_STREAM_SPLIT =>
        ByteStreamSplit.miniBlock(encoding.getByteStreamSplit, valueType)
      case GENERAL => General.miniBlock(encoding.getGeneral, valueType, this)
      case FIXED_SIZE_LIST => FixedSizeList.miniBlock(encoding.getFixedSizeList, valueType)
      case PACKED_STRUCT => PackedStruct.miniBlock(encoding.getPackedStruct, valueType)
      case _ => reject(encoding, "in a mini-block page")
    }

  def fixedPerValue(encoding: CompressiveEncoding, valueType: ValueType): FixedPerValueDecoder =
    encoding.getCompressionCase match {
      case FLAT => Flat.fixedPerValue(encoding.getFlat, valueType)
      case CONSTANT => Constant.fixedPerValue(encoding.getConstant, valueType)
      case FIXED_SIZE_LIST => FixedSizeList.fixedPerValue(encoding.getFixedSizeList, valueType)
      case PACKED_STRUCT => PackedStruct.fixedPerValue(encoding.getPackedStruct, valueType)
      case _ => reject(encoding, "for values of one width in a full-zip page")
    }

  def variablePerValue(
      encoding: CompressiveEncoding,
      valueType: ValueType
  ): VariablePerValueDecoder =
    encoding.getCompressionCase match {
      case VARIABLE => Variable.perValue(encoding.getVariable, valueType)
      case FSST => Fsst.perValue(encoding.getFsst, valueType)
      case GENERAL => General.perValue(encoding.getGeneral, valueType, this)
      case VARIABLE_PACKED_STRUCT =>
        VariablePackedStruct.perValue(encoding.getVariablePackedStruct, valueType, this)
      case _ => reject(encoding, "for values of any width in a full-zip page")
    }

  def block(encoding: CompressiveEncoding, valueType: ValueType): BlockDecoder =
    encoding.getCompressionCase match {
      case FLAT => Flat.block(encoding.getFlat, valueType)
      case VARIABLE => Variable.block(encoding.getVariable, valueType)
      case INLINE_BITPACKING => InlineBitpacking.block(encoding.getInlineBitpacking, valueType)
      case OUT_OF_LINE_BITPACKING =>
        OutOfLineBitpacking.block(encoding.getOutOfLineBitpacking, valueType)
      case CONSTANT => Constant.block(encoding.getConstant, valueType)
      case RLE => Rle.block(encoding.getRle, valueType, rleChildren)
      case GENERAL => General.block(encoding.getGeneral, valueType, this)
      case FIXED_SIZE_LIST => FixedSizeList.block(encoding.getFixedSizeList, valueType)
      case _ => reject(encoding, "as a block")
    }

  def sequence(encoding: CompressiveEncoding, bits: Int): SequenceDecoder =
    if (hasSequences) Sequences.decoder(encoding, bits, this)
    else reject(encoding, "as a sequence of numbers before 2.3")

  private def rleChildren: RleChildren =
    if (hasSequences) RleChildren.Compressed else RleChildren.Plain

  private def reject(encoding: CompressiveEncoding, where: String): Nothing = {
    val name = encoding.getCompressionCase match {
      case COMPRESSION_NOT_SET => "an unknown value encoding"
      case other =>
        // CONSTANT -> Constant, BYTE_STREAM_SPLIT -> ByteStreamSplit
        other.name.split('_').map(w => s"${w.head}${w.tail.toLowerCase}").mkString
    }
    throw new UnsupportedFeatureException(s"$name $where")
  }
}

/** The encodings of 2.1 and 2.2. */
object Compressions extends Compressions(hasSequences = false) {
  private object WithSequences extends Compressions(hasSequences = true)

  def of(version: EncodingVersion): DecoderChooser = version match {
    case EncodingVersion.V2_1 | EncodingVersion.V2_2 => this
    case EncodingVersion.V2_3 => WithSequences
  }
}
