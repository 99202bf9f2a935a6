// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.spi.EncodingVersion
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.file.spi.{DataFileSummary, FileWriter, OutputGuard, WriteBudget}
import io.github.pysparklance.storage.spi.OutputFile

/** Writes a 2.x data file. Each top-level field writes pages when it has enough values. The
  * metadata follows at the end.
  *
  * Source: format page of the file container, "Writing".
  *
  * @param output a new file; owned by the writer
  * @param schema all fields have ids
  * @param threads encode pages of version 2.1 and later while a processor is idle
  * @throws UnsupportedFeatureException for an unsupported file version or type
  */
final private[file] class DataFileWriter(
    output: OutputFile,
    schema: Schema,
    version: FileVersion,
    budget: WriteBudget = WriteBudget.default,
    threads: EncodingThreads = EncodingThreads.shared
) extends FileWriter {
  import DataFileWriter._

  private var rows = 0L
  private val area = new DataArea(output)
  private val queue = new PageQueue(threads, budget.totalBytes / 2)
  private val guard = new OutputGuard(output, queue)
  private val fields: IndexedSeq[FieldWriter] =
    guard.step(fieldWriters(schema, version, area, queue, budget))

  def numRows: Long = rows

  def bufferedBytes: Long = fields.iterator.map(_.bufferedBytes).sum + queue.numBytes

  def writtenBytes: Long = output.position

  def write(batch: IndexedSeq[Column], numRows: Int): Unit = guard.step {
    if (batch.length != schema.fields.length || batch.exists(_.numRows != numRows))
      throw new InvalidRequestException(
        s"${batch.length} columns of ${batch.map(_.numRows).distinct.mkString(", ")} rows, expected " +
          s"${schema.fields.length} of $numRows"
      )
    fields.indices.foreach(i => fields(i).append(batch(i), numRows))
    rows += numRows
  }

  override def settle(): Unit = guard.step(queue.drain())

  override def writeOutOfLine(bytes: Buffer): Long = guard.step {
    queue.drain()
    area.write(bytes).offset
  }

  def finish(): DataFileSummary = finish(Map.empty, IndexedSeq.empty)

  /** Finishes the file with additional schema metadata and global buffers.
    *
    * @param buffers the first one gets the index 1, since index 0 is the descriptor
    */
  def finish(metadata: Map[String, String], buffers: IndexedSeq[Buffer]): DataFileSummary =
    guard.step {
      fields.foreach(_.finish())
      queue.drain()
      val columns = fields.flatMap(_.columns)
      val described = schema.copy(metadata = schema.metadata ++ metadata)
      val ranges = buffers.map(area.write)
      DataFileTables.write(output, described, version, rows, columns.map(_.metadata), ranges)
      val size = output.position
      guard.close()
      DataFileSummary(output.path, rows, size, columns.map(_.fieldId), columns.indices)
    }

  def abort(): Unit = guard.abort()
}

private[file] object DataFileWriter {

  /** Creates the writers of all fields. Writes nothing yet. */
  def fieldWriters(
      schema: Schema,
      version: FileVersion,
      area: DataArea,
      queue: PageQueue,
      budget: WriteBudget
  ): IndexedSeq[FieldWriter] = {
    schema.flatten.foreach { field =>
      if (field.id < 0) throw new InvalidRequestException(s"the field '${field.name}' has no id")
    }
    version match {
      case FileVersion.V2_0 => arrays(schema, area, budget)
      case FileVersion.V2_1 => nested(schema, EncodingVersion.V2_1, area, queue, budget)
      case FileVersion.V2_2 => nested(schema, EncodingVersion.V2_2, area, queue, budget)
      case FileVersion.V2_3 => nested(schema, EncodingVersion.V2_3, area, queue, budget)
      case other => throw new UnsupportedFeatureException(s"writing data files of version $other")
    }
  }

  private def nested(
      schema: Schema,
      version: EncodingVersion,
      area: DataArea,
      queue: PageQueue,
      budget: WriteBudget
  ): IndexedSeq[FieldWriter] = {
    val pageBytes = budget.pageBytes(schema.fields.iterator.map(_.leaves.length).sum)
    schema.fields.map(new NestedFieldWriter(_, version, area, queue, pageBytes))
  }

  private def arrays(
      schema: Schema,
      area: DataArea,
      budget: WriteBudget
  ): IndexedSeq[FieldWriter] = {
    val pageBytes = budget.pageBytes(schema.fields.iterator.map(ArrayFieldWriter.numColumns).sum)
    schema.fields.map(new ArrayFieldWriter(_, area, pageBytes))
  }
}
