// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding

import com.google.protobuf.{Any => ProtobufAny, InvalidProtocolBufferException}

import io.github.pysparklance.core.{
  CorruptFileException,
  PackedStructType,
  UnsupportedFeatureException,
  ValueType
}
import io.github.pysparklance.encoding.layout.planar.PlanarLayout
import io.github.pysparklance.encoding.layout.{
  BlobLayout,
  ConstantLayout,
  FullZipLayout,
  MiniBlockLayout
}
import io.github.pysparklance.encoding.proto.v2_1.PageLayout
import io.github.pysparklance.encoding.proto.{v2_3 => planar}
import io.github.pysparklance.encoding.spi.{EncodingVersion, PageDecoder}

/** Chooses the decoder of a page from its description in the column metadata.
  *
  * Source: format page of the structural encodings, "From a column page to a layout".
  */
object PageDecoders {

  /** Type URL of the message that describes pages of 2.1 and 2.2. */
  val PageLayoutUrl = "/lance.encodings21.PageLayout"

  /** Type URL of the message that describes pages of 2.3. */
  val PlanarLayoutUrl = "/lance.encodings23.PlanarLayout"

  /** Returns the decoder of a page.
    *
    * @param encoding a serialized `google.protobuf.Any`: the page's direct encoding
    * @param numRows number of rows in the page
    * @param bufferSizes bytes of the page's buffers, in order
    * @param valueType type of the values in the column's leaf
    * @throws CorruptFileException if the description is damaged or inconsistent
    * @throws UnsupportedFeatureException for an unsupported layout
    */
  def apply(
      encoding: Array[Byte],
      numRows: Long,
      bufferSizes: IndexedSeq[Long],
      valueType: ValueType,
      version: EncodingVersion
  ): PageDecoder = {
    CorruptFileException.check(numRows > 0, s"a page of $numRows rows")
    val any = parsed(ProtobufAny.parseFrom(encoding))
    (any.getTypeUrl, version) match {
      case (PageLayoutUrl, EncodingVersion.V2_1 | EncodingVersion.V2_2) =>
        pageLayout(
          parsed(PageLayout.parseFrom(any.getValue)),
          numRows,
          bufferSizes,
          valueType,
          version
        )
      case (PlanarLayoutUrl, EncodingVersion.V2_3) =>
        val layout = parsed(planar.PlanarLayout.parseFrom(any.getValue))
        PlanarLayout.decoder(layout, numRows, bufferSizes, valueType, Compressions.of(version))
      case (PageLayoutUrl, EncodingVersion.V2_3) =>
        throw new UnsupportedFeatureException(
          "pages of file version 2.3 by releases before 14 (PageLayout where PlanarLayout is expected)"
        )
      case (other, _) =>
        throw new UnsupportedFeatureException(
          s"page encoding '$other' in a file of version $version"
        )
    }
  }

  private def pageLayout(
      layout: PageLayout,
      numRows: Long,
      bufferSizes: IndexedSeq[Long],
      valueType: ValueType,
      version: EncodingVersion
  ): PageDecoder = {
    val chooser = Compressions.of(version)
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
      case BLOB_LAYOUT =>
        val blob = layout.getBlobLayout
        CorruptFileException.check(
          valueType.isInstanceOf[PackedStructType],
          "a page of blobs in a column of another type"
        )
        CorruptFileException.check(
          !blob.getInnerLayout.hasBlobLayout,
          "a page of blobs inside a page of blobs"
        )
        val inner =
          pageLayout(blob.getInnerLayout, numRows, bufferSizes, BlobLayout.descriptorType, version)
        BlobLayout.decoder(blob, inner)
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
          s"the page encoding is not valid protobuf: ${e.getMessage}",
          cause = e
        )
    }
}
