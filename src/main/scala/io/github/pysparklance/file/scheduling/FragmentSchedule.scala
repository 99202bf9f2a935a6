// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.scheduling

import io.github.pysparklance.storage.requests.StorageProfile

/** Decides when the next fragments of a task are opened, and how many of their bytes are requested. On remote storage, small
  * fragments are opened concurrently, and a large one when the end of the one being read is near. Used by one thread.
  */
final class FragmentSchedule private[scheduling] (
    scheduler: ReadScheduler,
    profile: StorageProfile
) {
  import FragmentSchedule._

  private val budget = scheduler.budget
  private var aheadBytes = 0L
  private var numAhead = 0

  /** Of the fragment being read, about. */
  private var rowBytes = 0.0
  private var bytesLeft = 0.0

  /** Begins to read a fragment.
    *
    * @param bytes that will be read of it, about
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

  /** Notes that rows of the fragment being read were decoded. */
  def pass(numRows: Long): Unit = bytesLeft -= numRows * rowBytes

  /** Whether one more fragment is to be opened now. */
  def opensNext: Boolean =
    bytesLeft <= leadWindows * budget.bytesAhead && aheadBytes < budget.bytesOfNextFiles &&
      numAhead < profile.maxFilesAhead && scheduler.readsAhead

  /** Opens a fragment ahead and returns the bytes to request of it.
    *
    * @param wanted bytes that will be read of it, about, if that is known
    */
  def open(wanted: Option[Long]): Long = {
    val room = budget.bytesOfNextFiles - aheadBytes
    val bytes = wanted.fold(room)(b => math.min(room, b + slackBytes))
    aheadBytes += bytes
    numAhead += 1
    bytes
  }

  /** Bytes to request of the next fragment, if it takes the place of the one being read, of which everything is requested.
    *
    * @param bytes already requested of it
    */
  def topUp(bytes: Long): Option[Long] = {
    val room = budget.bytesAhead - math.max(0L, bytesLeft.toLong)
    // By large requests rather than by many small ones.
    if (bytesLeft < budget.bytesAhead && room > bytes + budget.bytesOfNextFiles / 2) Some(room)
    else None
  }

  /** Notes that more bytes of the next fragment were requested. */
  def toppedUp(bytes: Long, before: Long): Unit = aheadBytes += bytes - before
}

object FragmentSchedule {

  /** The next fragment is opened when this many times the read-ahead of a file is left of the current one. Its tail, heads,
    * and rows queue up behind that, one after the other.
    */
  private val leadWindows = 4

  /** Bytes that the beginning of any file may take beside the wanted ones. */
  private val slackBytes = 64L << 10
}
