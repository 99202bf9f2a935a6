// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.spi

/** How much a writer gathers before it writes.
  *
  * @param pageBytes a column's values in memory that make a page, about
  * @param totalBytes over all columns; a file of many columns gets smaller pages
  */
final case class WriteBudget(pageBytes: Long, totalBytes: Long) {

  /** Size of a page when that many columns are written side by side. */
  def pageBytes(numColumns: Int): Long =
    math.max(WriteBudget.minPageBytes, math.min(pageBytes, totalBytes / math.max(1, numColumns)))
}

object WriteBudget {
  val minPageBytes: Long = 64L << 10
  val default: WriteBudget = WriteBudget(pageBytes = 8L << 20, totalBytes = 128L << 20)
}
