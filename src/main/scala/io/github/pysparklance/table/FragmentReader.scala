// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table

import io.github.pysparklance.core.{Column, Field, Place, RowRange}
import io.github.pysparklance.file.DataFiles
import io.github.pysparklance.file.spi.{FieldProjection, FileReader, RowReader}
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.table.deletion.DeletionVector
import io.github.pysparklance.table.manifest.DataFile

/** Reads rows of one fragment batch by batch: its files in step, nulls for columns that no file holds, and which rows
  * of each batch are left after deletions. Not thread-safe.
  */
final class FragmentReader private (
    fields: IndexedSeq[Field],
    files: IndexedSeq[FragmentReader.OpenFile],
    deletions: DeletionVector,
    ranges: IndexedSeq[RowRange],
    batchRows: Int
) extends AutoCloseable {
  private val merge = new ColumnMerge(fields, files.map(_.leafIds))
  private val parts = new Array[IndexedSeq[Column]](files.length)
  private var range = 0
  private var row = ranges.headOption.fold(0L)(_.from)
  private var rowsInBatch = 0
  private var batch = IndexedSeq.empty[Column]
  private var livePositions: Array[Int] = null
  private var liveRows = 0

  /** Decodes the next batch; false at the end. Arrays of the batch before are reused. */
  def next(): Boolean = {
    while (range < ranges.length && row >= ranges(range).until) {
      range += 1
      if (range < ranges.length) row = ranges(range).from
    }
    range < ranges.length && {
      var n = math.min(batchRows.toLong, ranges(range).until - row).toInt
      files.foreach(f => n = math.min(n, f.batches.rowsAvailable))
      files.indices.foreach(i => parts(i) = files(i).read(n))
      batch = if (files.length == 1) merge.whole(parts(0), n) else merge(parts, n)
      selectLive(RowRange(row, row + n))
      rowsInBatch = n
      row += n
      true
    }
  }

  private def selectLive(rows: RowRange): Unit = {
    val n = rows.numRows.toInt
    val deleted = deletions.deletedIn(rows)
    liveRows = n - deleted.length
    if (deleted.isEmpty) livePositions = null
    else {
      val live = new Array[Int](liveRows)
      var at = 0
      var d = 0
      var i = 0
      while (i < n) {
        if (d < deleted.length && deleted(d) == i) d += 1
        else {
          live(at) = i
          at += 1
        }
        i += 1
      }
      livePositions = live
    }
  }

  /** Rows decoded, deleted ones included. */
  def numRows: Int = rowsInBatch

  /** One column for each wanted field, of [[numRows]] rows. */
  def columns: IndexedSeq[Column] = batch

  /** Positions of the rows that are not deleted, ascending; null when none is. */
  def live: Array[Int] = livePositions

  /** Rows that are not deleted. */
  def numLive: Int = liveRows

  /** Closes all files. */
  def close(): Unit = FragmentReader.closeAll(files)
}

object FragmentReader {

  /** Deleted rows in a run this long are skipped, others are decoded along. */
  private val skippedRunRows = 1024L

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
    * @param batchRows rows of a batch, at most
    * @throws io.github.pysparklance.core.CorruptFileException when a file contradicts the format or the manifest
    * @throws io.github.pysparklance.core.UnsupportedFeatureException for what is not built
    */
  def open(
      store: FileStore,
      scan: FragmentScan,
      fields: IndexedSeq[Field],
      batchRows: Int
  ): FragmentReader = {
    val fragment = scan.fragment
    val deletions = fragment.deletionFile.fold(DeletionVector.empty) { file =>
      DeletionVector.read(store, scan.deletionPath.get, file, fragment.physicalRows)
    }
    val ranges = readRanges(scan.rows, deletions)
    val numRows = fragment.physicalRows.getOrElse(scan.rows.until)
    var opened = Vector.empty[OpenFile]
    try {
      if (ranges.nonEmpty)
        fragment.files.zip(scan.paths).foreach { case (file, path) =>
          openFile(store, file, path, numRows, fields, ranges).foreach(opened :+= _)
        }
      new FragmentReader(fields, opened, deletions, ranges, batchRows)
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
      ranges: IndexedSeq[RowRange]
  ): Option[OpenFile] = {
    val projections = fields.map(FieldProjection(_, file.columnOf(_)))
    val leafIds = fields.flatMap(_.leaves).map(_.id).filter(file.columnOf(_).isDefined).toSet
    if (leafIds.isEmpty) None
    else {
      val source =
        if (file.fileSizeBytes > 0) store.open(path, file.fileSizeBytes) else store.open(path)
      val reader = DataFiles.open(source, file.fields, projections.flatMap(_.present), numRows)
      try Some(new OpenFile(path, reader, reader.read(projections, ranges), leafIds))
      catch {
        case e: Exception =>
          reader.close()
          throw e
      }
    }
  }

  /** The rows to decode: all but long runs of deleted ones. */
  private def readRanges(rows: RowRange, deletions: DeletionVector): IndexedSeq[RowRange] = {
    val ranges = Vector.newBuilder[RowRange]
    var from = -1L
    var until = -1L
    deletions.liveRanges(rows).foreach { run =>
      if (from >= 0 && run.from - until < skippedRunRows) until = run.until
      else {
        if (from >= 0) ranges += RowRange(from, until)
        from = run.from
        until = run.until
      }
    }
    if (from >= 0) ranges += RowRange(from, until)
    ranges.result()
  }

  private def closeAll(files: Iterable[OpenFile]): Unit =
    files.foldLeft(Option.empty[Exception]) { (first, file) =>
      try {
        file.close()
        first
      } catch { case e: Exception => first.orElse(Some(e)) }
    }.foreach(throw _)
}
