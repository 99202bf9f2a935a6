// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.scan

/** Decides, window by window, how a filtered read goes on: late materialization pays where few batches have a matching
  * row; where most have one it would only decode the filter's columns twice, so that all columns are read together.
  *
  * @param canReadTogether whether the fields allow that at all
  * @param startsTogether whether the first window is read so
  * @param batchRows rows of a batch, at most
  * @param numAhead windows whose matching rows are requested while those of the next are searched; 0 on local storage,
  *   where windows are read one by one, and the length of a window is also that of its reads
  * @param history of the fragments before
  */
final private[scan] class FilterWindows(
    canReadTogether: Boolean,
    startsTogether: Boolean,
    batchRows: Int,
    numAhead: Int,
    history: FilterHistory
) {
  import FilterWindows._

  private val firstRows = batchRows * firstBatches
  private val maxRows = batchRows * maxBatches
  private val isBounded = numAhead == 0
  private var windowRows = firstRows
  private var isTogether = startsTogether
  private var batches = 0
  private var batchesWithMatch = 0

  /** Whether all columns of the next window are read together. */
  def together: Boolean = isTogether

  /** Windows that are read or opened at a time, at least 1. */
  val maxOpen: Int = math.max(1, numAhead)

  /** Rows in which matches are searched before their columns are read. */
  def numRows: Long = windowRows

  /** The row at which a reader that begins at `from` ends: on remote storage that of the fragment, as reads go on. */
  def endOfReads(from: Long, end: Long): Long =
    if (isBounded) math.min(from + windowRows, end) else end

  /** Reads together from now on if the fragments before had matches everywhere. */
  def startByHistory(): Unit =
    if (!isBounded && canReadTogether && history.matchesEverywhere) isTogether = true

  def begin(): Unit = {
    batches = 0
    batchesWithMatch = 0
  }

  /** Notes that a batch was filtered. */
  def add(hasMatch: Boolean): Unit = {
    batches += 1
    if (hasMatch) batchesWithMatch += 1
  }

  /** Decides about the next window by the batches of this one. */
  def choose(): Unit = {
    isTogether = canReadTogether && batchesWithMatch * 2 > batches
    history.matchesEverywhere = isTogether
    windowRows =
      if (batches == 0 || batchesWithMatch > 0) firstRows
      else math.min(windowRows * 2, maxRows)
  }

  /** Called at the end of a window that was read together. */
  def endTogether(): Unit = if (isBounded) choose()

  /** Whether columns that are read together to the end of the fragment are to be read so no longer, as matches have become
    * rare.
    */
  def isInVain: Boolean = !isBounded && batches >= firstBatches && {
    choose()
    begin()
    !isTogether
  }
}

private object FilterWindows {

  /** Batches of a window at first, and when nothing has been found for long. */
  private val firstBatches = 32L
  private val maxBatches = 512L
}

/** The selectivity that the filter of a task had so far, for the next fragments. */
final class FilterHistory {
  @volatile private[table] var matchesEverywhere = false
}
