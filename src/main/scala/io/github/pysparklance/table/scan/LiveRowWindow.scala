// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.scan

import io.github.pysparklance.core.{RowRange, RowSelection}
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.manifest.Fragment

/** Finds rows by rank among the live rows of a table, for `LIMIT` and `OFFSET`. */
object LiveRowWindow {

  /** Returns for every fragment the range of physical rows that contains the requested ranks and no
    * other live row. The range is empty if the fragment has none. Reads deletion files of fragments
    * at the ends of `ranks`, and where the manifest lacks their number of rows.
    *
    * @param ranks 0-based, in scan order; may exceed the number of rows
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

  /** Returns the rows with the requested ranks among selected live rows, by fragment. Reads
    * deletion files of fragments with selected rows up to the last requested rank.
    *
    * @param selected by fragment
    */
  def within(
      table: LanceTable,
      selected: IndexedSeq[RowSelection],
      ranks: RowRange
  ): IndexedSeq[RowSelection] = {
    var before = 0L
    table.fragments.zip(selected).map { case (fragment, rows) =>
      if (before >= ranks.until || rows.isEmpty) RowSelection.empty
      else {
        val deletions = table.deletionVector(fragment)
        val live =
          if (deletions.isEmpty) rows
          else RowSelection.of(rows.ranges.flatMap(deletions.liveRanges))
        val from = math.max(ranks.from - before, 0L)
        val until = ranks.until - before
        before += live.numRows
        byRank(live, from, until)
      }
    }
  }

  private def byRank(rows: RowSelection, from: Long, until: Long): RowSelection = {
    var before = 0L
    RowSelection.of(rows.ranges.map { r =>
      val first = math.max(from - before, 0L)
      val end = math.min(until - before, r.numRows)
      before += r.numRows
      if (first < end) RowRange(r.from + first, r.from + end) else none
    })
  }

  private val none = RowRange(0, 0)

  private def cut(table: LanceTable, fragment: Fragment, live: Long, ranks: RowRange): RowRange = {
    val rows = table.physicalRows(fragment)
    if (ranks.numRows == live) RowRange(0, rows)
    else if (live == rows) ranks
    else {
      val ends = Array(ranks.from, ranks.until - 1)
      val found = table.deletionVector(fragment).rowsOfRanks(ends, RowRange(0, rows))
      RowRange(found(0), found(1) + 1)
    }
  }
}
