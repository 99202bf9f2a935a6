// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.scheduling

/** Limits the bytes that a task holds before they are decoded.
  *
  * @param totalBytes approximate limit over all columns and files of the task
  * @param maxWindowBytes maximum bytes of a column that are decoded at a time
  * @param maxGapBytes gaps up to this size between ranges are also read; `None` for the default of
  *   the storage
  * @param minWindowBytes minimum bytes of a column's window, regardless of the number of columns
  */
final case class ReadBudget(
    totalBytes: Long,
    maxWindowBytes: Long,
    maxGapBytes: Option[Long] = None,
    minWindowBytes: Long = ReadBudget.minWindowBytes
) {

  /** Read-ahead of the current file, over all columns, on remote storage. The rest of the budget is
    * for windows being decoded and for the next files.
    */
  def bytesAhead: Long = totalBytes / 2

  /** Read-ahead of the next files on remote storage. */
  def bytesOfNextFiles: Long = totalBytes / 4

  /** Returns the window size if `numColumns` are read together. A column holds up to three windows:
    * one being decoded, the next one, and one being read.
    */
  def windowBytes(numColumns: Int): Long =
    math.max(
      minWindowBytes,
      math.min(maxWindowBytes, totalBytes / (3L * math.max(1, numColumns)))
    )
}

object ReadBudget {

  /** Smaller windows would cost more in requests than they save in memory. */
  val minWindowBytes: Long = 32L << 10

  val default: ReadBudget = ReadBudget(totalBytes = 32L << 20, maxWindowBytes = 1L << 20)
}
