// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.scan

import io.github.pysparklance.core.{Column, Field, RowRange}
import io.github.pysparklance.file.scheduling.{ReadBudget, ReadScheduler, ReadShare}
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.table.blob.BlobColumns

/** Reads rows of one fragment batch by batch: its files in step, nulls for columns that no file holds, computed
  * columns, and which rows of each batch are left after deletions. Not thread-safe.
  */
final class FragmentReader private[table] (
    fields: IndexedSeq[Field],
    appended: AppendedColumns,
    files: IndexedSeq[FragmentFiles.FileRows],
    wanted: WantedRows,
    batchRows: Int,
    blobs: Option[BlobColumns],
    val share: ReadShare,
    owned: Option[AutoCloseable] = None
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
      batch = appended.append(read, rows)
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

  /** The first physical row of the batch. */
  private[table] def firstRow: Long = row - rowsInBatch

  /** Rows decoded, wanted or not. */
  def numRows: Int = rowsInBatch

  def columns: IndexedSeq[Column] = batch

  def live: Array[Int] = livePositions

  def numLive: Int = liveRows

  def numDeleted: Int = deletedRows

  def numFiltered: Long = 0L

  /** Its files were opened with it. */
  def start(): Unit = ()

  def numPages: Long = files.iterator.map(_.batches.numPages).sum

  def close(): Unit = FragmentFiles.closeAll(files ++ blobs ++ owned)
}

object FragmentReader {

  /** Opens the files that hold any of the fields.
    *
    * @param fields as wanted: children that are not read are not in them; with the ids of the table's schema
    * @param computed computed columns that are wanted as well
    * @param batchRows rows of a batch, at most
    * @param scheduler schedules the reads of the task
    * @throws io.github.pysparklance.core.CorruptFileException when a file contradicts the format or the manifest
    * @throws io.github.pysparklance.core.UnsupportedFeatureException for what is not built
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
