// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.scan

import io.github.pysparklance.core.{Column, Field, RowRange}
import io.github.pysparklance.file.scheduling.{ReadBudget, ReadScheduler, ReadShare}
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.table.blob.BlobColumns

/** Reads rows of one fragment batch by batch: all files in step, nulls for columns that no file
  * contains, computed columns, and the live rows of each batch. Not thread-safe.
  */
final class FragmentReader private[table] (
    fields: IndexedSeq[Field],
    appended: AppendedColumns,
    files: IndexedSeq[FragmentFiles.FileRows],
    wanted: SelectedRows,
    batchRows: Int,
    blobs: Option[BlobColumns],
    val share: ReadShare,
    owned: Option[AutoCloseable] = None,
    casts: Option[StoredTypes.Casts] = None
) extends RowBatches {
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

  /** Decodes the next batch. If the blobs of a batch exceeded the memory limit, moves to further
    * rows of the same batch instead. Returns false at the end. Reuses the arrays of the previous
    * batch.
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
      batch = appended.append(casts.fold(read)(_(read)), rows)
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

  /** First physical row of the batch. */
  private[table] def firstRow: Long = row - rowsInBatch

  /** Number of decoded rows. */
  def numRows: Int = rowsInBatch

  def columns: IndexedSeq[Column] = batch

  def live: Array[Int] = livePositions

  def numLive: Int = liveRows

  def numDeleted: Int = deletedRows

  def numFiltered: Long = 0L

  /** Does nothing, because the files were opened with the reader. */
  def start(): Unit = ()

  def numPages: Long = files.iterator.map(_.batches.numPages).sum

  def close(): Unit = FragmentFiles.closeAll(files ++ blobs ++ owned)
}

object FragmentReader {

  /** Opens the files that contain any of the fields.
    *
    * @param fields pruned to their requested children, with the ids of the table's schema
    * @param computed computed columns to read
    * @param batchRows maximum rows of a batch
    * @param scheduler schedules the reads of the task
    * @throws io.github.pysparklance.core.CorruptFileException if a file violates the format or the
    *   manifest
    * @throws io.github.pysparklance.core.UnsupportedFeatureException for unsupported features
    */
  def open(
      store: FileStore,
      scan: FragmentScan,
      fields: IndexedSeq[Field],
      computed: IndexedSeq[ComputedColumn],
      batchRows: Int,
      scheduler: ReadScheduler
  ): FragmentReader = {
    val files = new FragmentFiles(store, scan, fields, computed, scheduler)
    try files.read(fields, computed, scan.rows, scan.selection, batchRows, owned = Some(files))
    catch {
      case e: Exception =>
        files.close()
        throw e
    }
  }

  /** Opens the files outside of a task.
    *
    * @param budget limits the read-ahead
    */
  def open(
      store: FileStore,
      scan: FragmentScan,
      fields: IndexedSeq[Field],
      computed: IndexedSeq[ComputedColumn] = IndexedSeq.empty,
      batchRows: Int,
      budget: ReadBudget = ReadBudget.default
  ): FragmentReader = open(store, scan, fields, computed, batchRows, new ReadScheduler(budget))
}
