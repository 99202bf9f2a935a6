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

/** Opens data files by what their footers say, as what a manifest says of their version may be wrong; and creates
  * them in the version asked for.
  */
object DataFiles {

  /** Opens a file for some of its columns; one request as a rule.
    *
    * @param reader belongs to the answer, and is closed when opening fails
    * @param fieldIds the `fields` of the manifest's `DataFile`
    * @param columns indices of the columns that will be read; without meaning in files of version 0.1
    * @param numRows rows the table says the file has
    * @throws io.github.pysparklance.core.CorruptFileException when the file contradicts the format, or has another
    *   number of rows
    * @throws io.github.pysparklance.core.UnsupportedFeatureException for a file version that is unknown or not built
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

  /** Rows of a file of version 0.1; none when it is of a later one.
    *
    * @param reader is closed
    * @throws io.github.pysparklance.core.CorruptFileException when the file contradicts the format
    */
  def legacyRows(reader: RangeReader): Option[Long] =
    ofLegacy(reader)(LegacyFileReader.numRows)

  /** Row behind each batch of a file of version 0.1, which all files of a fragment share; none when it is of a later
    * one.
    *
    * @param reader is closed
    * @throws io.github.pysparklance.core.CorruptFileException when the file contradicts the format
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

  /** Starts to write a data file.
    *
    * @param output a new file; belongs to the answer, and is removed on an error
    * @param schema every field has its id
    * @param dictionaries values of dictionary fields that a file of version 0.1 has to keep to, those of its table; a
    *   field without gets a dictionary of the values that come
    * @param batchEnds row behind each batch of a file of version 0.1 that has to match others; empty: as it comes
    * @throws io.github.pysparklance.core.UnsupportedFeatureException for a type that a file of this version cannot
    *   hold, and for a version that is not written
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

  /** Opens a file by its end; closes it on an error. */
  private[file] def openByTail[A](reader: RangeReader)(open: FileTail => A): A =
    try FileTail.of(reader)(open)
    catch {
      case e: Exception =>
        try reader.close()
        catch { case again: java.io.IOException => e.addSuppressed(again) }
        throw e
    }
}
