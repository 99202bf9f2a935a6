// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.spi

/** How much memory a scan may fill with bytes that are not decoded yet.
  *
  * @param totalBytes over all columns of one scan, about
  * @param maxWindowBytes of one column, decoded at a time
  * @param maxGapBytes gaps up to this between wanted bytes are read along; none: as suits the storage
  */
final case class ReadBudget(
    totalBytes: Long,
    maxWindowBytes: Long,
    maxGapBytes: Option[Long] = None
) {

  /** Bytes of the file being decoded that are asked for ahead where storage is far, over all columns. The rest of the
    * budget is for windows being decoded and for files that come next.
    */
  def bytesAhead: Long = totalBytes / 2

  /** Bytes that are asked for ahead of files that come next where storage is far. */
  def bytesOfNextFiles: Long = totalBytes / 4

  /** Bytes of a window when that many columns are read side by side. A column holds up to three: one being decoded,
    * one behind it and one under way.
    */
  def windowBytes(numColumns: Int): Long =
    math.max(
      ReadBudget.minWindowBytes,
      math.min(maxWindowBytes, totalBytes / (3L * math.max(1, numColumns)))
    )
}

object ReadBudget {

  /** Less would make more requests than it saves memory. */
  val minWindowBytes: Long = 32L << 10

  val default: ReadBudget = ReadBudget(totalBytes = 32L << 20, maxWindowBytes = 1L << 20)
}
