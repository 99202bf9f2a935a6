// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file

import scala.collection.mutable

import io.github.pysparklance.core.{Buffer, Column, Schema}
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.file.spi.DataFileSummary
import io.github.pysparklance.storage.spi.OutputFile

/** Writes a file that its own descriptor alone describes, such as a file of an index. The inverse of [[DescribedFile]].
  * Not thread-safe. An error removes the file.
  */
final class DescribedFileWriter private (writer: DataFileWriter) extends AutoCloseable {
  private val metadata = mutable.Map.empty[String, String]
  private val buffers = mutable.ArrayBuffer.empty[Buffer]

  /** Rows so far. */
  def numRows: Long = writer.numRows

  /** Appends rows.
    *
    * @param columns one for each field, which may be reused afterwards
    */
  def write(columns: IndexedSeq[Column], numRows: Int): Unit = writer.write(columns, numRows)

  /** Adds an entry to the metadata of the schema. */
  def describe(key: String, value: String): Unit = metadata(key) = value

  /** Adds a global buffer. An entry of the metadata gets its number. */
  def describe(key: String, buffer: Buffer): Unit = {
    buffers += buffer
    describe(key, buffers.length.toString)
  }

  /** Finishes the file. */
  def finish(): DataFileSummary = writer.finish(metadata.toMap, buffers.toIndexedSeq)

  /** Removes the file, unless it is finished. */
  def close(): Unit = writer.abort()
}

object DescribedFileWriter {

  /** Starts a file.
    *
    * @param output belongs to the writer
    * @param schema its fields get ids in their order
    * @throws io.github.pysparklance.core.UnsupportedFeatureException for a type that the version cannot hold, and for
    *   files of version 0.1, which manifests describe
    */
  def create(output: OutputFile, schema: Schema, version: FileVersion): DescribedFileWriter =
    new DescribedFileWriter(new DataFileWriter(output, schema.withFreshIds, version))
}
