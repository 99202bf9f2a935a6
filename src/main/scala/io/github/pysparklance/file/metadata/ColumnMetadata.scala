// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.metadata

import com.google.protobuf.{Any => ProtobufAny}

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.proto.v2_0.ColumnEncoding
import io.github.pysparklance.file.proto.v2.{ColumnMetadata => Message, Encoding}

/** Metadata of one page of a column.
  *
  * @param number position in the column's list of pages, for error messages
  * @param firstRow first row of the page in the file
  * @param buffers ranges of the page's buffers
  * @param columnBuffers ranges of buffers shared by all pages of the column; only in version 2.0
  * @param encoding a serialized `google.protobuf.Any` that describes the encoding
  * @param priority first top-level row of the page according to the writer; not needed for reading
  */
final case class PageMetadata(
    number: Int,
    firstRow: Long,
    numRows: Long,
    buffers: IndexedSeq[ByteRange],
    encoding: Array[Byte],
    columnBuffers: IndexedSeq[ByteRange] = IndexedSeq.empty,
    priority: Long = 0L
) {
  def endRow: Long = firstRow + numRows

  /** The buffers that an encoding of version 2.0 can reference: the page's buffers, followed by the
    * column's buffers.
    */
  def allBuffers: IndexedSeq[ByteRange] =
    if (columnBuffers.isEmpty) buffers else buffers ++ columnBuffers

  /** Total size of the page's own buffers. */
  val sizeBytes: Long = buffers.iterator.map(_.length).sum

  /** Mean size in bytes of a row of a non-empty page, at least 1. */
  def meanRowBytes: Long = math.max(1L, sizeBytes / numRows)
}

/** The non-empty pages of one column, in row order.
  *
  * Source: message `lance.file.v2.ColumnMetadata`; format page of the file container, "Messages".
  */
final case class ColumnMetadata(pages: IndexedSeq[PageMetadata]) {
  def numRows: Long = pages.lastOption.fold(0L)(_.endRow)
}

object ColumnMetadata {
  private[file] val columnEncodingUrl = "/lance.encodings.ColumnEncoding"

  /** Reads the message and validates it against the file.
    *
    * @param dataEnd end of the data area, which contains all buffers
    * @param isAligned whether buffers must start at multiples of [[DataFileMetadata.alignment]]
    * @throws CorruptFileException if the message is corrupt or a buffer is outside of the data area
    * @throws UnsupportedFeatureException for an unsupported column encoding, or an unsupported
    *   location of an encoding
    */
  def parse(bytes: Buffer, dataEnd: Long, isAligned: Boolean): ColumnMetadata =
    DataFileMetadata.parsed("column metadata") {
      val message = Message.parseFrom(bytes.toByteBuffer)
      checkEncoding(message)
      CorruptFileException.check(
        message.getBufferOffsetsCount == message.getBufferSizesCount,
        s"${message.getBufferOffsetsCount} offsets but ${message.getBufferSizesCount} sizes of column buffers"
      )
      val columnBuffers = (0 until message.getBufferSizesCount).map { i =>
        buffer(
          i,
          message.getBufferOffsets(i),
          message.getBufferSizes(i),
          dataEnd,
          isAligned = false
        )
      }
      val pages = IndexedSeq.newBuilder[PageMetadata]
      var row = 0L
      var i = 0
      while (i < message.getPagesCount) {
        val page = Place.in(Place(page = Some(i))) {
          parsePage(message.getPages(i), i, row, dataEnd, isAligned)
        }
        row = page.endRow
        if (page.numRows > 0) pages += page.copy(columnBuffers = columnBuffers)
        i += 1
      }
      ColumnMetadata(pages.result())
    }

  private def parsePage(
      message: Message.Page,
      number: Int,
      firstRow: Long,
      dataEnd: Long,
      isAligned: Boolean
  ): PageMetadata = {
    val numRows = message.getLength
    CorruptFileException.check(
      numRows >= 0 && numRows <= Long.MaxValue - firstRow,
      s"a page of ${java.lang.Long.toUnsignedString(numRows)} rows after $firstRow rows"
    )
    CorruptFileException.check(
      message.getBufferOffsetsCount == message.getBufferSizesCount,
      s"${message.getBufferOffsetsCount} offsets but ${message.getBufferSizesCount} sizes of page buffers"
    )
    val buffers = (0 until message.getBufferSizesCount).map { i =>
      buffer(i, message.getBufferOffsets(i), message.getBufferSizes(i), dataEnd, isAligned)
    }
    PageMetadata(
      number,
      firstRow,
      numRows,
      buffers,
      direct(message.getEncoding),
      priority = message.getPriority
    )
  }

  private def buffer(
      i: Int,
      offset: Long,
      size: Long,
      dataEnd: Long,
      isAligned: Boolean
  ): ByteRange =
    if (size == 0) ByteRange(0, 0) // absent, so its offset is meaningless
    else {
      CorruptFileException.check(
        offset >= 0 && size >= 0 && offset <= dataEnd && size <= dataEnd - offset,
        s"buffer $i: ${java.lang.Long.toUnsignedString(size)} bytes at " +
          s"${java.lang.Long.toUnsignedString(offset)} of a data area of $dataEnd bytes"
      )
      CorruptFileException.check(
        !isAligned || offset % DataFileMetadata.alignment == 0,
        s"buffer $i starts at $offset, which is not a multiple of ${DataFileMetadata.alignment}"
      )
      ByteRange(offset, size)
    }

  private def checkEncoding(message: Message): Unit = {
    val any = ProtobufAny.parseFrom(direct(message.getEncoding))
    checkTypeUrl(any.getTypeUrl, columnEncodingUrl)
    val encoding = ColumnEncoding.parseFrom(any.getValue)
    encoding.getColumnEncodingCase match {
      case ColumnEncoding.ColumnEncodingCase.VALUES => ()
      // The pages of a blob column contain descriptors. Only version 2.0 declares this for the
      // column.
      case ColumnEncoding.ColumnEncodingCase.BLOB if encoding.getBlob.getInner.hasValues => ()
      case other =>
        throw new UnsupportedFeatureException(s"column encoding ${other.name.toLowerCase}")
    }
  }

  /** Compares only the part after the last slash. */
  private def checkTypeUrl(found: String, expected: String): Unit =
    if (!found.endsWith(expected))
      throw new UnsupportedFeatureException(s"encoding of type '$found' instead of '$expected'")

  private def direct(encoding: Encoding): Array[Byte] = encoding.getLocationCase match {
    case Encoding.LocationCase.DIRECT => encoding.getDirect.getEncoding.toByteArray
    case Encoding.LocationCase.LOCATION_NOT_SET =>
      throw new CorruptFileException("the encoding is missing")
    case other => throw new UnsupportedFeatureException(s"${other.name.toLowerCase} encoding")
  }
}
