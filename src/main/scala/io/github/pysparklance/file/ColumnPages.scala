// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file

import com.google.protobuf.{Any => ProtobufAny, ByteString, Empty}

import io.github.pysparklance.encoding.proto.v2_0.{Blob, ColumnEncoding}
import io.github.pysparklance.encoding.spi.EncodedPage
import io.github.pysparklance.file.metadata.ColumnMetadata
import io.github.pysparklance.file.proto.v2.{ColumnMetadata => Message, DirectEncoding, Encoding}

/** Writes the pages of one column of a 2.x file, and collects their metadata for the end of the
  * file.
  *
  * Source: message `lance.file.v2.ColumnMetadata`.
  *
  * @param fieldId the field of the column
  * @param encoding encoding of the column
  */
final private class ColumnPages(area: DataArea, val fieldId: Int, encoding: ColumnEncoding) {
  private val message =
    Message.newBuilder().setEncoding(
      ColumnPages.direct(ColumnMetadata.columnEncodingUrl, encoding.toByteString)
    )
  private var rows = 0L

  /** Rows in the pages written so far; below fixed-size lists of structs, entries. */
  def numRows: Long = rows

  /** Writes the next page.
    *
    * @param priority first top-level row of the page; 0 in files of version 2.0
    */
  def write(page: EncodedPage, priority: Long): Unit = {
    val entry = Message.Page
      .newBuilder()
      .setLength(page.numRows)
      .setPriority(priority)
      .setEncoding(ColumnPages.direct(page.typeUrl, ByteString.copyFrom(page.encoding)))
    page.buffers.foreach { buffer =>
      val range = area.write(buffer)
      entry.addBufferOffsets(range.offset).addBufferSizes(range.length)
    }
    message.addPages(entry)
    rows += page.numRows
  }

  /** Returns the serialized message. */
  def metadata: Array[Byte] = message.build().toByteArray
}

private object ColumnPages {

  /** The pages contain the values of the column. */
  val Values: ColumnEncoding =
    ColumnEncoding.newBuilder().setValues(Empty.getDefaultInstance).build()

  /** The pages contain positions of blobs. Only version 2.0 declares this for the column. */
  val Blobs: ColumnEncoding =
    ColumnEncoding.newBuilder().setBlob(Blob.newBuilder().setInner(Values)).build()

  /** Returns a serialized `Any`. */
  def any(typeUrl: String, value: ByteString): ByteString =
    ProtobufAny.newBuilder().setTypeUrl(typeUrl).setValue(value).build().toByteString

  private def direct(typeUrl: String, value: ByteString): Encoding =
    Encoding.newBuilder().setDirect(
      DirectEncoding.newBuilder().setEncoding(any(typeUrl, value))
    ).build()
}
