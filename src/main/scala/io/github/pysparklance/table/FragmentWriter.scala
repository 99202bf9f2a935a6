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

/** Writes one data file that becomes a fragment when a commit names it. Nothing is visible before; used by one thread.
  */
final class FragmentWriter private (
    name: String,
    version: FileVersion,
    baseId: Option[Int],
    writer: FileWriter,
    blobs: Option[BlobWriter]
) {
  private var finished = false

  /** Rows so far. */
  def numRows: Long = writer.numRows

  /** Bytes of the file so far, with those that wait to be encoded. */
  def numBytes: Long = writer.writtenBytes + writer.bufferedBytes

  /** Whether the file has that many bytes already, about: the same for the same rows, whatever is encoded meanwhile. */
  def reaches(bytes: Long): Boolean = numBytes >= bytes && {
    orAbort(writer.settle())
    numBytes >= bytes
  }

  /** Appends rows, a column for each field of the schema. The columns may be reused afterwards. */
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

  /** Gives up and removes the file, and those beside it that hold its blobs. */
  def abort(): Unit = if (!finished) {
    blobs.foreach(_.abort())
    writer.abort()
  }

  private def orAbort[A](body: => A): A = {
    var done = false
    try {
      val answer = body
      done = true
      answer
    } finally if (!done) abort()
  }
}

object FragmentWriter {

  /** Starts a file in the data folder of a table, which need not exist yet.
    *
    * @param path of the table
    * @param schema with the ids of its fields
    * @param budget how much is gathered before it is encoded
    * @param base a base path of the table that the file goes to, see [[TargetBases]]; none: the table's own root
    * @param batchEnds row behind each batch of a file of version 0.1 that goes beside others; empty: as it comes
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

  /** Where the data files of a table go.
    *
    * @param base none: the table's own root
    */
  private[table] def folder(root: TablePath, base: Option[BasePath]): TablePath = {
    val of = base.fold(root)(_.folder(root))
    if (base.forall(_.isDatasetRoot)) of.folder(LanceTable.dataFolder) else of
  }

  /** The dictionaries that the files of a table of version 0.1 share, as readers of pylance expect.
    *
    * @throws io.github.pysparklance.core.UnsupportedFeatureException when a dictionary field has none yet
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
              "a dictionary column in a new table of file version 0.1, whose files have to share its values; " +
                "write a later file version"
            )
          )
          field.id -> found.items(field)
        }
      }.toMap
    }
  }

  /** Fails when files of a version cannot hold a schema, as [[open]] would, and before anything is written.
    *
    * @throws io.github.pysparklance.core.UnsupportedFeatureException naming the first column that does not fit
    * @throws io.github.pysparklance.core.InvalidRequestException for a threshold of blobs that is no number
    */
  def check(schema: Schema, version: FileVersion): Unit = {
    BlobThresholds.check(schema)
    DataFiles.create(NoFile, schema, version).abort()
  }

  /** Takes the place of a file where none is to be made. */
  private object NoFile extends OutputFile {
    def path: String = ""
    def position: Long = 0L
    def write(bytes: Array[Byte], offset: Int, length: Int): Unit = ()
    def abort(): Unit = ()
    def close(): Unit = ()
  }
}
