// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.scan

import io.github.pysparklance.core.{RowRange, RowSelection}
import io.github.pysparklance.table.deletion.DeletionVector

/** Which rows of a fragment a scan answers, and which it decodes for that. Pure.
  *
  * @param rows physical rows
  * @param selection those of them that are wanted, none: all
  * @param deletions rows that are left out
  * @param maxGapRows unwanted rows between wanted ones are decoded along when there are no more of them
  */
final private[table] class WantedRows(
    rows: RowRange,
    selection: Option[RowSelection],
    deletions: DeletionVector,
    maxGapRows: Long
) {

  /** The rows to decode, ascending and disjoint. */
  val ranges: IndexedSeq[RowRange] = {
    val live = selection match {
      case None => deletions.liveRanges(rows)
      case Some(some) => some.within(rows).ranges.iterator.flatMap(deletions.liveRanges)
    }
    RowRange.merged(live, maxGapRows)
  }

  /** Positions in a range of decoded rows of those that are wanted, ascending; null when all are. */
  def positionsIn(decoded: RowRange): Array[Int] = selection match {
    case None => notIn(deletions.deletedIn(decoded), decoded.numRows.toInt)
    case Some(some) =>
      val selected = some.positionsIn(decoded)
      val live =
        if (deletions.isEmpty) selected
        else selected.filterNot(i => deletions.isDeleted(decoded.from + i))
      if (live.length == decoded.numRows) null else live
  }

  /** Rows of a range that are left out because they are deleted.
    *
    * @param numWanted rows that [[positionsIn]] found there
    */
  def numDeletedIn(decoded: RowRange, numWanted: Int): Int =
    if (selection.isEmpty) decoded.numRows.toInt - numWanted
    else deletions.numDeletedIn(decoded).toInt

  private def notIn(deleted: Array[Int], numRows: Int): Array[Int] =
    if (deleted.isEmpty) null
    else {
      val live = new Array[Int](numRows - deleted.length)
      var at = 0
      var d = 0
      var i = 0
      while (i < numRows) {
        if (d < deleted.length && deleted(d) == i) d += 1
        else {
          live(at) = i
          at += 1
        }
        i += 1
      }
      live
    }
}
