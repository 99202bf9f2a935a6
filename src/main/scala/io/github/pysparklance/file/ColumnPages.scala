// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file

import com.google.protobuf.{Any => ProtobufAny, ByteString, Empty}

import io.github.pysparklance.encoding.proto.v2_0.{Blob, ColumnEncoding}
import io.github.pysparklance.encoding.spi.EncodedPage
import io.github.pysparklance.file.metadata.ColumnMetadata
import io.github.pysparklance.file.proto.v2.{ColumnMetadata => Message, DirectEncoding, Encoding}

/** One column of a 2.x file that is being written: its pages go to the file, where they are is kept for the end.
  *
  * Source: message `lance.file.v2.ColumnMetadata`.
  *
  * @param fieldId the field that owns the column
  * @param encoding of the column as a whole
  */
final private class ColumnPages(area: DataArea, val fieldId: Int, encoding: ColumnEncoding) {
  private val message =
    Message.newBuilder().setEncoding(
      ColumnPages.direct(ColumnMetadata.columnEncodingUrl, encoding.toByteString)
    )
  private var rows = 0L

  /** Rows in the pages written; entries below fixed-size lists of structs. */
  def numRows: Long = rows

  /** Writes the next page.
    *
    * @param priority the top-level row at which the page begins; 0 in files of 2.0
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

  /** The serialized message. */
  def metadata: Array[Byte] = message.build().toByteArray
}

private object ColumnPages {

  /** The pages hold the column's values. */
  val Values: ColumnEncoding =
    ColumnEncoding.newBuilder().setValues(Empty.getDefaultInstance).build()

  /** The pages hold where the column's blobs are; 2.0 alone says so here. */
  val Blobs: ColumnEncoding =
    ColumnEncoding.newBuilder().setBlob(Blob.newBuilder().setInner(Values)).build()

  /** A serialized `Any`. */
  def any(typeUrl: String, value: ByteString): ByteString =
    ProtobufAny.newBuilder().setTypeUrl(typeUrl).setValue(value).build().toByteString

  private def direct(typeUrl: String, value: ByteString): Encoding =
    Encoding.newBuilder().setDirect(
      DirectEncoding.newBuilder().setEncoding(any(typeUrl, value))
    ).build()
}
