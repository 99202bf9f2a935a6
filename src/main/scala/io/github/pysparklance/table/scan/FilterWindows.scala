// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.scan

/** Decides, window by window, whether a filtered read uses late materialization. This pays off if
  * few batches have a matching row. If most batches have one, it would only decode the filter's
  * columns twice, so all columns are read together.
  *
  * @param canReadTogether whether the fields allow reading all columns together
  * @param startsTogether whether the first window is read together
  * @param batchRows maximum rows of a batch
  * @param numAhead number of windows whose matching rows are requested while later windows are
  *   filtered; 0 on local storage, where windows are read one by one and also limit reads
  * @param history selectivity of the previous fragments
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

  /** Maximum number of windows that are read or opened, at least 1. */
  val maxOpen: Int = math.max(1, numAhead)

  /** Number of rows to filter before the other columns are read. */
  def numRows: Long = windowRows

  /** Returns the end row of a reader that starts at `from`. On remote storage it is the end of the
    * fragment, so that read-ahead continues.
    */
  def endOfReads(from: Long, end: Long): Long =
    if (isBounded) math.min(from + windowRows, end) else end

  /** Switches to reading together if most batches of the previous fragments had matches. */
  def startByHistory(): Unit =
    if (!isBounded && canReadTogether && history.matchesEverywhere) isTogether = true

  def begin(): Unit = {
    batches = 0
    batchesWithMatch = 0
  }

  /** Records that a batch was filtered. */
  def add(hasMatch: Boolean): Unit = {
    batches += 1
    if (hasMatch) batchesWithMatch += 1
  }

  /** Decides about the next window from the batches of this one. */
  def choose(): Unit = {
    isTogether = canReadTogether && batchesWithMatch * 2 > batches
    history.matchesEverywhere = isTogether
    windowRows =
      if (batches == 0 || batchesWithMatch > 0) firstRows
      else math.min(windowRows * 2, maxRows)
  }

  /** Must be called at the end of a window that was read together. */
  def endTogether(): Unit = if (isBounded) choose()

  /** Stops reading columns together if matches have become rare. Returns whether it did. Does
    * nothing on local storage, where reads end with their window.
    */
  def switchBack(): Boolean = !isBounded && batches >= firstBatches && {
    choose()
    begin()
    !isTogether
  }
}

private object FilterWindows {

  /** Initial number of batches in a window, and its maximum after many windows without matches. */
  private val firstBatches = 32L
  private val maxBatches = 512L
}

/** The selectivity of a task's filter so far, which is the estimate for its next fragments. */
final class FilterHistory {
  @volatile private[table] var matchesEverywhere = false
}
