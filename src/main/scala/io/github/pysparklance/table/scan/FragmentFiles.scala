// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.scan

import io.github.pysparklance.core.{
  BlobField,
  BlobMode,
  Column,
  Field,
  Place,
  RowRange,
  RowSelection
}
import io.github.pysparklance.file.DataFiles
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.file.scheduling.{OpenSchedule, ReadScheduler, ReadShare}
import io.github.pysparklance.file.spi.{FieldProjection, FileReader, RowReader}
import io.github.pysparklance.storage.requests.{Opening, StorageProfile}
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.table.blob.BlobColumns
import io.github.pysparklance.table.deletion.DeletionVector
import io.github.pysparklance.table.manifest.DataFile

/** The files of one fragment. Opens them when rows are first read, once for all reads of the
  * fragment. Not thread-safe.
  *
  * @param fields all fields to read, pruned to their requested children, with the ids of the
  *   table's schema
  * @param computed all computed columns to read
  * @param scheduler schedules the reads of the task
  */
final private[table] class FragmentFiles(
    store: FileStore,
    scan: FragmentScan,
    fields: IndexedSeq[Field],
    computed: IndexedSeq[ComputedColumn],
    scheduler: ReadScheduler
) extends AutoCloseable {
  import FragmentFiles._

  private val fragment = scan.fragment
  private val hidden = new AppendedColumns(scan, computed, DeletionVector.empty).storedFields
  private val needed = fragment.files.zip(scan.paths).filter { case (file, _) =>
    leafIds(file, fields ++ hidden).nonEmpty
  }

  /** Which files and windows are opened before they are needed. A fragment may lie in several
    * storages; that of the first file counts.
    */
  val schedule: OpenSchedule = scheduler.opens(
    needed.headOption.fold(StorageProfile.local) { case (_, path) => store.profile(path) },
    isConcurrent = fragment.files.forall(_.fileVersion != FileVersion.V0_1)
  )

  /** The reads of the fragment, except the reads of [[openAhead]]. */
  val share: ReadShare = scheduler.share()

  private var opening = IndexedSeq.empty[Opening[OpenFile]]
  private var opened = IndexedSeq.empty[OpenFile]
  private var isOpen = false
  private val deletions = fragment.deletionFile.fold(DeletionVector.empty) { file =>
    if (schedule.opensBesideDeletions(readsRows = !scan.selection.exists(_.isEmpty))) startOpening()
    try DeletionVector.read(store, scan.deletionPath.get, file, fragment.physicalRows)
    catch {
      case e: Exception =>
        close()
        throw e
    }
  }

  /** Opens a window of rows, possibly before it is needed.
    *
    * @param open calls [[read]], after a first read has started
    */
  def openAhead(open: ReadShare => FragmentReader): Opening[FragmentReader] =
    schedule.window(share)(open)

  /** Starts reading rows.
    *
    * @param fields among this fragment's fields, possibly pruned further
    * @param computed among this fragment's computed columns
    * @param rows physical rows, including deleted ones
    * @param selection the rows to read among `rows`; `None` for all
    * @param batchRows maximum rows of a batch
    * @param share share of the fragment, or of a part of it
    * @param owned a resource to close with the reader
    * @return a reader that must be closed before the files
    */
  def read(
      fields: IndexedSeq[Field],
      computed: IndexedSeq[ComputedColumn],
      rows: RowRange,
      selection: Option[RowSelection],
      batchRows: Int,
      share: ReadShare = this.share,
      owned: Option[AutoCloseable] = None
  ): FragmentReader = {
    val leftOut = if (scan.includesDeleted) DeletionVector.empty else deletions
    val wanted = new SelectedRows(rows, selection, leftOut, scan.maxGapRows)
    val identity = new AppendedColumns(scan, computed, deletions)
    val stored = scan.storedTypes.fields(fields) ++ identity.storedFields
    var readers = Vector.empty[FileRows]
    try {
      if (wanted.ranges.nonEmpty)
        files.foreach(_.read(stored, wanted.ranges, share).foreach(readers :+= _))
      val blobs = BlobColumns.open(
        store,
        fragment.files,
        scan.paths,
        scan.blobBases,
        fields,
        scheduler
      )
      val casts = scan.storedTypes.casts(fields)
      new FragmentReader(stored, identity, readers, wanted, batchRows, blobs, share, owned, casts)
    } catch {
      case e: Exception =>
        closeAll(readers)
        throw e
    }
  }

  private def files: Seq[OpenFile] = {
    if (!isOpen) {
      isOpen = true
      if (schedule.opensTogether(needed.length)) startOpening()
      if (opening.nonEmpty) opening.foreach(opened :+= _.await())
      else needed.foreach { case (file, path) => opened :+= open(file, path) }
    }
    opened
  }

  /** Opens all data files in parallel. */
  private def startOpening(): Unit =
    if (opening.isEmpty)
      opening = needed.map { case (file, path) =>
        new Opening(store.profile(path).opens, () => open(file, path))
      }

  private def open(file: DataFile, path: String): OpenFile = {
    val numRows = fragment.physicalRows.getOrElse(scan.rows.until)
    val columns = projections(file, fields ++ hidden).flatMap(_.columns).distinct
    val source = file.reliableSizeBytes.fold(store.open(path))(store.open(path, _))
    new OpenFile(file, path, DataFiles.open(source, file.fields, columns, numRows))
  }

  override def close(): Unit = closeAll(opened ++ opening)
}

private[table] object FragmentFiles {

  /** An open data file of the fragment. */
  final private class OpenFile(file: DataFile, path: String, reader: FileReader)
      extends AutoCloseable {

    /** Returns `None` if the file contains none of the fields. */
    def read(
        fields: IndexedSeq[Field],
        ranges: IndexedSeq[RowRange],
        share: ReadShare
    ): Option[FileRows] = {
      val ids = leafIds(file, fields)
      if (ids.isEmpty) None
      else Some(new FileRows(path, reader.read(projections(file, fields), ranges, share), ids))
    }

    def close(): Unit = reader.close()
  }

  /** Rows being read from a data file.
    *
    * @param leafIds ids of the requested leaves in the file
    */
  final class FileRows(path: String, val batches: RowReader, val leafIds: Set[Int])
      extends AutoCloseable {
    def read(numRows: Int): IndexedSeq[Column] =
      Place.in(Place(path = Some(path)))(batches.read(numRows))

    def close(): Unit = batches.close()
  }

  private def projections(
      file: DataFile,
      fields: IndexedSeq[Field]
  ): IndexedSeq[FieldProjection] = {
    // Files of version 0.1 contain the bytes of blobs directly.
    val stored =
      if (file.fileVersion == FileVersion.V0_1) fields.map(BlobField.in(BlobMode.Content))
      else fields
    stored.map(FieldProjection(_, file.columnOf(_)))
  }

  private def leafIds(file: DataFile, fields: IndexedSeq[Field]): Set[Int] =
    fields.flatMap(_.leaves).map(_.id).filter(file.columnOf(_).isDefined).toSet

  /** Closes all resources. Throws the first failure, if any, afterwards. */
  def closeAll(all: Iterable[AutoCloseable]): Unit =
    all.foldLeft(Option.empty[Exception]) { (first, one) =>
      try {
        one.close()
        first
      } catch { case e: Exception => first.orElse(Some(e)) }
    }.foreach(throw _)
}
