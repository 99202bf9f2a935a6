// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.scheduling

import io.github.pysparklance.storage.requests.StorageProfile

/** Decides when the next fragments of a task are opened, and how many of their bytes are requested.
  * On remote storage, small fragments are opened concurrently, and the fragment after a large one
  * is opened near the end of the large one. Not thread-safe.
  */
final class FragmentSchedule private[scheduling] (
    scheduler: ReadScheduler,
    profile: StorageProfile
) {
  import FragmentSchedule._

  private val budget = scheduler.budget
  private var aheadBytes = 0L
  private var numAhead = 0

  /** Estimated bytes per row of the current fragment. */
  private var rowBytes = 0.0
  private var bytesLeft = 0.0

  /** Starts to read a fragment.
    *
    * @param bytes approximate number of bytes to read from it
    */
  def begin(bytes: Long, numRows: Long): Unit = {
    bytesLeft = bytes.toDouble
    rowBytes = bytesLeft / math.max(1L, numRows)
  }

  /** Takes a fragment that was opened ahead, for which `bytes` were requested. */
  def take(bytes: Long): Unit = {
    aheadBytes -= bytes
    numAhead -= 1
  }

  /** Records that rows of the current fragment were decoded. */
  def pass(numRows: Long): Unit = bytesLeft -= numRows * rowBytes

  /** Whether to open one more fragment now. */
  def opensNext: Boolean =
    bytesLeft <= leadWindows * budget.bytesAhead && aheadBytes < budget.bytesOfNextFiles &&
      numAhead < profile.maxFilesAhead && scheduler.readsAhead

  /** Opens a fragment ahead, and returns the number of bytes to request of it.
    *
    * @param wanted approximate number of bytes to read from it, if known
    */
  def open(wanted: Option[Long]): Long = {
    val room = budget.bytesOfNextFiles - aheadBytes
    val bytes = wanted.fold(room)(b => math.min(room, b + slackBytes))
    aheadBytes += bytes
    numAhead += 1
    bytes
  }

  /** Returns the number of bytes to request of the next fragment, if it takes the place of the
    * current one, whose bytes are all requested.
    *
    * @param bytes bytes already requested of it
    */
  def topUp(bytes: Long): Option[Long] = {
    val room = budget.bytesAhead - math.max(0L, bytesLeft.toLong)
    // Prefer a few large requests to many small ones.
    if (bytesLeft < budget.bytesAhead && room > bytes + budget.bytesOfNextFiles / 2) Some(room)
    else None
  }

  /** Records that more bytes of the next fragment were requested. */
  def toppedUp(bytes: Long, before: Long): Unit = aheadBytes += bytes - before
}

object FragmentSchedule {

  /** The next fragment is opened when this many times the read-ahead of a file remains of the
    * current one. Its tail, heads, and rows are read one after the other.
    */
  private val leadWindows = 4

  /** Bytes for the start of a file in addition to the needed ones. */
  private val slackBytes = 64L << 10
}
