// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan

import io.github.pysparklance.core.RowRange

/** The rows that `LIMIT` and `OFFSET` leave, by their rank in scan order.
  *
  * @param ranks from the rows skipped to the limit, which counts them
  */
final private[scan] case class RowWindow(ranks: RowRange) {

  /** At most that many rows of these, from the first. */
  def limit(numRows: Long): RowWindow =
    RowWindow(RowRange(ranks.from, math.min(ranks.until, capped(numRows))))

  /** All but that many of the first of these. */
  def offset(numRows: Long): RowWindow =
    RowWindow(RowRange(math.min(ranks.until, capped(numRows)), ranks.until))

  private def capped(numRows: Long): Long =
    if (numRows > Long.MaxValue - ranks.from) Long.MaxValue else ranks.from + numRows

  /** Rows left of so many. */
  def numRows(all: Long): Long =
    math.max(0L, math.min(all, ranks.until) - ranks.from)

  override def toString: String = {
    val limit = if (ranks.until == Long.MaxValue) "" else s"limit ${ranks.numRows}"
    val offset = if (ranks.from == 0) "" else s"offset ${ranks.from}"
    Seq(limit, offset).filter(_.nonEmpty).mkString(" ")
  }
}

private[scan] object RowWindow {

  /** All rows. */
  val all: RowWindow = RowWindow(RowRange(0, Long.MaxValue))
}
