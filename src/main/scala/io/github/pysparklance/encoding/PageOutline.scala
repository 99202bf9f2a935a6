// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding

import scala.jdk.CollectionConverters._

import com.google.protobuf.{Any => ProtobufAny, InvalidProtocolBufferException}

import io.github.pysparklance.core.CorruptFileException
import io.github.pysparklance.encoding.proto.v2_0.{ArrayEncoding, Nullable}
import io.github.pysparklance.encoding.proto.v2_1._
import io.github.pysparklance.encoding.proto.v2_3.{PlanarLayout, StructuralPlane, ValuePlane}

/** A page's layout and encodings as text, from the outside in. Uses the names of the format's
  * messages and their fields.
  *
  * {{{
  *   2.0        array          nullable(bitpacked)
  *   2.1, 2.2   mini_block     dictionary(inline_bitpacking, general(lz4, variable))
  *   2.3        sparse_zipped  fsst(variable)
  * }}}
  *
  * @param layout how values, nulls, and lists are arranged
  * @param encoding how values are encoded; without the levels of nulls and lists
  */
final case class PageOutline(layout: String, encoding: String)

object PageOutline {

  /** Parses a page description. Its layout and encodings need not be supported.
    *
    * @param encoding a serialized `google.protobuf.Any`: the page's direct encoding
    * @throws CorruptFileException if it is damaged
    */
  def apply(encoding: Array[Byte]): PageOutline =
    try {
      val any = ProtobufAny.parseFrom(encoding)
      any.getTypeUrl match {
        case PageDecoders.PageLayoutUrl => pageLayout(PageLayout.parseFrom(any.getValue))
        case PageDecoders.PlanarLayoutUrl => planar(PlanarLayout.parseFrom(any.getValue))
        case url if url.endsWith(ArrayEncodings.ArrayEncodingUrl) =>
          PageOutline("array", array(ArrayEncoding.parseFrom(any.getValue)))
        case other => PageOutline(Unknown, other.split('/').last)
      }
    } catch {
      case e: InvalidProtocolBufferException =>
        throw new CorruptFileException(
          s"the page encoding is not valid protobuf: ${e.getMessage}",
          cause = e
        )
    }

  private val Unknown = "unknown"

  private def pageLayout(layout: PageLayout): PageOutline = {
    import PageLayout.LayoutCase._
    layout.getLayoutCase match {
      case MINI_BLOCK_LAYOUT =>
        val block = layout.getMiniBlockLayout
        val values = text(block.getValueCompression)
        PageOutline(
          "mini_block",
          if (block.hasDictionary) call("dictionary", values, text(block.getDictionary)) else values
        )
      case FULL_ZIP_LAYOUT =>
        PageOutline("full_zip", text(layout.getFullZipLayout.getValueCompression))
      case CONSTANT_LAYOUT => PageOutline("constant", "constant")
      case BLOB_LAYOUT =>
        PageOutline("blob", pageLayout(layout.getBlobLayout.getInnerLayout).encoding)
      case LAYOUT_NOT_SET => PageOutline(Unknown, Unknown)
    }
  }

  private def planar(layout: PlanarLayout): PageOutline = {
    val structure = layout.getStructure.getCodecCase match {
      case StructuralPlane.CodecCase.DENSE => "dense"
      case StructuralPlane.CodecCase.SPARSE => "sparse"
      case StructuralPlane.CodecCase.CODEC_NOT_SET => Unknown
    }
    val values = layout.getValues
    import ValuePlane.CodecCase._
    val (codec, encoding) = values.getCodecCase match {
      case CHUNKED =>
        val chunked = values.getChunked
        val plain = text(chunked.getCompression)
        "chunked" -> (
          if (chunked.hasDictionary) call("dictionary", plain, text(chunked.getDictionary))
          else plain
        )
      case ZIPPED => "zipped" -> text(values.getZipped.getCompression)
      case CONSTANT => "constant" -> "constant"
      case NONE => "none" -> "none"
      case INDEXED =>
        val indexed = values.getIndexed
        "indexed" -> call(
          "dictionary",
          text(indexed.getIndices),
          text(indexed.getItems.getCompression)
        )
      case CODEC_NOT_SET => Unknown -> Unknown
    }
    PageOutline(s"${structure}_$codec", encoding)
  }

  /** Encodings of 2.1 and later. */
  private def text(e: CompressiveEncoding): String = {
    import CompressiveEncoding.CompressionCase._
    val name = e.getCompressionCase.name.toLowerCase
    e.getCompressionCase match {
      case FLAT | VARIABLE | CONSTANT | INLINE_BITPACKING | OUT_OF_LINE_BITPACKING | RANGE => name
      case FSST => call(name, text(e.getFsst.getValues))
      case DICTIONARY =>
        call(name, text(e.getDictionary.getIndices), text(e.getDictionary.getItems))
      case RLE => call(name, text(e.getRle.getValues), text(e.getRle.getRunLengths))
      case BYTE_STREAM_SPLIT => call(name, text(e.getByteStreamSplit.getValues))
      case GENERAL =>
        call(name, scheme(e.getGeneral.getCompression), text(e.getGeneral.getValues))
      case FIXED_SIZE_LIST => call(name, text(e.getFixedSizeList.getValues))
      case PACKED_STRUCT => call(name, text(e.getPackedStruct.getValues))
      case VARIABLE_PACKED_STRUCT =>
        val fields = e.getVariablePackedStruct.getFieldsList.asScala
        call(name, fields.map(f => text(f.getValue)).toSeq: _*)
      case DELTA => call(name, text(e.getDelta.getDeltas))
      case COMPRESSION_NOT_SET => Unknown
    }
  }

  private def scheme(compression: BufferCompression): String = compression.getScheme match {
    case CompressionScheme.COMPRESSION_ALGORITHM_LZ4 => "lz4"
    case CompressionScheme.COMPRESSION_ALGORITHM_ZSTD => "zstd"
    case _ => Unknown
  }

  /** Encodings of 2.0. */
  private def array(e: ArrayEncoding): String = {
    import ArrayEncoding.ArrayEncodingCase._
    val name = e.getArrayEncodingCase.name.toLowerCase
    e.getArrayEncodingCase match {
      case FLAT if e.getFlat.hasCompression => call(name, e.getFlat.getCompression.getScheme)
      case NULLABLE =>
        val nullable = e.getNullable
        nullable.getNullabilityCase match {
          case Nullable.NullabilityCase.NO_NULLS => array(nullable.getNoNulls.getValues)
          case Nullable.NullabilityCase.SOME_NULLS =>
            call(name, array(nullable.getSomeNulls.getValues))
          case Nullable.NullabilityCase.ALL_NULLS => "all_nulls"
          case Nullable.NullabilityCase.NULLABILITY_NOT_SET => Unknown
        }
      case FIXED_SIZE_LIST => call(name, array(e.getFixedSizeList.getItems))
      case BINARY => call(name, array(e.getBinary.getBytes))
      case DICTIONARY =>
        call(name, array(e.getDictionary.getIndices), array(e.getDictionary.getItems))
      case FSST => call(name, array(e.getFsst.getBinary))
      case PACKED_STRUCT => call(name, e.getPackedStruct.getInnerList.asScala.map(array).toSeq: _*)
      case FIXED_SIZE_BINARY => call(name, array(e.getFixedSizeBinary.getBytes))
      case ARRAYENCODING_NOT_SET => Unknown
      case _ => name
    }
  }

  private def call(name: String, arguments: String*): String =
    arguments.mkString(s"$name(", ", ", ")")
}
