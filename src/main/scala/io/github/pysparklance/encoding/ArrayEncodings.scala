// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding

import com.google.protobuf.{Any => ProtobufAny, InvalidProtocolBufferException}

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.proto.v2_0.{ArrayEncoding, Buffer => BufferMessage}
import io.github.pysparklance.encoding.spi._
import io.github.pysparklance.encoding.v2_0._

/** Chooses the decoders of one 2.0 page. Source: message `ArrayEncoding`, encodings_v2_0.proto. */
final class ArrayEncodings private (
    bufferSizes: IndexedSeq[Long],
    numPageBuffers: Int,
    val isDictionary: Boolean
) extends ArrayChooser {

  def position(buffer: BufferMessage): Int = {
    val index = Integer.toUnsignedLong(buffer.getBufferIndex)
    val (from, until) = buffer.getBufferType match {
      case BufferMessage.BufferType.page => (0, numPageBuffers)
      case BufferMessage.BufferType.column => (numPageBuffers, bufferSizes.length)
      case other => throw new UnsupportedFeatureException(s"buffers of the $other in a page")
    }
    CorruptFileException.check(
      index < until - from,
      s"buffer $index of the ${buffer.getBufferType}, which has ${until - from} buffers"
    )
    from + index.toInt
  }

  def sizeBytes(position: Int): Long = bufferSizes(position)

  def decoder(encoding: ArrayEncoding, numValues: Long, valueType: ValueType): ArrayDecoder = {
    import ArrayEncoding.ArrayEncodingCase._
    encoding.getArrayEncodingCase match {
      case FLAT => Flat.decoder(encoding.getFlat, numValues, valueType, this)
      case NULLABLE => Nullable.decoder(encoding.getNullable, numValues, valueType, this)
      case FIXED_SIZE_LIST =>
        FixedSizeList.decoder(encoding.getFixedSizeList, numValues, valueType, this)
      case BINARY => Binary.decoder(encoding.getBinary, numValues, valueType, this)
      case DICTIONARY => Dictionary.decoder(encoding.getDictionary, numValues, valueType, this)
      case FSST => Fsst.decoder(encoding.getFsst, numValues, valueType, this)
      case PACKED_STRUCT =>
        PackedStruct.decoder(encoding.getPackedStruct, numValues, valueType, this)
      case BITPACKED => Bitpacked.decoder(encoding.getBitpacked, numValues, valueType, this)
      case BITPACKED_FOR_NON_NEG =>
        BitpackedForNonNeg.decoder(encoding.getBitpackedForNonNeg, numValues, valueType, this)
      case FIXED_SIZE_BINARY =>
        FixedSizeBinary.decoder(encoding.getFixedSizeBinary, numValues, valueType, this)
      case LIST | STRUCT =>
        throw new CorruptFileException(s"${Trees.name(encoding)} for a column of $valueType")
      case ARRAYENCODING_NOT_SET =>
        throw new UnsupportedFeatureException(s"${Trees.name(encoding)} in a page of 2.0")
    }
  }
}

object ArrayEncodings {

  /** Type URL of the message that describes 2.0 pages. */
  val ArrayEncodingUrl = "/lance.encodings.ArrayEncoding"

  /** The kind of a page, which determines the column layout of its field. */
  sealed trait Kind
  object Kind {
    case object List extends Kind
    case object Struct extends Kind
    case object PackedStruct extends Kind
    case object Values extends Kind
  }

  /** Returns the kind of a page.
    *
    * @param encoding a serialized `google.protobuf.Any`: the page's direct encoding
    */
  def kind(encoding: Array[Byte]): Kind = {
    val message = parse(encoding)
    import ArrayEncoding.ArrayEncodingCase._
    message.getArrayEncodingCase match {
      case LIST => Kind.List
      case STRUCT => Kind.Struct
      case PACKED_STRUCT => Kind.PackedStruct
      case _ => Kind.Values
    }
  }

  /** Returns the decoder of a page of values.
    *
    * @param encoding a serialized `google.protobuf.Any`: the page's direct encoding
    * @param numValues number of values in the page
    * @param bufferSizes bytes of the page's buffers, followed by the column's buffers
    * @param numPageBuffers number of the page's own buffers
    * @param valueType type of the column's values
    * @param isDictionary whether the column's type is an Arrow dictionary
    * @throws CorruptFileException if the description is damaged or inconsistent
    * @throws UnsupportedFeatureException for an unsupported encoding
    */
  def values(
      encoding: Array[Byte],
      numValues: Long,
      bufferSizes: IndexedSeq[Long],
      numPageBuffers: Int,
      valueType: ValueType,
      isDictionary: Boolean
  ): ArrayDecoder =
    new ArrayEncodings(bufferSizes, numPageBuffers, isDictionary)
      .decoder(parse(encoding), numValues, valueType)

  /** Returns the decoder of a page of lists. See [[values]] for the parameters. */
  def lists(
      encoding: Array[Byte],
      numLists: Long,
      bufferSizes: IndexedSeq[Long],
      numPageBuffers: Int
  ): ListDecoder = {
    val message = parse(encoding)
    CorruptFileException.check(message.hasList, s"${Trees.name(message)} where a list is expected")
    val chooser = new ArrayEncodings(bufferSizes, numPageBuffers, isDictionary = false)
    v2_0.List.decoder(message.getList, numLists, chooser)
  }

  private def parse(encoding: Array[Byte]): ArrayEncoding =
    try {
      val any = ProtobufAny.parseFrom(encoding)
      if (!any.getTypeUrl.endsWith(ArrayEncodingUrl))
        throw new UnsupportedFeatureException(
          s"page encoding '${any.getTypeUrl}' in a file of version 2.0"
        )
      ArrayEncoding.parseFrom(any.getValue)
    } catch {
      case e: InvalidProtocolBufferException =>
        throw new CorruptFileException(
          s"the page encoding is not valid protobuf: ${e.getMessage}",
          cause = e
        )
    }
}
