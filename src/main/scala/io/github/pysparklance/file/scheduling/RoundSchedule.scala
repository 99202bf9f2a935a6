// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.scheduling

/** Windows of a column. Their bytes are requested in several rounds, as the bytes of a round locate the next bytes. */
private[pysparklance] trait PlannedWindows {

  /** Windows that are planned and not decoded. */
  def numWindows: Int

  /** Requests the next bytes of a window, unless they depend on bytes that are not there. May cut the window in two. */
  def advance(window: Int): Unit

  /** Plans one more window, and returns false if there is none. */
  def plan(): Boolean
}

/** Decides how far ahead a column is read whose windows take several rounds of requests: columns of files of version 2.0.
  * Windows that are planned come first, then new ones, as long as the column has room.
  */
final private[pysparklance] class RoundSchedule(reads: FileReads) {

  /** Counts what the column holds. */
  val bytes: ColumnBytes = reads.partOfColumns()

  /** Requests bytes of windows, without waiting. */
  def request(windows: PlannedWindows): Unit = {
    var i = 0
    while (i < windows.numWindows && bytes.hasRoom) {
      windows.advance(i)
      i += 1
    }
    while (bytes.hasRoom && windows.plan()) windows.advance(windows.numWindows - 1)
  }
}
