// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.PageDecoders
import io.github.pysparklance.encoding.spi.{EncodingVersion, PageDecoder}
import io.github.pysparklance.file.metadata.{DataFileMetadata, FileVersion, LeafPaths, PageMetadata}
import io.github.pysparklance.file.reading.{
  ArrayFieldReader,
  ArrayFields,
  BatchReader,
  ColumnScan,
  EmptyStructPage,
  FieldReader,
  FixedSizeListPages,
  NestedColumn,
  NestedFieldReader,
  ReadPlan
}
import io.github.pysparklance.file.scheduling.{FileReads, ReadBudget, ReadScheduler, ReadShare}
import io.github.pysparklance.file.spi._
import io.github.pysparklance.storage.spi.RangeReader

/** Reads columns of a data file of version 2.0, 2.1, 2.2, or 2.3.
  *
  * Source: format page of the file container.
  *
  * @param numRows rows of every projected column
  */
final class DataFileReader private (
    reader: RangeReader,
    val metadata: DataFileMetadata,
    val numRows: Long
) extends FileReader {
  private def place: Place = Place(path = Some(reader.path))

  def read(
      fields: IndexedSeq[FieldProjection],
      rows: IndexedSeq[RowRange],
      share: ReadShare
  ): BatchReader = Place.in(place) {
    checkRows(rows)
    val fileReads = share.file(reader, fields.iterator.map(_.columns.length).sum)
    val readers = metadata.version match {
      case FileVersion.V2_0 =>
        val arrays = new ArrayFields(place, metadata, numRows, fileReads)
        fields.map(new ArrayFieldReader(_, arrays, rows))
      case FileVersion.V2_1 =>
        fields.map(nested(_, rows, EncodingVersion.V2_1, fileReads))
      case FileVersion.V2_2 =>
        fields.map(nested(_, rows, EncodingVersion.V2_2, fileReads))
      case FileVersion.V2_3 =>
        fields.map(nested(_, rows, EncodingVersion.V2_3, fileReads))
      case other => throw new UnsupportedFeatureException(s"data files of version $other", place)
    }
    new BatchReader(place, rows, readers, fileReads)
  }

  override def read(
      fields: IndexedSeq[FieldProjection],
      rows: IndexedSeq[RowRange],
      budget: ReadBudget = ReadBudget.default
  ): BatchReader = read(fields, rows, new ReadScheduler(budget).share())

  private def nested(
      projection: FieldProjection,
      rows: IndexedSeq[RowRange],
      version: EncodingVersion,
      fileReads: FileReads
  ): FieldReader = {
    val scans = LeafPaths.of(projection.field).zip(projection.columnIndices).map {
      case (_, FieldProjection.Missing) => null
      case (path, index) =>
        val at = place.copy(column = Some(LeafPaths.name(path)))
        val valueType = Place.in(at)(path.last.valueType)
        val repeated = new FixedSizeListPages(path)
        val pages = Place.in(at)(repeated.pages(metadata.column(index).pages))
        val found = pages.lastOption.fold(0L)(_.endRow)
        DataFileReader.checkNumRows(reader.path, index, found, numRows)
        val ofPage: PageMetadata => PageDecoder =
          if (path.last.isEmptyStruct) page => new EmptyStructPage(page.numRows)
          else pageDecoder(valueType, version)(_)
        val decoder = repeated.decoder(ofPage)(_)
        new ColumnScan(at, ReadPlan.pages(pages, rows), decoder, fileReads)
    }
    new NestedFieldReader(place, new NestedColumn(projection.field), scans.toArray)
  }

  private def pageDecoder(valueType: ValueType, version: EncodingVersion)(
      page: PageMetadata
  ): PageDecoder = PageDecoders(
    page.encoding,
    page.numRows,
    page.buffers.map(_.length),
    valueType,
    version
  )

  def close(): Unit = reader.close()
}

object DataFileReader {

  /** Opens a file for some of its columns, usually with one request.
    *
    * @param reader owned by the result, and closed if opening fails
    * @param columns indices of the columns to read
    * @param numRows rows of the file according to the table
    * @throws CorruptFileException if the file violates the format, or one of the columns has an
    *   impossible number of rows
    * @throws UnsupportedFeatureException for an unknown or unsupported file version
    */
  def open(reader: RangeReader, columns: Iterable[Int], numRows: Long): DataFileReader =
    DataFiles.openByTail(reader)(open(reader, _, columns, numRows))

  private[file] def open(
      reader: RangeReader,
      tail: FileTail,
      columns: Iterable[Int],
      numRows: Long
  ): DataFileReader = {
    val metadata = DataFileMetadata.read(tail, Some(columns))
    // Columns of 2.0 below lists count items. The other columns are checked when a field is read.
    if (metadata.version != FileVersion.V2_0)
      columns.foreach { index =>
        // Below a fixed-size list of structs, a column counts all structs. Also checked with the
        // field.
        val found = metadata.column(index).numRows
        if (numRows == 0 || found == 0 || found % numRows != 0)
          checkNumRows(reader.path, index, found, numRows)
      }
    new DataFileReader(reader, metadata, numRows)
  }

  /** Creates a reader for a file whose metadata was already read. */
  private[file] def of(
      reader: RangeReader,
      metadata: DataFileMetadata,
      numRows: Long
  ): DataFileReader = new DataFileReader(reader, metadata, numRows)

  private def checkNumRows(path: String, index: Int, found: Long, expected: Long): Unit =
    if (found != expected)
      throw new CorruptFileException(
        s"column $index has $found rows, but $expected are expected",
        Place(path = Some(path))
      )
}
