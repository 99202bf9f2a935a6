// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table

import io.github.pysparklance.core.{Column, Field, RowRange, RowSelection}
import io.github.pysparklance.file.spi.ReadBudget
import io.github.pysparklance.storage.spi.FileStore

/** Reads the rows of one fragment for which a condition is true. The columns of the condition are read first, the others
  * only around the rows that are left: of what lies in between neither bytes are asked for nor values decoded.
  *
  * {{{
  *   window of rows   [ condition's columns ] -> rows left -> [ wanted columns of these rows ]
  * }}}
  * Where matches are everywhere that would only decode the condition's columns twice; so after such a window
  * the next one reads all columns together. Not thread-safe.
  *
  * @param batchRows rows of a batch, at most
  */
final class FilteredReader private (
    files: FragmentFiles,
    scan: FragmentScan,
    fields: IndexedSeq[Field],
    metadata: IndexedSeq[MetadataColumn],
    predicate: RowPredicate,
    batchRows: Int
) extends RowBatches {
  import FilteredReader._

  // Blobs are fetched for rows that are left only, and no field is read whole and cut down at the same time.
  private val canReadTogether = !fields.exists(_.flatten.exists(_.isBlob)) &&
    predicate.fields.forall(p => fields.contains(p) || !fields.exists(_.id == p.id))
  private val allFields = joined(fields, predicate)
  private val allMetadata = (metadata ++ predicate.metadata).distinct
  private val predicateColumns = positions(predicate.fields, predicate.metadata)
  private val wantedColumns = positions(fields, metadata)

  private val firstWindowRows = batchRows * firstWindowBatches
  private val maxWindowRows = batchRows * maxWindowBatches
  private var from = scan.rows.from
  private var windowRows = firstWindowRows
  private var together = false
  private var reader: FragmentReader = null
  private var shown = IndexedSeq.empty[Column]
  private var livePositions: Array[Int] = null
  private var liveRows = 0
  private var deletedRows = 0
  private var filteredRows = 0L
  private var closedPages = 0L
  private var batchesInWindow = 0
  private var batchesWithMatch = 0

  private def positions(
      of: IndexedSeq[Field],
      made: IndexedSeq[MetadataColumn]
  ): IndexedSeq[Int] =
    of.map(allFields.indexOf(_)) ++ made.map(m => allFields.length + allMetadata.indexOf(m))

  def columns: IndexedSeq[Column] = shown

  def live: Array[Int] = livePositions

  def numLive: Int = liveRows

  def numDeleted: Int = deletedRows

  def numFiltered: Long = filteredRows

  def numPages: Long = closedPages + (if (reader == null) 0L else reader.numPages)

  def next(): Boolean = {
    deletedRows = 0
    filteredRows = 0L
    var found = false
    while (!found && advance()) found = liveRows > 0 || deletedRows > 0 || filteredRows > 0
    found
  }

  /** Moves on by a batch or a window. */
  private def advance(): Boolean = {
    liveRows = 0
    if (reader != null && reader.next()) {
      if (together) filterBatch() else takeBatch()
      true
    } else {
      closeReader()
      from < scan.rows.until && {
        openWindow()
        true
      }
    }
  }

  private def openWindow(): Unit = {
    together = canReadTogether && batchesWithMatch * 2 > batchesInWindow
    windowRows =
      if (batchesInWindow == 0 || batchesWithMatch > 0) firstWindowRows
      else math.min(windowRows * 2, maxWindowRows)
    batchesInWindow = 0
    batchesWithMatch = 0
    val window = RowRange(from, math.min(from + windowRows, scan.rows.until))
    from = window.until
    if (together) reader = files.read(allFields, allMetadata, window, scan.selection, batchRows)
    else {
      val matches = select(window)
      if (!matches.isEmpty)
        reader = files.read(fields, metadata, window, Some(matches), batchRows)
    }
  }

  private def takeBatch(): Unit = {
    shown = reader.columns
    livePositions = reader.live
    liveRows = reader.numLive
  }

  private def filterBatch(): Unit = {
    val all = reader.columns
    shown = wantedColumns.map(all(_))
    deletedRows += reader.numDeleted
    livePositions = matching(reader, predicateColumns.map(all(_)))
    liveRows = if (livePositions == null) reader.numLive else livePositions.length
  }

  /** The matching rows of a window, found in the columns of the condition alone. */
  private def select(window: RowRange): RowSelection = {
    val candidates =
      files.read(predicate.fields, predicate.metadata, window, scan.selection, batchRows)
    try {
      val found = IndexedSeq.newBuilder[RowRange]
      while (candidates.next()) {
        deletedRows += candidates.numDeleted
        val matches = matching(candidates, candidates.columns)
        val n = if (matches == null) candidates.numLive else matches.length
        addRuns(matches, n, candidates.firstRow, found += _)
      }
      RowSelection.of(found.result())
    } finally {
      closedPages += candidates.numPages
      candidates.close()
    }
  }

  private def matching(batch: FragmentReader, columns: IndexedSeq[Column]): Array[Int] = {
    val candidates = batch.numLive
    val matches = if (candidates == 0) none else predicate.select(columns, batch.live, candidates)
    val n = if (matches == null) candidates else matches.length
    batchesInWindow += 1
    if (n > 0) batchesWithMatch += 1
    filteredRows += candidates - n
    matches
  }

  private def closeReader(): Unit =
    if (reader != null) {
      val done = reader
      reader = null
      closedPages += done.numPages
      done.close()
    }

  def close(): Unit =
    try closeReader()
    finally files.close()
}

object FilteredReader {

  /** Batches of a window at first, and when nothing has been found for long. */
  private val firstWindowBatches = 32L
  private val maxWindowBatches = 512L
  private val none = Array.emptyIntArray

  /** The fields of both, the same ones once. */
  private def joined(fields: IndexedSeq[Field], predicate: RowPredicate): IndexedSeq[Field] =
    (fields ++ predicate.fields).distinct

  /** Adds the runs of consecutive positions as ranges of rows.
    *
    * @param positions ascending; null: all
    */
  private def addRuns(
      positions: Array[Int],
      numPositions: Int,
      firstRow: Long,
      add: RowRange => Unit
  ): Unit =
    if (positions == null) add(RowRange(firstRow, firstRow + numPositions))
    else {
      var i = 0
      while (i < numPositions) {
        val start = positions(i)
        var end = start + 1
        i += 1
        while (i < numPositions && positions(i) == end) {
          end += 1
          i += 1
        }
        add(RowRange(firstRow + start, firstRow + end))
      }
    }

  /** Opens the fragment; nothing but its deletion file is read before the first batch.
    *
    * @param fields as for [[FragmentReader.open]]
    * @param predicate used by this read alone
    */
  def open(
      store: FileStore,
      scan: FragmentScan,
      fields: IndexedSeq[Field],
      metadata: IndexedSeq[MetadataColumn],
      predicate: RowPredicate,
      batchRows: Int,
      budget: ReadBudget = ReadBudget.default
  ): FilteredReader = {
    val files = new FragmentFiles(
      store,
      scan,
      joined(fields, predicate),
      (metadata ++ predicate.metadata).distinct,
      budget
    )
    new FilteredReader(files, scan, fields, metadata, predicate, batchRows)
  }
}
