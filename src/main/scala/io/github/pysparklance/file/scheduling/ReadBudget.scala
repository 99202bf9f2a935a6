// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.scheduling

/** Limits the bytes that a task holds before they are decoded.
  *
  * @param totalBytes over all columns and files of the task, about
  * @param maxWindowBytes of one column, decoded at a time
  * @param maxGapBytes gaps up to this size between ranges are read along; `None` for the default of the storage
  * @param minWindowBytes of one column, however many there are
  */
final case class ReadBudget(
    totalBytes: Long,
    maxWindowBytes: Long,
    maxGapBytes: Option[Long] = None,
    minWindowBytes: Long = ReadBudget.minWindowBytes
) {

  /** Read-ahead of the file being decoded, over all columns, on remote storage. The rest of the budget is for windows
    * being decoded and for the next files.
    */
  def bytesAhead: Long = totalBytes / 2

  /** Read-ahead of the next files on remote storage. */
  def bytesOfNextFiles: Long = totalBytes / 4

  /** Bytes of a window if `numColumns` are read together. A column holds up to three: one being decoded, one behind it,
    * and one being read.
    */
  def windowBytes(numColumns: Int): Long =
    math.max(
      minWindowBytes,
      math.min(maxWindowBytes, totalBytes / (3L * math.max(1, numColumns)))
    )
}

object ReadBudget {

  /** Less would make more requests than it saves memory. */
  val minWindowBytes: Long = 32L << 10

  val default: ReadBudget = ReadBudget(totalBytes = 32L << 20, maxWindowBytes = 1L << 20)
}
