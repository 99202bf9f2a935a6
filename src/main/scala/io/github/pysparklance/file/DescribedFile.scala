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

/** A file that is described by its own descriptor alone, such as a file of an index. Any number of threads may read at
  * the same time.
  *
  * Source: format page of the file container, "File descriptor"; format page of indices, "Types".
  *
  * @param schema of the file; its metadata hold what an index says of itself
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
    * @param rows ascending and disjoint, within the file's rows
    * @throws CorruptFileException when the file does not have one of the columns
    */
  def read(
      columns: IndexedSeq[String],
      rows: IndexedSeq[RowRange],
      budget: ReadBudget = ReadBudget.default
  ): RowReader = Place.in(Place(path = Some(path))) {
    val projections = columns.map { name =>
      val field = schema.field(name).getOrElse(
        throw new CorruptFileException(
          s"no column $name, only ${schema.fields.map(_.name).mkString(", ")}"
        )
      )
      FieldProjection(field, columnOf.get _)
    }
    file.read(projections, rows, budget)
  }

  /** A buffer beside the columns; 0 is the descriptor.
    *
    * @throws CorruptFileException when there is no such buffer
    */
  def globalBuffer(index: Int): Buffer = Place.in(Place(path = Some(path))) {
    val ranges = file.metadata.globalBuffers
    CorruptFileException.check(
      index > 0 && index < ranges.length,
      s"global buffer $index of a file that has ${ranges.length}"
    )
    reader.read(ranges(index))
  }

  def close(): Unit = file.close()
}

object DescribedFile {

  /** Opens a file of version 2.0 or later for all its columns; one request as a rule.
    *
    * @param reader belongs to the answer, and is closed when opening fails
    * @throws CorruptFileException when the file contradicts the format
    * @throws UnsupportedFeatureException for a file of version 0.1, and for a version that is unknown
    */
  def open(reader: RangeReader): DescribedFile = DataFiles.openByTail(reader) { tail =>
    if (Footer.version(tail.bytes, tail.fileSize) == FileVersion.V0_1)
      throw new UnsupportedFeatureException("a file of version 0.1 that no manifest describes")
    val metadata = DataFileMetadata.read(tail, None)
    val schema = metadata.schema().withFreshIds
    // not the descriptor's count, which is one of items where a column has lists
    val numRows = if (metadata.numColumns == 0) 0L else metadata.column(0).numRows
    val file = DataFileReader.of(reader, metadata, numRows)
    new DescribedFile(reader, file, schema, columns(schema, metadata.version))
  }

  /** The column of each field by its id: in files of 2.0 all fields have one, later only leaves. */
  private def columns(schema: Schema, version: FileVersion): Map[Int, Int] = {
    def all(field: Field): IndexedSeq[Field] =
      if (field.isLeaf) IndexedSeq(field) else field +: field.children.flatMap(all)
    val owners =
      if (version == FileVersion.V2_0) schema.fields.flatMap(all)
      else schema.fields.flatMap(_.leaves)
    owners.map(_.id).zipWithIndex.toMap
  }
}
