// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan

import scala.collection.mutable

import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.core.{Field, RowRange, RowSelection}
import io.github.pysparklance.index.{IndexAnswer, IndexCondition, ScalarIndices}
import io.github.pysparklance.spark.filter.{IndexTranslation, RowFilter}
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.scan.RowCondition

/** Selects the rows for which a filter may be true according to indices. The scan still evaluates the filter on these
  * rows: an index decides how much is read, not what is returned.
  *
  * @param rows of each fragment, `None` if reading all rows of the fragment is cheaper
  */
final private[scan] class IndexedRows private (
    table: LanceTable,
    answer: IndexAnswer,
    rows: IndexedSeq[Option[RowSelection]]
) extends RowCondition {

  def maxRows(all: Long): Long =
    if (rows.forall(_.isDefined)) math.min(all, rows.flatten.map(_.numRows).sum) else all

  def select(of: LanceTable): IndexedSeq[RowSelection] =
    of.fragments.zip(rows).map { case (fragment, known) =>
      known.getOrElse(RowSelection.of(RowRange(0, of.physicalRows(fragment))))
    }

  def isStable(of: LanceTable): Boolean = false

  /** Text for `EXPLAIN`: each index with the number of fragments that it covers, and the rows that it leaves. */
  def description: String = {
    val indices = answer.uses.groupBy(u => (u.index, u.kind)).toSeq.sortBy(_._1).map {
      case ((index, kind), uses) =>
        val covered = uses.map(_.fragments).reduce(RoaringBitmap.or(_, _)).getCardinality
        s"$index ($kind, $covered of ${table.fragments.length} fragments)"
    }
    val selected = rows.flatten
    s"index ${indices.mkString(", ")}: ${selected.map(_.numRows).sum} rows of ${selected.length} fragments"
  }
}

private[scan] object IndexedRows {

  /** Reading a row by its number costs as much as reading that many rows in a row, about. */
  private val seekRows = 16L

  /** None when no index knows anything of the filter. */
  def apply(table: LanceTable, filter: RowFilter, options: ReadOptions): Option[IndexedRows] = {
    lazy val indices = new ScalarIndices(table)
    lazy val condition = new IndexTranslation(filter.fields, options.types)(filter.expression)
    if (
      !options.useScalarIndex || options.includesDeleted || table.indices.forall(_.isSystem) ||
      indices.indices.isEmpty || condition == IndexCondition.Unknown
    ) None
    else {
      val answer = indices.answer(condition)
      val found = answer.fragments.zipWithIndex.map { case (of, i) =>
        val all = table.fragments(i).physicalRows.getOrElse(Long.MaxValue)
        selection(of.rows, all)
      }
      if (answer.uses.isEmpty || found.forall(_.isEmpty)) None
      else Some(new IndexedRows(table, answer, found))
    }
  }

  /** Whether an index finds rows by their values of a field. */
  def findsValues(table: LanceTable, field: Field): Boolean =
    table.indices.exists(s => !s.isSystem && s.fields.contains(field.id)) &&
      new ScalarIndices(table).indices.exists(i => i.fieldId == field.id && i.kind.findsValues)

  private def selection(rows: RoaringBitmap, physicalRows: Long): Option[RowSelection] = {
    val selected = rows.getLongCardinality
    if (selected == physicalRows || selected > physicalRows / 2) None
    else {
      val ranges = mutable.ArrayBuffer.empty[RowRange]
      val it = rows.getIntIterator
      var from = -1L
      var until = -1L
      while (it.hasNext) {
        val row = it.next() & 0xffffffffL
        if (row != until) {
          if (from >= 0) ranges += RowRange(from, until)
          from = row
        }
        until = row + 1
      }
      if (from >= 0) ranges += RowRange(from, until)
      if (ranges.length * seekRows + selected > physicalRows) None
      else Some(RowSelection.of(ranges.toIndexedSeq))
    }
  }
}
