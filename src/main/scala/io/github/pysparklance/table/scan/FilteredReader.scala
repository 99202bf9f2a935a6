// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.scan

import scala.collection.mutable

import io.github.pysparklance.core.{Column, Field, RowRange, RowSelection}
import io.github.pysparklance.file.spi.ReadBudget
import io.github.pysparklance.storage.spi.{FileStore, Opening}

/** Reads the rows of one fragment for which a condition is true. The columns of the condition are read first, the others
  * only around the rows that are left: of what lies in between neither bytes are asked for nor values decoded.
  *
  * {{{
  *   window of rows   [ condition's columns ] -> rows left -> [ wanted columns of these rows ]
  * }}}
  * Where matches are everywhere that would only decode the condition's columns twice; so after such a window
  * the next one reads all columns together.
  *
  * Where storage is far, the condition's columns are read on and on rather than window by window, the wanted columns of
  * a few windows are on their way while matches of the next are looked for, and columns are read together for as long
  * as matches are everywhere. Not thread-safe.
  *
  * @param batchRows rows of a batch, at most
  */
final class FilteredReader private (
    files: FragmentFiles,
    scan: FragmentScan,
    fields: IndexedSeq[Field],
    computed: IndexedSeq[ComputedColumn],
    predicate: RowPredicate,
    batchRows: Int,
    budget: ReadBudget,
    history: FilterHistory
) extends RowBatches {
  import FilteredReader._

  // Blobs are fetched for rows that are left only, and no field is read whole and cut down at the same time.
  private val canReadTogether = !fields.exists(_.flatten.exists(_.isBlob)) &&
    predicate.fields.forall(p => fields.contains(p) || !fields.exists(_.id == p.id))
  private val allFields = joined(fields, predicate)
  private val allComputed = (computed ++ predicate.computed).distinct
  private val predicateColumns = positions(predicate.fields, predicate.computed)
  private val wantedColumns = positions(fields, computed)

  /** Whether all columns of all rows are read sooner than it takes to ask for some of them a second time. */
  private def isSmall: Boolean = {
    val sizes = scan.fragment.files.map(_.fileSizeBytes)
    sizes.forall(_ > 0) && sizes.sum <= smallFragmentBytes
  }

  private val firstWindowRows = batchRows * firstWindowBatches
  private val maxWindowRows = batchRows * maxWindowBatches
  private val end = scan.rows.until
  private var from = scan.rows.from
  private var windowRows = firstWindowRows
  private var together = files.streams && canReadTogether && isSmall
  private var candidates: FragmentReader = null
  private val ahead = mutable.Queue.empty[Ahead]
  private var reader: FragmentReader = null
  private var readsAll = false
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

  /** By what the fragments before have found, which may be more when it is called again. */
  def prefetch(maxBytes: Long, isWaiting: Boolean): Unit = if (!scan.rows.isEmpty) {
    if (reader == null && (together || hasMatchesEverywhere)) {
      closeCandidates()
      together = true
      readTogether(openTogether(end))
    }
    if (reader == null && candidates == null) candidates = openCandidates()
    (if (reader != null) reader else candidates).prefetch(maxBytes, isWaiting)
  }

  private def hasMatchesEverywhere: Boolean =
    files.streams && canReadTogether && history.matchesEverywhere

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
    if (reader != null && !isInVain && reader.next()) {
      if (readsAll) filterBatch() else takeBatch()
      true
    } else {
      closeReader()
      (from < end || ahead.nonEmpty) && {
        if (files.streams) openStreamed() else openWindow()
        true
      }
    }
  }

  private def openWindow(): Unit =
    if (together) readTogether(openTogether(math.min(from + windowRows, end)))
    else {
      val (window, matches) = select()
      closeCandidates()
      readsAll = false
      if (!matches.isEmpty) reader = openMatches(window, matches)
    }

  private def openStreamed(): Unit = {
    while (from < end && ahead.length < maxWindowsAhead)
      if (together) openTogetherAhead() else openMatchesAhead()
    if (ahead.nonEmpty) {
      // It stays in the queue, to be closed with it, until it is there.
      val opened = ahead.front.opening.await()
      if (ahead.dequeue().readsAll) readTogether(opened)
      else {
        readsAll = false
        reader = opened
      }
    }
  }

  /** Finds the matches of a window, and lets their columns be read. */
  private def openMatchesAhead(): Unit = {
    val (window, matches) = select()
    if (!matches.isEmpty) openAhead(readsAll = false)(() => openMatches(window, matches))
  }

  /** Lets all columns of the rest be read. */
  private def openTogetherAhead(): Unit = {
    closeCandidates()
    val window = takeUntil(end)
    openAhead(readsAll = true)(() => openAll(window))
  }

  private def openAhead(readsAll: Boolean)(open: () => FragmentReader): Unit = {
    val opening = files.openAhead { () =>
      val opened = open()
      opened.prefetch(budget.bytesAhead / maxWindowsAhead, isWaiting = true)
      opened
    }
    ahead.enqueue(new Ahead(opening, readsAll))
  }

  private def readTogether(opened: FragmentReader): Unit = {
    startWindow()
    readsAll = true
    reader = opened
  }

  private def openTogether(until: Long): FragmentReader = openAll(takeUntil(until))

  private def takeUntil(until: Long): RowRange = {
    val window = RowRange(from, until)
    from = until
    window
  }

  private def openAll(window: RowRange): FragmentReader =
    files.read(allFields, allComputed, window, scan.selection, batchRows)

  private def openMatches(window: RowRange, matches: RowSelection): FragmentReader =
    files.read(fields, computed, window, Some(matches), batchRows)

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

  /** Whether columns are being read together without an end though matches have become rare. */
  private def isInVain: Boolean =
    readsAll && files.streams && batchesInWindow >= firstWindowBatches && {
      chooseWindow()
      startWindow()
      if (!together) from = reader.firstRow + reader.numRows
      !together
    }

  /** A window, and its matching rows, found in the columns of the condition alone. */
  private def select(): (RowRange, RowSelection) = {
    startWindow()
    if (candidates == null) candidates = openCandidates()
    val first = from
    val found = IndexedSeq.newBuilder[RowRange]
    while (from < first + windowRows && candidates.next()) {
      from = candidates.firstRow + candidates.numRows
      deletedRows += candidates.numDeleted
      val matches = matching(candidates, candidates.columns)
      val n = if (matches == null) candidates.numLive else matches.length
      addRuns(matches, n, candidates.firstRow, found += _)
    }
    // Behind the last batch there is nothing to decode.
    if (from < first + windowRows) from = endOfCandidates(first)
    chooseWindow()
    (RowRange(first, from), RowSelection.of(found.result()))
  }

  private def openCandidates(): FragmentReader = {
    val rows = RowRange(from, endOfCandidates(from))
    files.read(predicate.fields, predicate.computed, rows, scan.selection, batchRows)
  }

  private def endOfCandidates(first: Long): Long =
    if (files.streams) end else math.min(first + windowRows, end)

  private def startWindow(): Unit = {
    batchesInWindow = 0
    batchesWithMatch = 0
  }

  /** Decides about the next window by what was found in this one. */
  private def chooseWindow(): Unit = {
    together = canReadTogether && batchesWithMatch * 2 > batchesInWindow
    history.matchesEverywhere = together
    windowRows =
      if (batchesInWindow == 0 || batchesWithMatch > 0) firstWindowRows
      else math.min(windowRows * 2, maxWindowRows)
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
      if (readsAll && !files.streams) chooseWindow()
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

/** What the conditions of a task have found so far, for the fragments that come next. */
final class FilterHistory {
  @volatile private[table] var matchesEverywhere = false
}

object FilteredReader {

  /** A reader of a window that other threads open.
    *
    * @param readsAll whether all columns are read together
    */
  final private class Ahead(val opening: Opening[FragmentReader], val readsAll: Boolean)

  /** Batches of a window at first, and when nothing has been found for long. */
  private val firstWindowBatches = 32L
  private val maxWindowBatches = 512L

  /** Files of a fragment that are read whole where storage is far. */
  private val smallFragmentBytes = 1L << 20

  /** Windows whose wanted columns are on their way where storage is far. */
  private val maxWindowsAhead = 8
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
    * @param history shared by the reads of a task
    */
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
    val files = new FragmentFiles(
      store,
      scan,
      joined(fields, predicate),
      (computed ++ predicate.computed).distinct,
      budget
    )
    new FilteredReader(files, scan, fields, computed, predicate, batchRows, budget, history)
  }
}
