// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.spi

import java.util.UUID

import scala.collection.mutable

import io.github.pysparklance.core.{Field, LogicalType, Schema}
import io.github.pysparklance.file.DescribedFileWriter
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.storage.spi.{FileStore, TablePath}

/** A folder with the files of a new index segment. No version references it before the commit. Not
  * thread-safe.
  *
  * @param fileVersion file version, see [[NewSegment.fileVersion]]
  * @param exactness record of its exactness, see [[NewSegment.exactness]]; `None` for no record
  */
final class NewSegment(
    store: FileStore,
    val folder: TablePath,
    fileVersion: FileVersion,
    exactness: Option[String] = None
) {
  private val written = mutable.ArrayBuffer.empty[SegmentFile]

  /** Starts a file. */
  def create(name: String, fields: IndexedSeq[Field]): DescribedFileWriter =
    DescribedFileWriter.create(store.create(folder.resolve(name)), Schema(fields), fileVersion)

  /** Records in a file whether the segment is exact, see [[IndexFiles.exactSegment]]. */
  def describe(file: DescribedFileWriter): Unit =
    exactness.foreach(file.describe(NewSegment.exactKey, _))

  /** Finishes a file. */
  def finish(name: String, writer: DescribedFileWriter): Unit =
    written += SegmentFile(name, writer.finish().sizeBytes)

  /** The finished files. */
  def files: Seq[SegmentFile] = written.toList

  /** The finished files, for reading. */
  def readable: IndexFiles =
    new IndexFiles(
      store,
      folder,
      Array.emptyByteArray,
      0,
      files.map(f => f.name -> f.sizeBytes).toMap
    )

  /** Removes a finished file. */
  def remove(name: String): Unit = {
    written --= written.filter(_.name == name)
    store.discard(folder.resolve(name))
  }
}

/** A file of a segment. */
final case class SegmentFile(name: String, sizeBytes: Long)

/** Selects file versions and fields of index files. */
object NewSegment {

  /** Returns the file version for index files of a table.
    *
    * @param table file version of its data files
    */
  def fileVersion(table: FileVersion): FileVersion =
    if (table == FileVersion.V0_1) FileVersion.V2_0 else table

  /** Key of the metadata entry with the id of a segment that had no outdated entries when it was
    * written. pylance ignores the entry. The id is that of the folder: if another writer copied the
    * metadata to the files of a merged segment, the entry would not apply to it.
    */
  private[spi] val exactKey: String = "pyspark_lance:exact_segment"

  /** Value of that entry for a segment that may have outdated entries. */
  val notExact: String = "none"

  /** Returns the record of a segment.
    *
    * @param isExact whether it has no outdated entries
    * @param hasAddresses whether it stores row addresses. Segments with stable row ids are only
    *   recorded if they are exact, because their fragments show which rows were updated
    */
  def exactness(uuid: UUID, isExact: Boolean, hasAddresses: Boolean): Option[String] =
    if (isExact) Some(uuid.toString) else if (hasAddresses) Some(notExact) else None

  /** Returns a column of non-null numbers. */
  private[index] def unsigned(name: String, bits: Int): Field =
    Field(0, name, LogicalType.Integer(bits, signed = false), nullable = false)
}
