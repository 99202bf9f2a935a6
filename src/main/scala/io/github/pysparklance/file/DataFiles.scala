// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file

import scala.util.Using

import io.github.pysparklance.core.Schema
import io.github.pysparklance.encoding.v0_1.Dictionary
import io.github.pysparklance.file.metadata.{FieldMessages, FileVersion, Footer}
import io.github.pysparklance.file.spi.{FileReader, FileTail, FileWriter, WriteBudget}
import io.github.pysparklance.file.v0_1.{LegacyFileReader, LegacyFileWriter}
import io.github.pysparklance.storage.spi.{OutputFile, RangeReader}

/** Opens data files by the version in their footers, because the version in a manifest may be
  * wrong, and creates data files.
  */
object DataFiles {

  /** Opens a file for some of its columns, usually with one request.
    *
    * @param reader owned by the result, and closed if opening fails
    * @param fieldIds the `fields` of the manifest's `DataFile`
    * @param columns indices of the columns to read; ignored for files of version 0.1
    * @param numRows rows of the file according to the table
    * @throws io.github.pysparklance.core.CorruptFileException if the file violates the format, or
    *   has another number of rows
    * @throws io.github.pysparklance.core.UnsupportedFeatureException for an unknown or unsupported
    *   file version
    */
  def open(
      reader: RangeReader,
      fieldIds: IndexedSeq[Int],
      columns: Iterable[Int],
      numRows: Long
  ): FileReader = openByTail(reader) { tail =>
    Footer.version(tail.bytes, tail.fileSize) match {
      case FileVersion.V0_1 => LegacyFileReader.open(reader, tail, fieldIds, numRows)
      case _ => DataFileReader.open(reader, tail, columns, numRows)
    }
  }

  /** Returns the rows of a file of version 0.1, and none for later versions.
    *
    * @param reader closed by this method
    * @throws io.github.pysparklance.core.CorruptFileException if the file violates the format
    */
  def legacyRows(reader: RangeReader): Option[Long] =
    ofLegacy(reader)(LegacyFileReader.numRows)

  /** Returns the end row of each batch of a file of version 0.1, and none for later versions. All
    * files of a fragment have the same batches.
    *
    * @param reader closed by this method
    * @throws io.github.pysparklance.core.CorruptFileException if the file violates the format
    */
  def legacyBatchEnds(reader: RangeReader): Option[IndexedSeq[Int]] =
    ofLegacy(reader)(LegacyFileReader.batchEnds)

  private def ofLegacy[A](reader: RangeReader)(f: FileTail => A): Option[A] =
    Using.resource(reader) { _ =>
      FileTail.of(reader) { tail =>
        Footer.version(tail.bytes, tail.fileSize) match {
          case FileVersion.V0_1 => Some(f(tail))
          case _ => None
        }
      }
    }

  /** Creates a data file.
    *
    * @param output a new file; owned by the result, and deleted on an error
    * @param schema all fields have ids
    * @param dictionaries dictionaries of the table, by field id, which a file of version 0.1 must
    *   use; other fields get a dictionary of the written values
    * @param batchEnds end row of each batch, if a file of version 0.1 must have the batches of
    *   another file
    * @throws io.github.pysparklance.core.UnsupportedFeatureException for a type that this file
    *   version does not support, and for a version that cannot be written
    */
  def create(
      output: OutputFile,
      schema: Schema,
      version: FileVersion,
      budget: WriteBudget = WriteBudget.default,
      dictionaries: Map[Int, Dictionary.Items] = Map.empty,
      batchEnds: IndexedSeq[Int] = IndexedSeq.empty
  ): FileWriter = version match {
    case FileVersion.V0_1 =>
      new LegacyFileWriter(
        output,
        schema,
        FieldMessages.toMessages,
        budget,
        dictionaries,
        batchEnds = batchEnds
      )
    case _ => new DataFileWriter(output, schema, version, budget)
  }

  /** Opens a file by its tail, and closes it on an error. */
  private[file] def openByTail[A](reader: RangeReader)(open: FileTail => A): A =
    try FileTail.of(reader)(open)
    catch {
      case e: Exception =>
        try reader.close()
        catch { case again: java.io.IOException => e.addSuppressed(again) }
        throw e
    }
}
