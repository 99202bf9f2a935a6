// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.spi

/** Limits for the values that a writer buffers.
  *
  * @param pageBytes approximate in-memory size of the values of a page
  * @param totalBytes limit over all columns; a file with many columns gets smaller pages
  */
final case class WriteBudget(pageBytes: Long, totalBytes: Long) {

  /** Returns the page size if `numColumns` columns are written at the same time. */
  def pageBytes(numColumns: Int): Long =
    math.max(WriteBudget.minPageBytes, math.min(pageBytes, totalBytes / math.max(1, numColumns)))
}

object WriteBudget {
  val minPageBytes: Long = 64L << 10
  val default: WriteBudget = WriteBudget(pageBytes = 8L << 20, totalBytes = 128L << 20)
}
