// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.metadata

import scala.collection.concurrent.TrieMap

import com.google.protobuf.InvalidProtocolBufferException

import io.github.pysparklance.core._
import io.github.pysparklance.file.proto.FileDescriptor
import io.github.pysparklance.file.spi.FileTail
import io.github.pysparklance.storage.spi.RangeReader

/** The metadata of a data file, for the requested columns.
  *
  * Source: format page of the file container, "Byte map" and "Reading with little I/O".
  *
  * @param globalBuffers ranges of the global buffers; the first is the file descriptor
  */
final class DataFileMetadata private (
    val footer: Footer,
    val globalBuffers: IndexedSeq[ByteRange],
    wanted: Map[Int, ColumnMetadata],
    load: Int => ColumnMetadata,
    tail: FileTail
) {
  private val loaded = new TrieMap[Int, ColumnMetadata]

  def version: FileVersion = footer.version

  /** Number of columns of the file, requested or not. */
  def numColumns: Int = footer.numColumns

  /** Returns the metadata of a column. Reads it if it was not requested at first.
    *
    * @throws CorruptFileException if the file has no such column
    */
  def column(index: Int): ColumnMetadata =
    wanted.getOrElse(index, loaded.getOrElseUpdate(index, load(index)))

  /** Reads the schema from the descriptor of the file. Tables use the schema of the manifest
    * instead.
    *
    * @throws CorruptFileException if the descriptor cannot be parsed
    */
  def schema(): Schema = {
    val range = globalBuffers.head
    tail.in(range.offset) {
      val bytes = tail.read(IndexedSeq(range)).head
      DataFileMetadata.parsed("file descriptor") {
        val descriptor = FileDescriptor.parseFrom(bytes.toByteBuffer)
        CorruptFileException.check(descriptor.hasSchema, "the file descriptor has no schema")
        FieldMessages.toSchema(descriptor.getSchema)
      }
    }
  }
}

object DataFileMetadata {

  /** Page buffers and global buffers start at multiples of this. */
  val alignment: Int = 64

  /** Reads the metadata of a file. Usually takes one request, and up to two more if the metadata
    * is large.
    *
    * @param wanted indices of the columns whose metadata is needed, None for all
    * @throws CorruptFileException if the metadata violates the format
    * @throws UnsupportedFeatureException for an unknown or unsupported file version
    */
  def read(reader: RangeReader, wanted: Option[Iterable[Int]]): DataFileMetadata =
    FileTail.of(reader)(read(_, wanted))

  /** Reads the metadata of a file whose tail was already read. */
  private[file] def read(tail: FileTail, wanted: Option[Iterable[Int]]): DataFileMetadata = {
    val footer = Footer.parse(tail.bytes, tail.fileSize)
    val tableBytes = tail.fileSize - Footer.numBytes - footer.columnMetadataOffsetsStart
    val tables =
      tail.read(IndexedSeq(ByteRange(footer.columnMetadataOffsetsStart, tableBytes))).head
    val globalBuffers = readGlobalBuffers(footer, tables, tail.fileSize)
    def columns(indices: IndexedSeq[Int]): IndexedSeq[ColumnMetadata] = {
      val ranges = indices.map(columnRange(_, footer, tables))
      val dataEnd = globalBuffers.head.offset
      indices.zip(ranges).zip(tail.read(ranges)).map { case ((index, range), bytes) =>
        tail.in(range.offset) {
          Place.in(Place(column = Some(s"#$index"))) {
            ColumnMetadata.parse(bytes, dataEnd, isAligned(footer.version))
          }
        }
      }
    }
    val indices = wanted.fold(0 until footer.numColumns: IndexedSeq[Int])(_.toIndexedSeq.distinct)
    new DataFileMetadata(
      footer,
      globalBuffers,
      indices.zip(columns(indices)).toMap,
      index => columns(IndexedSeq(index)).head,
      tail
    )
  }

  /** Early releases of 2.0 did not align buffers. */
  private def isAligned(version: FileVersion): Boolean = version != FileVersion.V2_0

  private def readGlobalBuffers(
      footer: Footer,
      tables: Buffer,
      fileSize: Long
  ): IndexedSeq[ByteRange] = {
    val first = Checked.int(
      footer.globalBufferOffsetsStart - footer.columnMetadataOffsetsStart,
      "bytes of the tables of columns"
    )
    val ranges = (0 until footer.numGlobalBuffers).map { i =>
      val range =
        entry(tables, first + i * Footer.tableEntryBytes, s"global buffer $i", 0L, fileSize)
      CorruptFileException.check(
        range.offset % alignment == 0 || !isAligned(footer.version),
        s"global buffer $i starts at ${range.offset}, which is not a multiple of $alignment"
      )
      range
    }
    CorruptFileException.check(
      ranges.head.end <= footer.columnMetadataStart,
      s"the file descriptor ends at ${ranges.head.end}, after the start of the column metadata " +
        s"at ${footer.columnMetadataStart}"
    )
    ranges
  }

  private def columnRange(index: Int, footer: Footer, tables: Buffer): ByteRange = {
    CorruptFileException.check(
      index >= 0 && index < footer.numColumns,
      s"column $index does not exist: the file has ${footer.numColumns} columns"
    )
    entry(
      tables,
      index * Footer.tableEntryBytes,
      s"metadata of column $index",
      footer.columnMetadataStart,
      footer.columnMetadataOffsetsStart
    )
  }

  private def entry(tables: Buffer, at: Int, what: String, from: Long, until: Long): ByteRange = {
    val position = tables.u63(at, s"position of the $what")
    val length = tables.u63(at + 8, s"length of the $what")
    CorruptFileException.check(
      position >= from && position <= until && length <= until - position,
      s"$what: $length bytes at $position, outside of [$from, $until)"
    )
    ByteRange(position, length)
  }

  private[file] def parsed[A](what: String)(parse: => A): A =
    try parse
    catch {
      case e: InvalidProtocolBufferException =>
        throw new CorruptFileException(s"invalid protobuf in $what: ${e.getMessage}", cause = e)
    }
}
