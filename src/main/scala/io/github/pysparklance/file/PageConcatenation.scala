// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file

import com.google.protobuf.ByteString

import io.github.pysparklance.core._
import io.github.pysparklance.file.metadata.{
  ColumnMetadata,
  DataFileMetadata,
  FileVersion,
  PageMetadata
}
import io.github.pysparklance.file.proto.v2.{ColumnMetadata => Message, DirectEncoding, Encoding}
import io.github.pysparklance.file.spi.{DataFileSummary, OutputGuard}
import io.github.pysparklance.storage.spi.{OutputFile, RangeReader}

/** Appends the pages of several 2.x files to a new file without decoding them. Not thread-safe.
  *
  * {{{
  *   file a   column 0: page page   column 1: page           new   column 0: page page page   column 1: page page
  *   file b   column 0: page        column 1: page
  * }}}
  * Pages reference their buffers by position in the file, and their first row. Everything else in
  * them is independent of the file.
  *
  * Source: format page of the file container, "Messages".
  *
  * @param output a new file; owned by this object
  * @param fieldIds field of each column; all appended files have these columns in this order
  */
final class PageConcatenation(
    output: OutputFile,
    schema: Schema,
    version: FileVersion,
    fieldIds: IndexedSeq[Int]
) {
  import PageConcatenation._

  private val guard = new OutputGuard(output)
  private val area = new DataArea(output)
  private val columns = fieldIds.map(_ => Message.newBuilder().setEncoding(valuesEncoding))
  private var rows = 0L

  /** Number of rows so far. */
  def numRows: Long = rows

  /** Number of bytes so far. */
  def numBytes: Long = output.position

  /** Appends the pages of a file for which [[PageConcatenation.isPossible]] holds. */
  def add(in: RangeReader): Unit = guard.step {
    val metadata = DataFileMetadata.read(in, None)
    val added = metadata.column(0).numRows
    columns.indices.foreach { i =>
      Place.in(Place(path = Some(in.path), column = Some(s"#$i"))) {
        metadata.column(i).pages.foreach(copy(in, _, columns(i)))
      }
    }
    rows += added
  }

  private def copy(in: RangeReader, page: PageMetadata, to: Message.Builder): Unit = {
    val entry = Message.Page
      .newBuilder()
      .setLength(page.numRows)
      .setPriority(page.priority + rows)
      .setEncoding(direct(ByteString.copyFrom(page.encoding)))
    in.readRanges(page.buffers).foreach { bytes =>
      val range = if (bytes.length == 0) ByteRange(output.position, 0) else area.write(bytes)
      entry.addBufferOffsets(range.offset).addBufferSizes(range.length)
    }
    to.addPages(entry): Unit
  }

  /** Finishes the file. */
  def finish(): DataFileSummary = guard.step {
    DataFileTables.write(output, schema, version, rows, columns.map(_.build().toByteArray))
    val size = output.position
    guard.close()
    DataFileSummary(output.path, rows, size, fieldIds, fieldIds.indices)
  }

  /** Deletes the file, unless it is finished. */
  def abort(): Unit = guard.abort()
}

object PageConcatenation {
  private val valuesEncoding: Encoding =
    direct(ColumnPages.any(ColumnMetadata.columnEncodingUrl, ColumnPages.Values.toByteString))

  private def direct(any: ByteString): Encoding =
    Encoding.newBuilder().setDirect(DirectEncoding.newBuilder().setEncoding(any)).build()

  /** Whether pages of such files are independent of the file. In version 2.0, this requires a
    * schema without nesting. Blobs are stored outside of pages, and pages below fixed-size lists of
    * structs count members instead of rows.
    */
  def isPossible(schema: Schema, version: FileVersion): Boolean = {
    def isPlain(f: Field) = !f.isBlob && !f.isEmptyStruct && (f.logicalType match {
      case LogicalType.FixedSizeList(LogicalType.Struct, _) => false
      case _ => true
    })
    val plain = schema.flatten.forall(isPlain) && schema.fields.nonEmpty
    version match {
      case FileVersion.V0_1 => false
      case FileVersion.V2_0 => plain && schema.fields.forall(_.children.isEmpty)
      case _ => plain
    }
  }

  /** Whether a file can be appended to others: it has the columns of the fields and nothing else.
    *
    * @throws InvalidRequestException if its number of rows is not the expected one
    */
  def isPossible(
      in: RangeReader,
      version: FileVersion,
      numColumns: Int,
      numRows: Long
  ): Boolean = {
    val m = DataFileMetadata.read(in, None)
    def columns = (0 until m.numColumns).map(m.column)
    if (columns.headOption.exists(_.numRows != numRows))
      throw new InvalidRequestException(
        s"a data file has ${m.column(0).numRows} rows, but $numRows are expected",
        Place(path = Some(in.path))
      )
    m.version == version && m.numColumns == numColumns && m.globalBuffers.length == 1 &&
    columns.forall(_.pages.forall(_.columnBuffers.isEmpty))
  }
}
