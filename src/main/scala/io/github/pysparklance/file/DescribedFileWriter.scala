// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file

import scala.collection.mutable

import io.github.pysparklance.core.{Buffer, Column, Schema}
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.file.spi.DataFileSummary
import io.github.pysparklance.storage.spi.OutputFile

/** Writes a file that is described only by its own descriptor, such as an index file. Counterpart
  * of [[DescribedFile]]. Not thread-safe. Deletes the file on an error.
  */
final class DescribedFileWriter private (writer: DataFileWriter) extends AutoCloseable {
  private val metadata = mutable.Map.empty[String, String]
  private val buffers = mutable.ArrayBuffer.empty[Buffer]

  /** Number of rows written so far. */
  def numRows: Long = writer.numRows

  /** Appends rows.
    *
    * @param columns one per field; may be reused after the call
    */
  def write(columns: IndexedSeq[Column], numRows: Int): Unit = writer.write(columns, numRows)

  /** Adds an entry to the metadata of the schema. */
  def describe(key: String, value: String): Unit = metadata(key) = value

  /** Adds a global buffer, and a metadata entry with its index. */
  def describe(key: String, buffer: Buffer): Unit = describe(key, addBuffer(buffer).toString)

  /** Adds a global buffer, and returns its index. */
  def addBuffer(buffer: Buffer): Int = {
    buffers += buffer
    buffers.length
  }

  /** Finishes the file. */
  def finish(): DataFileSummary = writer.finish(metadata.toMap, buffers.toIndexedSeq)

  /** Deletes the file, unless it is finished. */
  def close(): Unit = writer.abort()
}

object DescribedFileWriter {

  /** Creates a file.
    *
    * @param output owned by the writer
    * @param schema its fields get new ids in their order
    * @throws io.github.pysparklance.core.UnsupportedFeatureException for a type that the version
    *   does not support, and for version 0.1, which needs a manifest
    */
  def create(output: OutputFile, schema: Schema, version: FileVersion): DescribedFileWriter =
    new DescribedFileWriter(new DataFileWriter(output, schema.withFreshIds, version))
}
