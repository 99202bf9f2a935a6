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

/** Puts the pages of several 2.x files, one behind the other, into a new file without decoding them. Used by one thread.
  *
  * {{{
  *   file a   column 0: page page   column 1: page           new   column 0: page page page   column 1: page page
  *   file b   column 0: page        column 1: page
  * }}}
  * Pages name their buffers by where they are in the file, and the row they begin at; all else in them holds in any
  * file.
  *
  * Source: format page of the file container, "Messages".
  *
  * @param output a new file; belongs to this
  * @param fieldIds field of each column, for files whose columns are these in this order
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

  /** Rows so far. */
  def numRows: Long = rows

  /** Bytes so far. */
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

  /** Ends the file. */
  def finish(): DataFileSummary = guard.step {
    DataFileTables.write(output, schema, version, rows, columns.map(_.build().toByteArray))
    val size = output.position
    guard.close()
    DataFileSummary(output.path, rows, size, fieldIds, fieldIds.indices)
  }

  /** Removes the file, unless it is finished. */
  def abort(): Unit = guard.abort()
}

object PageConcatenation {
  private val valuesEncoding: Encoding =
    direct(ColumnPages.any(ColumnMetadata.columnEncodingUrl, ColumnPages.Values.toByteString))

  private def direct(any: ByteString): Encoding =
    Encoding.newBuilder().setDirect(DirectEncoding.newBuilder().setEncoding(any)).build()

  /** Whether files of this version hold pages that mean the same in any file. Those of 2.0 do where nothing is nested.
    * Blobs lie outside of pages, and pages below fixed-size lists of structs count members, not rows.
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

  /** Whether a file can be appended to others: the columns of the fields and nothing else.
    *
    * @throws InvalidRequestException when it has another number of rows than expected
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
        s"a data file of ${m.column(0).numRows} rows where $numRows are expected",
        Place(path = Some(in.path))
      )
    m.version == version && m.numColumns == numColumns && m.globalBuffers.length == 1 &&
    columns.forall(_.pages.forall(_.columnBuffers.isEmpty))
  }
}
