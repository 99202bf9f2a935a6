// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file

import io.github.pysparklance.core.{Buffer, ByteRange, Schema}
import io.github.pysparklance.file.metadata.{FieldMessages, FileVersion, Footer}
import io.github.pysparklance.file.proto.FileDescriptor
import io.github.pysparklance.storage.spi.OutputFile

/** Writes the part of a 2.x file after the data area: the file descriptor, the column metadata,
  * their tables, and the footer.
  *
  * Source: format page of the file container, "Byte map".
  */
private object DataFileTables {

  /** Writes the end of a file.
    *
    * @param output its position must be a multiple of [[DataFileMetadata.alignment]]
    * @param columns serialized messages `ColumnMetadata`
    * @param buffers global buffers after the descriptor, already written to the data area
    */
  def write(
      output: OutputFile,
      schema: Schema,
      version: FileVersion,
      numRows: Long,
      columns: IndexedSeq[Array[Byte]],
      buffers: IndexedSeq[ByteRange] = IndexedSeq.empty
  ): Unit = {
    def append(bytes: Array[Byte]): ByteRange = {
      val range = ByteRange(output.position, bytes.length.toLong)
      output.write(bytes)
      range
    }
    val descriptor = append(
      FileDescriptor
        .newBuilder()
        .setSchema(FieldMessages.toFileMessage(schema))
        .setLength(numRows)
        .build()
        .toByteArray
    )
    val columnMetadataStart = output.position
    val metadata = columns.map(append)
    val columnMetadataOffsetsStart = output.position
    output.write(table(metadata))
    val globalBufferOffsetsStart = output.position
    output.write(table(descriptor +: buffers))
    val footer = Footer(
      columnMetadataStart,
      columnMetadataOffsetsStart,
      globalBufferOffsetsStart,
      numGlobalBuffers = 1 + buffers.length,
      numColumns = columns.length,
      version
    )
    output.write(footer.toBytes)
  }

  private def table(ranges: IndexedSeq[ByteRange]): Array[Byte] = {
    val bytes = new Array[Byte](ranges.length * Footer.tableEntryBytes)
    ranges.zipWithIndex.foreach { case (range, i) =>
      Buffer.putLong(bytes, i * Footer.tableEntryBytes, range.offset)
      Buffer.putLong(bytes, i * Footer.tableEntryBytes + 8, range.length)
    }
    bytes
  }
}
