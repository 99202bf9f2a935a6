// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.v0_1

import io.github.pysparklance.core._
import io.github.pysparklance.file.scheduling.ReadShare
import io.github.pysparklance.file.spi._
import io.github.pysparklance.storage.spi.RangeReader

/** Reads a data file of version 0.1.
  *
  * Its pages are found by field id. It contains no nulls, except of strings, binaries, and the null
  * type. Other nulls were written as zeros, empty lists, or structs of such values, regardless of
  * the schema.
  *
  * Source: format page of the legacy format.
  */
final private[file] class LegacyFileReader private (
    reader: RangeReader,
    tail: FileTail,
    metadata: Metadata,
    fieldIds: IndexedSeq[Int]
) extends FileReader {
  private val place = Place(path = Some(reader.path))
  private val present: Set[Int] = fieldIds.filter(_ >= 0).toSet
  private val dictionaries = new Dictionaries(tail, metadata)

  def numRows: Long = metadata.numRows

  def read(
      fields: IndexedSeq[FieldProjection],
      rows: IndexedSeq[RowRange],
      share: ReadShare
  ): RowReader = Place.in(place) {
    val roots = fields.map(_.field)
    checkRows(rows)
    val withPages = roots.flatMap(_.flatten).filter(f => hasPages(f)).map(_.id).distinct
    val pages = PageTable.read(
      tail,
      metadata.pageTablePosition,
      metadata.minId(fieldIds),
      withPages,
      metadata.numBatches,
      metadata.pageTablePosition
    )
    val numColumns = roots.iterator.map(_.flatten.length).sum
    val fileReads = share.file(reader, numColumns)
    val builder =
      new NodeBuilder(present, dictionaries.read, pages, fileReads.windowBytes, fileReads)
    val nodes = roots.map(f => Place.in(place.copy(column = Some(f.name)))(builder(f)))
    new LegacyRowReader(place, metadata, rows, roots.map(_.name), nodes, fileReads)
  }

  private def hasPages(field: Field): Boolean =
    present(field.id) && field.logicalType != LogicalType.Struct

  override def statistics(fieldId: Int): Option[PageStatistics] = Place.in(place) {
    metadata.statistics.flatMap { message =>
      new StatisticsMetadata(tail, metadata, message, reader).statistics(fieldId)
    }
  }

  def close(): Unit = reader.close()
}

private[file] object LegacyFileReader {

  /** Opens a file of version 0.1.
    *
    * @param fieldIds the `fields` of the manifest's `DataFile`
    * @param numRows rows of the file according to the table
    * @throws CorruptFileException if the file violates the format, or has another number of rows
    */
  def open(
      reader: RangeReader,
      tail: FileTail,
      fieldIds: IndexedSeq[Int],
      numRows: Long
  ): LegacyFileReader = {
    val metadata = Metadata.read(tail)
    CorruptFileException.check(
      metadata.numRows == numRows,
      s"the file has ${metadata.numRows} rows, but $numRows are expected"
    )
    new LegacyFileReader(reader, tail, metadata, fieldIds)
  }

  /** Returns the end row of each non-empty batch of the file. */
  def batchEnds(tail: FileTail): IndexedSeq[Int] =
    Metadata.read(tail).batchOffsets.toIndexedSeq.distinct.filter(_ > 0)

  /** Returns the number of rows of the file. */
  def numRows(tail: FileTail): Long = Metadata.read(tail).numRows
}
