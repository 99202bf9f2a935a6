// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.scheduling

/** Windows of a column. Their bytes are requested in several rounds, because the bytes of one round
  * locate the next ones.
  */
private[pysparklance] trait PlannedWindows {

  /** Number of windows that are planned and not decoded. */
  def numWindows: Int

  /** Requests the next bytes of a window, unless they depend on bytes that are not read yet. May
    * split the window.
    */
  def advance(window: Int): Unit

  /** Plans one more window. Returns false if there is none. */
  def plan(): Boolean
}

/** Decides how far ahead a column is read whose windows take several rounds of requests, as in
  * files of version 2.0. Planned windows come first, then new ones, while the column has room.
  */
final private[pysparklance] class RoundSchedule(reads: FileReads) {

  /** Counts the bytes that the column holds. */
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
