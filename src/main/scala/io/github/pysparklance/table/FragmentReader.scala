// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table

import io.github.pysparklance.core.{BlobField, BlobMode, Column, Field, Place, RowRange}
import io.github.pysparklance.file.spi.{FieldProjection, FileReader, ReadBudget, RowReader}
import io.github.pysparklance.file.{DataFiles, FileVersion}
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.table.blob.BlobColumns
import io.github.pysparklance.table.deletion.DeletionVector
import io.github.pysparklance.table.manifest.DataFile

/** Reads rows of one fragment batch by batch: its files in step, nulls for columns that no file holds, metadata
  * columns, and which rows of each batch are left after deletions. Not thread-safe.
  */
final class FragmentReader private (
    fields: IndexedSeq[Field],
    metadata: MetadataReader,
    files: IndexedSeq[FragmentReader.OpenFile],
    wanted: WantedRows,
    batchRows: Int,
    blobs: Option[BlobColumns]
) extends AutoCloseable {
  private val ranges = wanted.ranges
  private val merge = new ColumnMerge(fields, files.map(_.leafIds))
  private val parts = new Array[IndexedSeq[Column]](files.length)
  private var range = 0
  private var row = ranges.headOption.fold(0L)(_.from)
  private var rowsInBatch = 0
  private var batch = IndexedSeq.empty[Column]
  private var livePositions: Array[Int] = null
  private var liveRows = 0
  private var deletedRows = 0

  /** Decodes the next batch, or comes to further rows of this one when their blobs did not fit at once; false at the
    * end. Arrays of the batch before are reused.
    */
  def next(): Boolean = blobs.exists(nextBlobs) || decode()

  private def nextBlobs(blobs: BlobColumns): Boolean = blobs.next() && {
    show(blobs)
    deletedRows = 0
    true
  }

  private def show(blobs: BlobColumns): Unit = {
    batch = blobs.columns
    livePositions = blobs.live
    liveRows = blobs.numLive
  }

  private def decode(): Boolean = {
    while (range < ranges.length && row >= ranges(range).until) {
      range += 1
      if (range < ranges.length) row = ranges(range).from
    }
    range < ranges.length && {
      var n = math.min(batchRows.toLong, ranges(range).until - row).toInt
      files.foreach(f => n = math.min(n, f.batches.rowsAvailable))
      files.indices.foreach(i => parts(i) = files(i).read(n))
      val read = if (files.length == 1) merge.whole(parts(0), n) else merge(parts, n)
      val rows = RowRange(row, row + n)
      batch = metadata.append(read, rows)
      livePositions = wanted.positionsIn(rows)
      liveRows = if (livePositions == null) n else livePositions.length
      rowsInBatch = n
      row += n
      deletedRows = wanted.numDeletedIn(rows, liveRows)
      if (liveRows > 0) blobs.foreach { b =>
        b.start(batch, livePositions, liveRows)
        show(b)
      }
      true
    }
  }

  /** Rows decoded, wanted or not. */
  def numRows: Int = rowsInBatch

  /** One column for each wanted field, then one for each metadata column, of [[numRows]] rows. */
  def columns: IndexedSeq[Column] = batch

  /** Positions of the rows that are wanted and not deleted, ascending; null when all are. */
  def live: Array[Int] = livePositions

  /** Rows that are wanted and not deleted. */
  def numLive: Int = liveRows

  /** Deleted rows that this call of [[next]] came by. */
  def numDeleted: Int = deletedRows

  /** Closes all files. */
  def close(): Unit = FragmentReader.closeAll(files ++ blobs)
}

object FragmentReader {

  /** A data file of the fragment and the rows being read from it. */
  final private class OpenFile(
      path: String,
      reader: FileReader,
      val batches: RowReader,
      val leafIds: Set[Int]
  ) extends AutoCloseable {
    def read(numRows: Int): IndexedSeq[Column] =
      Place.in(Place(path = Some(path)))(batches.read(numRows))

    def close(): Unit =
      try batches.close()
      finally reader.close()
  }

  /** Opens the files that hold any of the fields.
    *
    * @param fields as wanted: children that are not read are not in them; with the ids of the table's schema
    * @param metadata metadata columns that are wanted as well
    * @param batchRows rows of a batch, at most
    * @param budget how much is read ahead
    * @throws io.github.pysparklance.core.CorruptFileException when a file contradicts the format or the manifest
    * @throws io.github.pysparklance.core.UnsupportedFeatureException for what is not built
    */
  def open(
      store: FileStore,
      scan: FragmentScan,
      fields: IndexedSeq[Field],
      metadata: IndexedSeq[MetadataColumn] = IndexedSeq.empty,
      batchRows: Int,
      budget: ReadBudget = ReadBudget.default
  ): FragmentReader = {
    val fragment = scan.fragment
    val deletions = fragment.deletionFile.fold(DeletionVector.empty) { file =>
      DeletionVector.read(store, scan.deletionPath.get, file, fragment.physicalRows)
    }
    val wanted = new WantedRows(scan.rows, scan.selection, deletions, scan.maxGapRows)
    val identity = new MetadataReader(scan, metadata, deletions)
    val stored = fields ++ identity.storedFields
    val numRows = fragment.physicalRows.getOrElse(scan.rows.until)
    var opened = Vector.empty[OpenFile]
    try {
      if (wanted.ranges.nonEmpty)
        fragment.files.zip(scan.paths).foreach { case (file, path) =>
          openFile(store, file, path, numRows, stored, wanted.ranges, budget).foreach(opened :+= _)
        }
      val blobs = BlobColumns.open(
        store,
        fragment.files,
        scan.paths,
        scan.blobBases,
        fields,
        budget.totalBytes
      )
      new FragmentReader(stored, identity, opened, wanted, batchRows, blobs)
    } catch {
      case e: Exception =>
        closeAll(opened)
        throw e
    }
  }

  private def openFile(
      store: FileStore,
      file: DataFile,
      path: String,
      numRows: Long,
      fields: IndexedSeq[Field],
      ranges: IndexedSeq[RowRange],
      budget: ReadBudget
  ): Option[OpenFile] = {
    // Files of version 0.1 have the bytes of blobs in place.
    val stored =
      if (file.fileVersion == FileVersion.V0_1) fields.map(BlobField.in(BlobMode.Content))
      else fields
    val projections = stored.map(FieldProjection(_, file.columnOf(_)))
    val leafIds = fields.flatMap(_.leaves).map(_.id).filter(file.columnOf(_).isDefined).toSet
    if (leafIds.isEmpty) None
    else {
      val source = file.reliableSizeBytes.fold(store.open(path))(store.open(path, _))
      val reader = DataFiles.open(source, file.fields, projections.flatMap(_.columns), numRows)
      try Some(new OpenFile(path, reader, reader.read(projections, ranges, budget), leafIds))
      catch {
        case e: Exception =>
          reader.close()
          throw e
      }
    }
  }

  private def closeAll(files: Iterable[AutoCloseable]): Unit =
    files.foldLeft(Option.empty[Exception]) { (first, file) =>
      try {
        file.close()
        first
      } catch { case e: Exception => first.orElse(Some(e)) }
    }.foreach(throw _)
}
