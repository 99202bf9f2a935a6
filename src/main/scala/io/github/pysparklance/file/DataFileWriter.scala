// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file

import com.google.protobuf.{Any => ProtobufAny, ByteString}

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.EncodingChooser
import io.github.pysparklance.encoding.layout.LeafColumnWriter
import io.github.pysparklance.encoding.proto.v2_0.ColumnEncoding
import io.github.pysparklance.encoding.spi.EncodingVersion
import io.github.pysparklance.file.proto.FileDescriptor
import io.github.pysparklance.file.proto.v2.{
  ColumnMetadata => ColumnMessage,
  DirectEncoding,
  Encoding
}
import io.github.pysparklance.storage.spi.OutputFile

/** A finished data file, as a manifest lists it.
  *
  * @param fieldIds ids of the fields that own a column
  * @param columnIndices the column of each of them
  */
final case class DataFileSummary(
    path: String,
    numRows: Long,
    sizeBytes: Long,
    fieldIds: IndexedSeq[Int],
    columnIndices: IndexedSeq[Int],
    version: FileVersion
)

/** How much a writer gathers before it writes.
  *
  * @param pageBytes a column's values in memory that make a page, about
  * @param totalBytes over all columns; a file of many columns gets smaller pages
  */
final case class WriteBudget(pageBytes: Long, totalBytes: Long) {

  /** Size of a page when that many columns are written side by side. */
  def pageBytes(numColumns: Int): Long =
    math.max(WriteBudget.minPageBytes, math.min(pageBytes, totalBytes / math.max(1, numColumns)))
}

object WriteBudget {
  val minPageBytes: Long = 64L << 10
  val default: WriteBudget = WriteBudget(pageBytes = 8L << 20, totalBytes = 128L << 20)
}

/** Writes a data file of version 2.1 or 2.2 from front to back: every column gathers rows until they make a page. Not
  * thread-safe.
  *
  * An error removes the file, and the writer takes no further calls.
  *
  * Source: format page of the file container, "Writing".
  *
  * @param output a new file; belongs to the writer
  * @param schema every field has its id
  * @throws UnsupportedFeatureException for a file version or a type that cannot be written
  */
final class DataFileWriter(
    output: OutputFile,
    schema: Schema,
    version: FileVersion,
    budget: WriteBudget = WriteBudget.default
) extends AutoCloseable {
  import DataFileWriter._

  private var rows = 0L
  private var open = true
  private val columns: IndexedSeq[ColumnPages] = orAbort {
    val encodings = new EncodingChooser(encodingVersion(version))
    schema.flatten.foreach(checkField(_, version))
    for {
      (field, i) <- schema.fields.zipWithIndex
      path <- LeafPaths.of(field)
    } yield Place.in(Place(column = Some(LeafPaths.name(path)))) {
      new ColumnPages(i, path, new LeafColumnWriter(path, encodings))
    }
  }
  private val pageBytes = budget.pageBytes(columns.length)

  /** Rows so far. */
  def numRows: Long = rows

  /** Bytes of the rows that no page holds yet. */
  def bufferedBytes: Long = columns.iterator.map(_.writer.bufferedBytes).sum

  /** Bytes written so far. */
  def writtenBytes: Long = output.position

  /** Appends rows.
    *
    * @param batch one column of `numRows` rows for each field of the schema; not kept
    * @throws InvalidRequestException when the columns do not fit the schema
    */
  def write(batch: IndexedSeq[Column], numRows: Int): Unit = orAbort {
    if (batch.length != schema.fields.length || batch.exists(_.numRows != numRows))
      throw new InvalidRequestException(
        s"${batch.length} columns of ${batch.map(_.numRows).distinct.mkString(", ")} rows, expected " +
          s"${schema.fields.length} of $numRows"
      )
    columns.foreach(c => c.in(append(c, batch(c.field), numRows)))
    rows += numRows
  }

  private def append(column: ColumnPages, values: Column, numRows: Int): Unit = {
    var from = 0
    while (from < numRows) {
      val count = ColumnSize.rowsWithin(values, from, numRows - from, pageBytes / 4)
      column.writer.append(values, from, count)
      if (column.writer.bufferedBytes >= pageBytes) flush(column)
      from += count
    }
  }

  private def flush(column: ColumnPages): Unit = column.writer.flush().foreach { page =>
    val message = ColumnMessage.Page
      .newBuilder()
      .setLength(page.numRows)
      .setPriority(column.numRows)
      .setEncoding(direct(page.typeUrl, ByteString.copyFrom(page.encoding)))
    page.buffers.foreach { buffer =>
      message.addBufferOffsets(output.position).addBufferSizes(buffer.length.toLong)
      output.write(buffer.array, buffer.offset, buffer.length)
      pad()
    }
    column.add(message.build())
  }

  private def pad(): Unit = {
    val past = (output.position % DataFileMetadata.alignment).toInt
    if (past != 0) output.write(padding, 0, DataFileMetadata.alignment - past)
  }

  /** Writes what is gathered and the file's tables, and closes it. */
  def finish(): DataFileSummary = orAbort {
    columns.foreach(c => c.in(flush(c)))
    val descriptor = append(
      FileDescriptor.newBuilder().setSchema(
        FieldMessages.toMessage(schema)
      ).setLength(rows).build().toByteArray
    )
    val columnMetadataStart = output.position
    val metadata = columns.map(c => append(c.metadata))
    val columnMetadataOffsetsStart = output.position
    output.write(table(metadata))
    val globalBufferOffsetsStart = output.position
    output.write(table(IndexedSeq(descriptor)))
    val footer = Footer(
      columnMetadataStart,
      columnMetadataOffsetsStart,
      globalBufferOffsetsStart,
      numGlobalBuffers = 1,
      numColumns = columns.length,
      version
    )
    output.write(footer.toBytes)
    val size = output.position
    output.close()
    open = false
    DataFileSummary(
      output.path,
      rows,
      size,
      columns.map(_.path.last.id),
      columns.indices,
      version
    )
  }

  private def append(bytes: Array[Byte]): ByteRange = {
    val range = ByteRange(output.position, bytes.length.toLong)
    output.write(bytes)
    range
  }

  /** Removes the file, unless it is finished. */
  def abort(): Unit = if (open) {
    open = false
    output.abort()
  }

  /** The same as [[abort]]. */
  def close(): Unit = abort()

  private def orAbort[A](body: => A): A = {
    if (!open)
      throw new InvalidRequestException("the writer has ended", Place(path = Some(output.path)))
    var done = false
    try {
      val answer = Place.in(Place(path = Some(output.path)))(body)
      done = true
      answer
    } finally if (!done) abort()
  }

  /** One column of the file: the rows that wait to be a page, and the pages written. */
  final private class ColumnPages(
      val field: Int,
      val path: IndexedSeq[Field],
      val writer: LeafColumnWriter
  ) {
    private val message = ColumnMessage.newBuilder().setEncoding(columnEncoding)
    private var rowsInPages = 0L

    /** Rows in the pages written. */
    def numRows: Long = rowsInPages

    def add(page: ColumnMessage.Page): Unit = {
      message.addPages(page)
      rowsInPages += page.getLength
    }

    def metadata: Array[Byte] = message.build().toByteArray

    def in[A](body: => A): A =
      Place.in(Place(column = Some(LeafPaths.name(path))))(body)
  }
}

private object DataFileWriter {

  /** What fills the file between buffers, as other writers do. */
  private val padding: Array[Byte] = Array.fill(DataFileMetadata.alignment)(0x48.toByte)

  private val columnEncoding: Encoding = direct(
    ColumnMetadata.columnEncodingUrl,
    ColumnEncoding
      .newBuilder()
      .setValues(com.google.protobuf.Empty.getDefaultInstance)
      .build()
      .toByteString
  )

  private def direct(typeUrl: String, value: ByteString): Encoding = {
    val any = ProtobufAny.newBuilder().setTypeUrl(typeUrl).setValue(value).build()
    Encoding.newBuilder().setDirect(
      DirectEncoding.newBuilder().setEncoding(any.toByteString)
    ).build()
  }

  private def table(ranges: IndexedSeq[ByteRange]): Array[Byte] = {
    val bytes = new Array[Byte](ranges.length * Footer.tableEntryBytes)
    ranges.zipWithIndex.foreach { case (range, i) =>
      Buffer.putLong(bytes, i * Footer.tableEntryBytes, range.offset)
      Buffer.putLong(bytes, i * Footer.tableEntryBytes + 8, range.length)
    }
    bytes
  }

  private def encodingVersion(version: FileVersion): EncodingVersion = version match {
    case FileVersion.V2_1 => EncodingVersion.V2_1
    case FileVersion.V2_2 => EncodingVersion.V2_2
    case other => throw new UnsupportedFeatureException(s"writing data files of version $other")
  }

  private def checkField(field: Field, version: FileVersion): Unit = {
    if (field.id < 0) throw new InvalidRequestException(s"the field '${field.name}' has no id")
    if (field.logicalType == LogicalType.Map && version == FileVersion.V2_1)
      throw new UnsupportedFeatureException(
        s"the map '${field.name}' in a data file of version $version; 2.2 can hold it"
      )
  }
}
