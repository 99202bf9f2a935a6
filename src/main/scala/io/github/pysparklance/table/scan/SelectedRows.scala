// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.scan

import io.github.pysparklance.core.{RowRange, RowSelection}
import io.github.pysparklance.table.deletion.DeletionVector

/** The rows of a fragment that a scan returns, and the rows it decodes.
  *
  * @param rows physical rows
  * @param selection the requested rows among `rows`; `None` for all
  * @param deletions rows that are omitted
  * @param maxGapRows up to this number of unwanted rows between wanted ones are decoded instead of
  *   skipped
  */
final private[table] class SelectedRows(
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

  /** Returns the positions of requested rows in a range of decoded rows, ascending; null if all
    * are.
    */
  def positionsIn(decoded: RowRange): Array[Int] = selection match {
    case None => notIn(deletions.deletedIn(decoded), decoded.numRows.toInt)
    case Some(some) =>
      val selected = some.positionsIn(decoded)
      val live =
        if (deletions.isEmpty) selected
        else selected.filterNot(i => deletions.isDeleted(decoded.from + i))
      if (live.length == decoded.numRows) null else live
  }

  /** Returns the number of rows in a range that are omitted because they are deleted.
    *
    * @param numWanted number of rows that [[positionsIn]] returned
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
