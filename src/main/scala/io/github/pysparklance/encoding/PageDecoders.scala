// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding

import com.google.protobuf.{Any => ProtobufAny, InvalidProtocolBufferException}
import io.github.pysparklance.core.{CorruptFileException, UnsupportedFeatureException, ValueType}
import io.github.pysparklance.encoding.layout.{ConstantLayout, FullZipLayout, MiniBlockLayout}
import io.github.pysparklance.encoding.proto.v2_1.PageLayout
import io.github.pysparklance.encoding.spi.{DecoderChooser, EncodingVersion, PageDecoder}

/** Chooses how to read a page from the description that the column's metadata hold.
  *
  * Source: format page of the structural encodings, "From a column page to a layout".
  */
object PageDecoders {

  /** The type of the message that describes pages of 2.1 and 2.2. */
  val PageLayoutUrl = "/lance.encodings21.PageLayout"

  /** @param encoding a serialized `google.protobuf.Any`: the page's direct encoding
    * @param numRows rows of the page
    * @param bufferSizes bytes of the page's buffers, in order
    * @param valueType what the column's leaf holds
    * @throws CorruptFileException when the description is damaged or contradicts itself
    * @throws UnsupportedFeatureException for a layout that is not built
    */
  def apply(
      encoding: Array[Byte],
      numRows: Long,
      bufferSizes: IndexedSeq[Long],
      valueType: ValueType,
      version: EncodingVersion,
      chooser: DecoderChooser = Compressions
  ): PageDecoder = {
    CorruptFileException.check(numRows > 0, s"a page of $numRows rows")
    val any = parsed(ProtobufAny.parseFrom(encoding))
    if (any.getTypeUrl != PageLayoutUrl)
      throw new UnsupportedFeatureException(
        s"page encoding '${any.getTypeUrl}' in a file of version $version"
      )
    val layout = parsed(PageLayout.parseFrom(any.getValue))
    import PageLayout.LayoutCase._
    layout.getLayoutCase match {
      case MINI_BLOCK_LAYOUT =>
        MiniBlockLayout.decoder(
          layout.getMiniBlockLayout,
          numRows,
          bufferSizes,
          valueType,
          version,
          chooser
        )
      case FULL_ZIP_LAYOUT =>
        FullZipLayout.decoder(layout.getFullZipLayout, numRows, bufferSizes, valueType, chooser)
      case CONSTANT_LAYOUT =>
        ConstantLayout.decoder(
          layout.getConstantLayout,
          numRows,
          bufferSizes,
          valueType,
          version,
          chooser
        )
      case BLOB_LAYOUT => throw new UnsupportedFeatureException("blob page layout")
      case LAYOUT_NOT_SET =>
        throw new UnsupportedFeatureException(
          s"page layout ${layout.getUnknownFields.asMap.keySet}"
        )
    }
  }

  private def parsed[A](parse: => A): A =
    try parse
    catch {
      case e: InvalidProtocolBufferException =>
        throw new CorruptFileException(
          s"page encoding that is no protobuf: ${e.getMessage}",
          cause = e
        )
    }
}
