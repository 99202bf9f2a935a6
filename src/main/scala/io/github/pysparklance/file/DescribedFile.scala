// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file

import io.github.pysparklance.core.{
  Buffer,
  CorruptFileException,
  Field,
  Place,
  RowRange,
  Schema,
  UnsupportedFeatureException
}
import io.github.pysparklance.file.metadata.{DataFileMetadata, FileVersion, Footer}
import io.github.pysparklance.file.scheduling.ReadBudget
import io.github.pysparklance.file.spi.{FieldProjection, RowReader}
import io.github.pysparklance.storage.spi.RangeReader

/** A file that is described only by its own descriptor, such as an index file. Thread-safe.
  *
  * Source: format page of the file container, "File descriptor"; format page of indices, "Types".
  *
  * @param schema schema of the file; an index stores its parameters in the metadata
  */
final class DescribedFile private (
    reader: RangeReader,
    file: DataFileReader,
    val schema: Schema,
    columnOf: Map[Int, Int]
) extends AutoCloseable {

  def path: String = reader.path

  def numRows: Long = file.numRows

  /** Starts to read rows of some columns.
    *
    * @param columns names of top-level columns
    * @param rows ascending and disjoint, within the rows of the file
    * @throws CorruptFileException if a column is missing
    */
  def read(
      columns: IndexedSeq[String],
      rows: IndexedSeq[RowRange],
      budget: ReadBudget = ReadBudget.default
  ): RowReader = Place.in(Place(path = Some(path))) {
    val projections = columns.map { name =>
      val field = schema.field(name).getOrElse(
        throw new CorruptFileException(
          s"column $name is missing; the file has ${schema.fields.map(_.name).mkString(", ")}"
        )
      )
      FieldProjection(field, columnOf.get _)
    }
    file.read(projections, rows, budget)
  }

  /** Reads a global buffer. Buffer 0 is the descriptor.
    *
    * @throws CorruptFileException if there is no such buffer
    */
  def globalBuffer(index: Int): Buffer = Place.in(Place(path = Some(path))) {
    val ranges = file.metadata.globalBuffers
    CorruptFileException.check(
      index > 0 && index < ranges.length,
      s"no global buffer $index: the file has ${ranges.length}"
    )
    reader.read(ranges(index))
  }

  def close(): Unit = file.close()
}

object DescribedFile {

  /** Opens a file of version 2.0 or later for all its columns, usually with one request.
    *
    * @param reader owned by the result, and closed if opening fails
    * @throws CorruptFileException if the file violates the format
    * @throws UnsupportedFeatureException for a file of version 0.1 or an unknown version
    */
  def open(reader: RangeReader): DescribedFile = DataFiles.openByTail(reader) { tail =>
    if (Footer.version(tail.bytes, tail.fileSize) == FileVersion.V0_1)
      throw new UnsupportedFeatureException("a file of version 0.1 without a manifest")
    val metadata = DataFileMetadata.read(tail, None)
    val schema = metadata.schema().withFreshIds
    // The count in the descriptor is unsuitable: it counts items if a column contains lists.
    val numRows = if (metadata.numColumns == 0) 0L else metadata.column(0).numRows
    val file = DataFileReader.of(reader, metadata, numRows)
    new DescribedFile(reader, file, schema, columns(schema, metadata.version))
  }

  /** Returns the column of each field, by field id. In files of version 2.0 all fields have
    * columns, later only leaves.
    */
  private def columns(schema: Schema, version: FileVersion): Map[Int, Int] = {
    def all(field: Field): IndexedSeq[Field] =
      if (field.isLeaf) IndexedSeq(field) else field +: field.children.flatMap(all)
    val owners =
      if (version == FileVersion.V2_0) schema.fields.flatMap(all)
      else schema.fields.flatMap(_.leaves)
    owners.map(_.id).zipWithIndex.toMap
  }
}
