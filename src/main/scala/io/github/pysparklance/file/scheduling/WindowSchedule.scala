// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.scheduling

/** Decides how far ahead a file is read whose windows hold rows of all columns.
  *
  * @param numColumns columns of a window
  */
final private[pysparklance] class WindowSchedule(reads: FileReads, numColumns: Int) {
  import WindowSchedule._

  /** Counts what the windows hold. */
  val bytes: ColumnBytes = reads.allColumns(numColumns)

  /** Requests later windows once half of what was requested is used up: many small ones together rather than one by one.
    *
    * @param numWindows windows that are planned
    * @param plan plans one more window, and returns false if there is none
    */
  def request(numWindows: Int, plan: () => Boolean): Unit = {
    var n = numWindows
    if (bytes.isHalfEmpty && n <= maxWindows / 2)
      while (bytes.hasRoom && n < maxWindows && plan()) n += 1
    reads.submit()
  }

  /** Requests the first windows.
    *
    * @param maxBytes bytes ahead, at most
    */
  def readAhead(maxBytes: Long, numWindows: Int, plan: () => Boolean): Unit = {
    var n = numWindows
    while (bytes.ahead < maxBytes && n < maxWindows && plan()) n += 1
    reads.submit()
  }
}

private object WindowSchedule {

  /** Planned windows, at most: old files have batches of a few rows. */
  private val maxWindows = 64
}
