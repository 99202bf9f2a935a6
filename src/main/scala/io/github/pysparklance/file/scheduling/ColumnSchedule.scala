// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.scheduling

/** Decides which of the columns of a file requests bytes next, and how far ahead of the rows being
  * decoded.
  *
  * On local storage, each column requests its next window. On remote storage, all columns share the
  * read-ahead, and the column that is furthest behind comes first. So a wide column among narrow
  * ones gets enough. Heads of later pages come before rows, so that they arrive in time.
  */
final private[pysparklance] class ColumnSchedule(
    reads: FileReads,
    planned: IndexedSeq[PlannedColumn]
) {
  import ColumnSchedule._

  private val columns = planned.toArray
  private val isBlocked = new Array[Boolean](columns.length)
  private var isFirst = true

  /** Requests the bytes of a batch, and of later rows.
    *
    * @param requestBatch requests as much as it can, and returns whether it must be called again
    *   after those requests are submitted
    */
  def request(requestBatch: () => Boolean): Unit = {
    reads.submit() // heads of pages found since the last batch
    if (isLow) requestTogether(reads.maxBytesAhead, _ => false)
    var again = true
    while (again) {
      again = requestBatch()
      if (!reads.isRemote) requestWindows()
      reads.submit()
    }
    // The heads of a take are requested together, as are the first ones of a scan. When the first
    // one arrives, the others arrive soon, too.
    if (isLow) requestTogether(reads.maxBytesAhead, c => isFirst || c.isSparse)
    isFirst = false
  }

  /** Requests the first bytes of all columns.
    *
    * @param maxBytes maximum number of bytes ahead
    * @param isWaiting whether to wait for heads of pages
    */
  def readAhead(maxBytes: Long, isWaiting: Boolean): Unit = {
    requestTogether(maxBytes, _ => false)
    if (isWaiting) requestTogether(maxBytes, _ => true)
  }

  /** Whether so much of the read-ahead is used up that more should be requested. Prefers a few
    * large requests to many small ones.
    */
  private def isLow: Boolean = reads.isRemote && reads.scheduler.readsAhead &&
    reads.ahead <= reads.maxBytesAhead / 4 * 3

  private def requestWindows(): Unit = {
    var i = 0
    while (i < columns.length) {
      val column = columns(i)
      while (column.bytes.hasRoom && step(column, isWaiting = false)) ()
      i += 1
    }
  }

  /** @param waits whether to wait for heads of a column that are being read */
  private def requestTogether(maxBytes: Long, waits: PlannedColumn => Boolean): Unit = {
    java.util.Arrays.fill(isBlocked, false)
    var next = 0
    while (next >= 0 && reads.ahead < maxBytes) {
      next = furthestBehind
      if (next >= 0 && !step(columns(next), waits(columns(next)))) isBlocked(next) = true
    }
    reads.submit()
  }

  /** Returns the column that has requested the fewest rows; -1 if none can request more. */
  private def furthestBehind: Int = {
    var last = -1
    var least = Long.MaxValue
    var i = 0
    while (i < columns.length) {
      if (!isBlocked(i)) {
        val until = columns(i).requestedUntil
        if (until < least) {
          last = i
          least = until
        }
      }
      i += 1
    }
    last
  }

  /** Requests one more range of a column: a window of rows, or the head of a page. Returns false if
    * there is none, or if it depends on bytes that are not read yet.
    */
  private def step(column: PlannedColumn, isWaiting: Boolean): Boolean = {
    val pending = column.pending
    val head = column.nextHead
    val headFirst = reads.isRemote && pending.count > 0 && head.exists(headsBeforeRows(pending, _))
    if (!headFirst && pending.count > 0 && column.requestRows(isWaiting)) true
    else {
      val opens = headFirst ||
        head.exists(pending.count < maxPending(_) && column.numOpen < maxOpenPages)
      if (opens) column.requestHead()
      opens
    }
  }

  private def headsBeforeRows(pending: PendingPages, head: PageHead): Boolean =
    if (head.isSparse) pending.count < maxSparseHeadsRemote
    else
      pending.count < maxHeadsRemote && pending.bytes < 2 * reads.maxBytesAhead && !head.isWhole

  /** Maximum number of pages that may wait for their heads. */
  private def maxPending(head: PageHead): Int =
    if (!head.isSparse) 1
    else if (reads.isRemote) maxSparseHeadsRemote
    else maxSparseHeads
}

private object ColumnSchedule {

  /** Maximum number of pages of a take that wait for their heads at a time. Heads compete with
    * rows, so a full scan has only one.
    */
  private val maxSparseHeads = 8

  /** Maximum on remote storage. One round of requests then usually reads the heads of a whole take.
    */
  private val maxSparseHeadsRemote = 256

  /** Maximum number of pages of a full scan that wait for their heads, or are planned, on remote
    * storage.
    */
  private val maxHeadsRemote = 8

  /** Maximum number of open pages, regardless of their size. */
  private val maxOpenPages = 512
}
