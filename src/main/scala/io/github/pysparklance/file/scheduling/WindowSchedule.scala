// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.scheduling

/** Decides how far ahead a file is read whose windows contain rows of all columns.
  *
  * @param numColumns number of columns of a window
  */
final private[pysparklance] class WindowSchedule(reads: FileReads, numColumns: Int) {
  import WindowSchedule._

  /** Counts the bytes that the windows hold. */
  val bytes: ColumnBytes = reads.allColumns(numColumns)

  /** Requests later windows once half of the requested bytes is used up. Small windows are then
    * requested together, not one by one.
    *
    * @param numWindows number of planned windows
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
    * @param maxBytes maximum number of bytes ahead
    */
  def readAhead(maxBytes: Long, numWindows: Int, plan: () => Boolean): Unit = {
    var n = numWindows
    while (bytes.ahead < maxBytes && n < maxWindows && plan()) n += 1
    reads.submit()
  }
}

private object WindowSchedule {

  /** Maximum number of planned windows. Batches of old files can have only a few rows. */
  private val maxWindows = 64
}
