// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table

import io.github.pysparklance.core.RowRange
import io.github.pysparklance.table.manifest.Fragment

/** Finds the rows with given ranks among the rows of a table that are not deleted, as `LIMIT` and `OFFSET` need. */
object LiveRowWindow {

  /** For every fragment the range of its physical rows that holds the wanted ranks and no other row that is not
    * deleted; an empty one where it has none. Deletion files are read of fragments that are cut, and where the
    * manifest does not count them.
    *
    * @param ranks in scan order, from 0; it may end behind the last row
    */
  def apply(table: LanceTable, ranks: RowRange): IndexedSeq[RowRange] = {
    var before = 0L
    table.fragments.map { fragment =>
      if (before >= ranks.until) none
      else {
        val live = table.liveRows(fragment)
        val from = math.max(ranks.from - before, 0L)
        val until = math.min(ranks.until - before, live)
        before = Math.addExact(before, live)
        if (from >= until) none else cut(table, fragment, live, RowRange(from, until))
      }
    }
  }

  private val none = RowRange(0, 0)

  private def cut(table: LanceTable, fragment: Fragment, live: Long, ranks: RowRange): RowRange = {
    val rows = FragmentScan.physicalRows(table, fragment)
    if (ranks.numRows == live) RowRange(0, rows)
    else if (live == rows) ranks
    else {
      val ends = Array(ranks.from, ranks.until - 1)
      val found = table.deletionVector(fragment).rowsOfRanks(ends, RowRange(0, rows))
      RowRange(found(0), found(1) + 1)
    }
  }
}
