// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.scheduling

import io.github.pysparklance.storage.requests.{OnDemand, Opening, StorageProfile}

/** Decides which files of a fragment, and which windows of its rows, are opened before they are
  * needed. On remote storage, opening takes several sequential requests, so files and windows are
  * opened concurrently.
  *
  * @param isConcurrent whether several threads can read the files at a time
  */
final private[pysparklance] class OpenSchedule private[scheduling] (
    scheduler: ReadScheduler,
    profile: StorageProfile,
    isConcurrent: Boolean
) {
  import OpenSchedule._

  /** Number of windows that are opened before they are needed. 0 if windows are read one by one: on
    * local storage, and for files that support one thread at a time.
    */
  val windowsAhead: Int = if (profile.isRemote && isConcurrent) maxWindowsAhead else 0

  /** Whether several files are opened concurrently. */
  def opensTogether(numFiles: Int): Boolean = profile.isRemote && numFiles > 1

  /** Whether files are opened while the deletion file is read. Reading it takes as long as reading
    * the start of a data file, and it rarely deletes all rows.
    *
    * @param readsRows whether any row is selected
    */
  def opensBesideDeletions(readsRows: Boolean): Boolean = profile.isRemote && readsRows

  /** Whether all columns are read together instead of the filter columns first. For small files,
    * this takes less time than a second round of requests.
    *
    * @param fileBytes sizes of the files; 0 if unknown
    */
  def readsTogether(fileBytes: Seq[Long]): Boolean =
    windowsAhead > 0 && fileBytes.forall(_ > 0) && fileBytes.sum <= smallFragmentBytes

  /** Opens a window of rows and requests its first bytes. Uses another thread if [[windowsAhead]]
    * is not 0, otherwise opens the window when it is awaited.
    *
    * @param share the reads of the fragment, for windows that are not opened ahead
    * @param open opens the window with the given reads
    */
  def window[A <: AutoCloseable](share: ReadShare)(open: ReadShare => A): Opening[A] =
    if (windowsAhead == 0) new Opening(OnDemand, () => open(share))
    else
      new Opening(
        profile.opens,
        () => {
          val ofWindow = scheduler.share()
          val opened = open(ofWindow)
          try ofWindow.readAhead(scheduler.budget.bytesAhead / windowsAhead, isWaiting = true)
          catch {
            case e: Throwable =>
              // Releases the bytes that were counted against the budget.
              try opened.close()
              catch { case suppressed: Exception => e.addSuppressed(suppressed) }
              throw e
          }
          opened
        }
      )
}

private object OpenSchedule {

  /** Maximum number of windows whose projected columns are requested while later rows are filtered.
    */
  private val maxWindowsAhead = 8

  private val smallFragmentBytes = 1L << 20
}
