// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan

import io.github.pysparklance.core.{RowRange, RowSelection, Wrapped}
import io.github.pysparklance.spark.filter.FragmentSkipping
import io.github.pysparklance.table.scan.{FragmentScan, LiveRowWindow}

/** Plans the rows that each task of a scan reads: prunes fragments, selects rows, and splits them
  * into tasks.
  */
final private[scan] class TaskPlanner(plan: ScanPlan) {
  import plan.{estimate, read, table}

  /** The rows of each task. Fragments without a selected row are skipped. */
  def tasks: IndexedSeq[IndexedSeq[FragmentScan]] = split(windowed(selected))

  /** The rows of each fragment that are selected without reading values. */
  private def selected: IndexedSeq[RowSelection] = {
    val skipping = read.filter.map(new FragmentSkipping(_, table, read.options.includesDeleted))
    val condition = plan.condition.map(_.select(table))
    def rows(i: Int): RowSelection =
      if (skipping.forall(_.mayMatch(i))) {
        val all = RowSelection.of(RowRange(0, estimate.physicalRows(i)))
        condition.fold(all)(_(i).intersect(all))
      } else RowSelection.empty
    table.fragments.indices.map { i =>
      plan.indexed.fold(rows(i))(_.narrow(table.fragments(i).id, rows(i)))
    }
  }

  /** Returns the rows within `LIMIT` and `OFFSET`. */
  private def windowed(rows: IndexedSeq[RowSelection]): IndexedSeq[RowSelection] =
    if (plan.window == RowWindow.all) rows
    else if (plan.condition.isEmpty)
      LiveRowWindow(table, plan.window.ranks).map(RowSelection.of(_))
    else LiveRowWindow.within(table, rows, plan.window.ranks)

  private def split(rows: IndexedSeq[RowSelection]): IndexedSeq[IndexedSeq[FragmentScan]] = {
    val spans = rows.map(r =>
      if (r.isEmpty) TaskPlanner.noRows
      else if (r.ranges.length == 1) r.ranges.head
      else RowRange(r.ranges.head.from, r.ranges.last.until)
    )
    val bytes = Wrapped(
      rows.indices.iterator.map(i =>
        if (rows(i).isEmpty) 0L else estimate.taskBytes(i, rows(i).numRows)
      ).toArray
    )
    SplitPlanner
      .plan(spans, bytes, read.options, estimate.rowAlignment)
      .map(_.flatMap(s => scan(s, rows(s.fragment).within(s.rows))))
      .filter(_.nonEmpty)
  }

  private def scan(split: Split, selected: RowSelection): Option[FragmentScan] =
    if (selected.isEmpty) None
    else {
      val isWhole = selected.numRows == split.rows.numRows
      val isPlain = isWhole && read.filter.isEmpty && read.sample.isEmpty && read.top.isEmpty
      val gapRows =
        if (isPlain) FragmentScan.defaultGapRows else estimate.gapRows(split.fragment)
      Some(
        FragmentScan(
          table,
          split.fragment,
          split.rows,
          if (isWhole) None else Some(selected),
          gapRows,
          read.allComputed
        ).copy(includesDeleted = read.options.includesDeleted).allowing(read.options.blobUris)
      )
    }
}

private object TaskPlanner {
  private val noRows = RowRange(0, 0)
}
