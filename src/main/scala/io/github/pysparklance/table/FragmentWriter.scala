// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table

import io.github.pysparklance.core.{Column, LogicalType, Place, Schema, UnsupportedFeatureException}
import io.github.pysparklance.encoding.v0_1.Dictionary
import io.github.pysparklance.file.DataFiles
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.file.spi.{FileWriter, WriteBudget}
import io.github.pysparklance.storage.spi.{FileStore, OutputFile, TablePath}
import io.github.pysparklance.table.blob.{BlobThresholds, BlobWriter}
import io.github.pysparklance.table.manifest.{BasePath, DataFile, Fragment, ManifestDictionary}

/** Writes a data file that becomes a fragment with a later commit. The file is not visible before
  * that. Not thread-safe.
  */
final class FragmentWriter private (
    name: String,
    version: FileVersion,
    baseId: Option[Int],
    writer: FileWriter,
    blobs: Option[BlobWriter]
) {
  private var finished = false

  /** Number of rows written. */
  def numRows: Long = writer.numRows

  /** Number of bytes written, including rows that are not encoded yet. */
  def numBytes: Long = writer.writtenBytes + writer.bufferedBytes

  /** Whether the file has about `bytes` bytes. Encodes buffered rows before it returns true, so
    * that the result depends only on the rows.
    */
  def reaches(bytes: Long): Boolean = numBytes >= bytes && {
    orAbort(writer.settle())
    numBytes >= bytes
  }

  /** Appends rows, with one column for each field of the schema. The columns can be reused
    * afterwards.
    */
  def write(columns: IndexedSeq[Column], numRows: Int): Unit = orAbort {
    writer.write(blobs.fold(columns)(_.stored(columns)), numRows)
  }

  /** Finishes the file.
    *
    * @return the fragment, without an id
    */
  def finish(): Fragment = orAbort {
    blobs.foreach(_.finish())
    val s = writer.finish()
    finished = true
    val file = DataFile(name, s.fieldIds, s.columnIndices, version, s.sizeBytes, baseId)
    Fragment.unassigned(Seq(file), s.numRows)
  }

  /** Deletes the file and the side files of its blobs. Does nothing after [[finish]]. */
  def abort(): Unit = if (!finished) {
    blobs.foreach(_.abort())
    writer.abort()
  }

  private def orAbort[A](body: => A): A = {
    var done = false
    try {
      val result = body
      done = true
      result
    } finally if (!done) abort()
  }
}

object FragmentWriter {

  /** Starts a file in the data folder of a table, which need not exist.
    *
    * @param path path of the table
    * @param schema schema with field ids
    * @param budget limits of the rows that are buffered before they are encoded
    * @param base base path of the table for the file, see [[TargetBases]]; `None` for the table's
    *   own root
    * @param batchEnds for files of version 0.1 in a fragment with other files: the row after each
    *   batch; if empty, the writer chooses the batches
    */
  def open(
      store: FileStore,
      path: String,
      schema: Schema,
      version: FileVersion,
      budget: WriteBudget = WriteBudget.default,
      base: Option[BasePath] = None,
      batchEnds: IndexedSeq[Int] = IndexedSeq.empty
  ): FragmentWriter = {
    val name = DataFileName.random()
    BlobThresholds.check(schema)
    val dictionaries: Map[Int, Dictionary.Items] =
      if (version == FileVersion.V0_1) sharedDictionaries(store, path, schema) else Map.empty
    val out = store.create(folder(TablePath(path), base).resolve(name))
    val writer = DataFiles.create(out, schema, version, budget, dictionaries, batchEnds)
    new FragmentWriter(
      name,
      version,
      base.map(_.id),
      writer,
      BlobWriter.of(schema, writer, store, out.path, name)
    )
  }

  /** Returns the folder of a table's data files.
    *
    * @param base `None` for the table's own root
    */
  private[table] def folder(root: TablePath, base: Option[BasePath]): TablePath = {
    val of = base.fold(root)(_.folder(root))
    if (base.forall(_.isDatasetRoot)) of.folder(LanceTable.dataFolder) else of
  }

  /** Returns the dictionaries that all files of a table of version 0.1 share, as pylance expects.
    *
    * @throws io.github.pysparklance.core.UnsupportedFeatureException if a dictionary field has none
    *   yet
    */
  private def sharedDictionaries(
      store: FileStore,
      path: String,
      schema: Schema
  ): Map[Int, Dictionary.Items] = {
    val fields = schema.flatten.filter(_.logicalType.isInstanceOf[LogicalType.Dictionary])
    if (fields.isEmpty) Map.empty
    else {
      val known = LanceTable.openIfExists(store, path).fold(
        Map.empty[Int, ManifestDictionary]
      )(_.dictionaries)
      fields.map { field =>
        Place.in(Place(path = Some(path), column = Some(field.name))) {
          val found = known.getOrElse(
            field.id,
            throw new UnsupportedFeatureException(
              "a dictionary column in a new table of file version 0.1, whose files must share their dictionary; " +
                "write a later file version"
            )
          )
          field.id -> found.items(field)
        }
      }.toMap
    }
  }

  /** Checks that files of a version can hold a schema. Like [[open]], but before anything is
    * written.
    *
    * @throws io.github.pysparklance.core.UnsupportedFeatureException with the first column that is
    *   not supported
    * @throws io.github.pysparklance.core.InvalidRequestException if a threshold of blobs is not a
    *   number
    */
  def check(schema: Schema, version: FileVersion): Unit = {
    BlobThresholds.check(schema)
    DataFiles.create(NoFile, schema, version).abort()
  }

  /** A file that discards everything, for checks. */
  private object NoFile extends OutputFile {
    def path: String = ""
    def position: Long = 0L
    def write(bytes: Array[Byte], offset: Int, length: Int): Unit = ()
    def abort(): Unit = ()
    def close(): Unit = ()
  }
}
