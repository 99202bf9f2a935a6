// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.metadata

import com.google.protobuf.{Any => ProtobufAny}

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.proto.v2_0.ColumnEncoding
import io.github.pysparklance.file.proto.v2.{ColumnMetadata => Message, Encoding}

/** One page of a column.
  *
  * @param number position in the column's list of pages, for errors
  * @param firstRow row of the file at which the page begins
  * @param buffers where its buffers are
  * @param columnBuffers where those are that all pages of the column share; only 2.0 knows them
  * @param encoding a serialized `google.protobuf.Any` that says how to read them
  * @param priority the top-level row the page begins at, as the writer says; reading does not need it
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

  /** The buffers that an encoding of 2.0 may name: the page's own, then the column's. */
  def allBuffers: IndexedSeq[ByteRange] =
    if (columnBuffers.isEmpty) buffers else buffers ++ columnBuffers

  /** Bytes of the page's own buffers. */
  val sizeBytes: Long = buffers.iterator.map(_.length).sum

  /** Bytes of a row of a page that has any, at least 1. */
  def meanRowBytes: Long = math.max(1L, sizeBytes / numRows)
}

/** The pages of one column in row order, pages without rows left out.
  *
  * Source: message `lance.file.v2.ColumnMetadata`; format page of the file container, "Messages".
  */
final case class ColumnMetadata(pages: IndexedSeq[PageMetadata]) {
  def numRows: Long = pages.lastOption.fold(0L)(_.endRow)
}

object ColumnMetadata {
  private[file] val columnEncodingUrl = "/lance.encodings.ColumnEncoding"

  /** Reads the message and checks it against the file.
    *
    * @param dataEnd end of the data area, in which all buffers lie
    * @param isAligned whether they have to begin at multiples of [[DataFileMetadata.alignment]]
    * @throws CorruptFileException when the message is damaged or points outside the data area
    * @throws UnsupportedFeatureException for an encoding of the column, or a way to store one, that is not built
    */
  def parse(bytes: Buffer, dataEnd: Long, isAligned: Boolean): ColumnMetadata =
    DataFileMetadata.parsed("column metadata") {
      val message = Message.parseFrom(bytes.toByteBuffer)
      checkEncoding(message)
      CorruptFileException.check(
        message.getBufferOffsetsCount == message.getBufferSizesCount,
        s"${message.getBufferOffsetsCount} offsets and ${message.getBufferSizesCount} sizes of column buffers"
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
      s"${message.getBufferOffsetsCount} offsets and ${message.getBufferSizesCount} sizes of page buffers"
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
    if (size == 0) ByteRange(0, 0) // absent: its offset means nothing
    else {
      CorruptFileException.check(
        offset >= 0 && size >= 0 && offset <= dataEnd && size <= dataEnd - offset,
        s"buffer $i: ${java.lang.Long.toUnsignedString(size)} bytes at " +
          s"${java.lang.Long.toUnsignedString(offset)} of a data area of $dataEnd bytes"
      )
      CorruptFileException.check(
        !isAligned || offset % DataFileMetadata.alignment == 0,
        s"buffer $i begins at $offset, not at a multiple of ${DataFileMetadata.alignment}"
      )
      ByteRange(offset, size)
    }

  private def checkEncoding(message: Message): Unit = {
    val any = ProtobufAny.parseFrom(direct(message.getEncoding))
    checkTypeUrl(any.getTypeUrl, columnEncodingUrl)
    val encoding = ColumnEncoding.parseFrom(any.getValue)
    encoding.getColumnEncodingCase match {
      case ColumnEncoding.ColumnEncodingCase.VALUES => ()
      // The pages of a column of blobs hold their descriptors; 2.0 alone says so here.
      case ColumnEncoding.ColumnEncodingCase.BLOB if encoding.getBlob.getInner.hasValues => ()
      case other =>
        throw new UnsupportedFeatureException(s"column encoding ${other.name.toLowerCase}")
    }
  }

  /** Only what follows the last slash counts. */
  private def checkTypeUrl(found: String, expected: String): Unit =
    if (!found.endsWith(expected))
      throw new UnsupportedFeatureException(s"encoding of type '$found' where '$expected' belongs")

  private def direct(encoding: Encoding): Array[Byte] = encoding.getLocationCase match {
    case Encoding.LocationCase.DIRECT => encoding.getDirect.getEncoding.toByteArray
    case Encoding.LocationCase.LOCATION_NOT_SET =>
      throw new CorruptFileException("no encoding is given")
    case other => throw new UnsupportedFeatureException(s"${other.name.toLowerCase} encoding")
  }
}
