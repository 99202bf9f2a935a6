// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan

import io.github.pysparklance.core.RowRange

/** The rows within `LIMIT` and `OFFSET`, by rank in scan order.
  *
  * @param ranks ranks of the rows, after the offset and up to the limit
  */
final private[scan] case class RowWindow(ranks: RowRange) {

  /** Returns the first rows of the window, up to a number of rows. */
  def limit(numRows: Long): RowWindow =
    RowWindow(RowRange(ranks.from, math.min(ranks.until, capped(numRows))))

  /** Returns the window without its first rows. */
  def offset(numRows: Long): RowWindow =
    RowWindow(RowRange(math.min(ranks.until, capped(numRows)), ranks.until))

  private def capped(numRows: Long): Long =
    if (numRows > Long.MaxValue - ranks.from) Long.MaxValue else ranks.from + numRows

  /** Returns the number of rows in the window for a total number of rows. */
  def numRows(all: Long): Long =
    math.max(0L, math.min(all, ranks.until) - ranks.from)

  override def toString: String = {
    val limit = if (ranks.until == Long.MaxValue) "" else s"limit ${ranks.numRows}"
    val offset = if (ranks.from == 0) "" else s"offset ${ranks.from}"
    Seq(limit, offset).filter(_.nonEmpty).mkString(" ")
  }
}

/** Common windows. */
private[scan] object RowWindow {

  /** All rows. */
  val all: RowWindow = RowWindow(RowRange(0, Long.MaxValue))
}
