// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.scheduling

import io.github.pysparklance.storage.requests.{OnDemand, Opening, StorageProfile}

/** Decides which files of a fragment, and which windows of its rows, are opened before they are needed. On remote storage
  * an opening takes several requests, one after the other, so that openings run concurrently.
  *
  * @param isConcurrent whether several threads can read the files at a time
  */
final private[pysparklance] class OpenSchedule private[scheduling] (
    scheduler: ReadScheduler,
    profile: StorageProfile,
    isConcurrent: Boolean
) {
  import OpenSchedule._

  /** Windows of rows that are opened before they are needed; 0 if they are read one by one: on local storage, and of files
    * that one thread reads at a time.
    */
  val windowsAhead: Int = if (profile.isRemote && isConcurrent) maxWindowsAhead else 0

  /** Whether several files are opened concurrently. */
  def opensTogether(numFiles: Int): Boolean = profile.isRemote && numFiles > 1

  /** Whether files are opened while the deletion file is read. It takes as long to read as the beginning of a data file,
    * and seldom names all rows.
    *
    * @param readsRows whether any row is wanted
    */
  def opensBesideDeletions(readsRows: Boolean): Boolean = profile.isRemote && readsRows

  /** Whether all columns of files are read together rather than the filter columns first: for small files, which takes less
    * time than a second round of requests.
    *
    * @param fileBytes sizes of the files; 0 if unknown
    */
  def readsTogether(fileBytes: Seq[Long]): Boolean =
    windowsAhead > 0 && fileBytes.forall(_ > 0) && fileBytes.sum <= smallFragmentBytes

  /** Opens a window of rows and requests its first bytes, in another thread if there are [[windowsAhead]], else when it is
    * awaited.
    *
    * @param share the reads of the fragment, for windows that are not opened ahead
    * @param open opens the window, whose reads it is given
    */
  def window[A <: AutoCloseable](share: ReadShare)(open: ReadShare => A): Opening[A] =
    if (windowsAhead == 0) new Opening(OnDemand, () => open(share))
    else
      new Opening(
        profile.opens,
        () => {
          val ofWindow = scheduler.share()
          val opened = open(ofWindow)
          ofWindow.readAhead(scheduler.budget.bytesAhead / windowsAhead, isWaiting = true)
          opened
        }
      )
}

private object OpenSchedule {

  /** Windows whose wanted columns are requested while the filter's columns of later rows are read. */
  private val maxWindowsAhead = 8

  private val smallFragmentBytes = 1L << 20
}
