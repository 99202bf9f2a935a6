// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.scan

import scala.collection.mutable

import io.github.pysparklance.core.{Column, Field, RowRange, RowSelection}
import io.github.pysparklance.file.scheduling.{ReadBudget, ReadScheduler, ReadShare}
import io.github.pysparklance.storage.requests.Opening
import io.github.pysparklance.storage.spi.FileStore

/** Reads the rows of one fragment for which a filter is true, with late materialization. Reads the
  * filter's columns first, and the other columns only for matching rows. Requests and decodes
  * nothing in between.
  *
  * {{{
  *   window of rows   [ filter's columns ] -> matching rows -> [ requested columns of these rows ]
  * }}}
  * Windows pass through a queue. [[FilterWindows]] decides their length and number, and whether all
  * columns of a window are read together instead. On remote storage, the requested columns of a few
  * windows are read while later windows are filtered. On local storage the queue has one window.
  * Not thread-safe.
  *
  * @param batchRows maximum rows of a batch
  */
final class FilteredReader private (
    files: FragmentFiles,
    scan: FragmentScan,
    fields: IndexedSeq[Field],
    computed: IndexedSeq[ComputedColumn],
    predicate: RowPredicate,
    batchRows: Int,
    history: FilterHistory
) extends RowBatches {
  import FilteredReader._

  private val allFields = joined(fields, predicate)
  private val allComputed = (computed ++ predicate.computed).distinct
  private val predicateColumns = positions(predicate.fields, predicate.computed)
  private val wantedColumns = positions(fields, computed)
  private val windows = {
    // Blobs are fetched only for matching rows. A field cannot be read both whole and pruned at the
    // same time.
    val canReadTogether = !fields.exists(_.flatten.exists(_.isBlob)) &&
      predicate.fields.forall(p => fields.contains(p) || !fields.exists(_.id == p.id))
    val isSmall =
      canReadTogether && files.schedule.readsTogether(scan.fragment.files.map(_.fileSizeBytes))
    new FilterWindows(canReadTogether, isSmall, batchRows, files.schedule.windowsAhead, history)
  }
  private val end = scan.rows.until
  private var from = scan.rows.from
  private var candidates: FragmentReader = null
  private var candidatesEnd = 0L
  private val ahead = mutable.Queue.empty[Ahead]
  private var reader: FragmentReader = null
  private var readsAll = false
  private var shown = IndexedSeq.empty[Column]
  private var livePositions: Array[Int] = null
  private var liveRows = 0
  private var deletedRows = 0
  private var filteredRows = 0L
  private var closedPages = 0L

  private def positions(
      of: IndexedSeq[Field],
      made: IndexedSeq[ComputedColumn]
  ): IndexedSeq[Int] =
    of.map(allFields.indexOf(_)) ++ made.map(m => allFields.length + allComputed.indexOf(m))

  def columns: IndexedSeq[Column] = shown

  def live: Array[Int] = livePositions

  def numLive: Int = liveRows

  def numDeleted: Int = deletedRows

  def numFiltered: Long = filteredRows

  def numPages: Long = closedPages + pagesOf(candidates) + pagesOf(reader)

  private def pagesOf(reader: FragmentReader): Long = if (reader == null) 0L else reader.numPages

  def share: ReadShare = files.share

  def start(): Unit = if (!scan.rows.isEmpty) {
    if (reader == null) windows.startByHistory()
    if (reader == null && windows.together) {
      closeCandidates()
      val window = takeUntil(windows.endOfReads(from, end))
      readTogether(files.read(allFields, allComputed, window, scan.selection, batchRows))
    }
    if (reader == null && candidates == null) openCandidates()
  }

  def next(): Boolean = {
    deletedRows = 0
    filteredRows = 0L
    var found = false
    while (!found && advance()) found = liveRows > 0 || deletedRows > 0 || filteredRows > 0
    found
  }

  /** Advances by a batch or a window. */
  private def advance(): Boolean = {
    liveRows = 0
    if (reader != null && !stopsTogether && reader.next()) {
      if (readsAll) filterBatch() else takeBatch()
      true
    } else {
      closeReader()
      (from < end || ahead.nonEmpty) && {
        if (from < end) openAhead()
        if (ahead.nonEmpty && (from >= end || ahead.length == windows.maxOpen)) openFirst()
        true
      }
    }
  }

  /** Opens one more window, unless it has no matches. */
  private def openAhead(): Unit =
    if (windows.together) {
      closeCandidates()
      openAhead(takeUntil(windows.endOfReads(from, end)), None)
    } else {
      val (window, matches) = select()
      if (!matches.isEmpty) openAhead(window, Some(matches))
    }

  /** @param matches the rows to read; `None` to read all columns together and filter them */
  private def openAhead(window: RowRange, matches: Option[RowSelection]): Unit = {
    val opening = files.openAhead { share =>
      matches match {
        case None => files.read(allFields, allComputed, window, scan.selection, batchRows, share)
        case _ => files.read(fields, computed, window, matches, batchRows, share)
      }
    }
    ahead.enqueue(new Ahead(opening, readsAll = matches.isEmpty))
  }

  private def openFirst(): Unit = {
    // Until it is open, it stays in the queue, so that it is closed with the queue.
    val opened = ahead.front.opening.await()
    if (ahead.dequeue().readsAll) readTogether(opened)
    else {
      readsAll = false
      reader = opened
    }
  }

  private def readTogether(opened: FragmentReader): Unit = {
    windows.begin()
    readsAll = true
    reader = opened
  }

  private def takeUntil(until: Long): RowRange = {
    val window = RowRange(from, until)
    from = until
    window
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

  /** Whether to continue with late materialization, because matches have become rare. */
  private def stopsTogether: Boolean = readsAll && windows.switchBack() && {
    from = reader.firstRow + reader.numRows
    true
  }

  /** Filters a window. Returns the window and its matching rows. */
  private def select(): (RowRange, RowSelection) = {
    windows.begin()
    if (candidates == null) openCandidates()
    val first = from
    val until = math.min(first + windows.numRows, candidatesEnd)
    val found = IndexedSeq.newBuilder[RowRange]
    while (from < until && candidates.next()) {
      from = candidates.firstRow + candidates.numRows
      deletedRows += candidates.numDeleted
      val matches = matching(candidates, candidates.columns)
      val n = if (matches == null) candidates.numLive else matches.length
      addRuns(matches, n, candidates.firstRow, found += _)
    }
    // No rows to decode follow the last batch.
    if (from < until) from = candidatesEnd
    if (from >= candidatesEnd) closeCandidates()
    windows.choose()
    (RowRange(first, from), RowSelection.of(found.result()))
  }

  private def openCandidates(): Unit = {
    candidatesEnd = windows.endOfReads(from, end)
    val rows = RowRange(from, candidatesEnd)
    candidates =
      files.read(predicate.fields, predicate.computed, rows, scan.selection, batchRows)
  }

  private def matching(batch: FragmentReader, columns: IndexedSeq[Column]): Array[Int] = {
    val candidates = batch.numLive
    val matches = if (candidates == 0) none else predicate.select(columns, batch.live, candidates)
    val n = if (matches == null) candidates else matches.length
    windows.add(n > 0)
    filteredRows += candidates - n
    matches
  }

  private def closeReader(): Unit =
    if (reader != null) {
      val done = reader
      reader = null
      if (readsAll) windows.endTogether()
      close(done)
    }

  private def closeCandidates(): Unit =
    if (candidates != null) {
      val done = candidates
      candidates = null
      close(done)
    }

  private def close(done: FragmentReader): Unit = {
    closedPages += done.numPages
    done.close()
  }

  def close(): Unit =
    try {
      closeReader()
      closeCandidates()
      FragmentFiles.closeAll(ahead.map(_.opening))
    } finally files.close()
}

object FilteredReader {

  /** A window that is being opened in the background.
    *
    * @param readsAll whether all columns are read together
    */
  final private class Ahead(val opening: Opening[FragmentReader], val readsAll: Boolean)

  private val none = Array.emptyIntArray

  /** Returns the distinct fields of both. */
  private def joined(fields: IndexedSeq[Field], predicate: RowPredicate): IndexedSeq[Field] =
    (fields ++ predicate.fields).distinct

  /** Adds runs of consecutive positions as row ranges.
    *
    * @param positions ascending; null for all
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

  /** Opens the fragment. Before the first batch, only its deletion file is read.
    *
    * @param fields see [[FragmentReader.open]]
    * @param predicate used only by this read
    * @param scheduler schedules the reads of the task
    * @param history shared by the reads of a task
    */
  def open(
      store: FileStore,
      scan: FragmentScan,
      fields: IndexedSeq[Field],
      computed: IndexedSeq[ComputedColumn],
      predicate: RowPredicate,
      batchRows: Int,
      scheduler: ReadScheduler,
      history: FilterHistory
  ): FilteredReader = {
    val files = new FragmentFiles(
      store,
      scan,
      joined(fields, predicate),
      (computed ++ predicate.computed).distinct,
      scheduler
    )
    new FilteredReader(files, scan, fields, computed, predicate, batchRows, history)
  }

  /** Opens the fragment outside of a task. */
  def open(
      store: FileStore,
      scan: FragmentScan,
      fields: IndexedSeq[Field],
      computed: IndexedSeq[ComputedColumn],
      predicate: RowPredicate,
      batchRows: Int,
      budget: ReadBudget = ReadBudget.default,
      history: FilterHistory = new FilterHistory
  ): FilteredReader = {
    val scheduler = new ReadScheduler(budget)
    open(store, scan, fields, computed, predicate, batchRows, scheduler, history)
  }
}
