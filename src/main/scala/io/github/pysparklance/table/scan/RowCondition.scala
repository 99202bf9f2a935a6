// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.scan

import io.github.pysparklance.core.{RowRange, RowSelection}
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.manifest.Fragment
import io.github.pysparklance.table.rowid.RowAddress

/** Selects rows of a table without reading their values: by id, address, rank, or fragment, or by
  * an index. `toString` returns SQL, with long lists truncated.
  */
trait RowCondition {

  /** Returns the maximum number of selected rows.
    *
    * @param all rows of the table
    */
  def maxRows(all: Long): Long

  /** Returns the selected rows of each fragment, which may include deleted rows. May read spilled
    * row ids and deletion files.
    */
  def select(table: LanceTable): IndexedSeq[RowSelection]

  /** Whether it selects the same rows, unless deleted, in later versions of the table. */
  def isStable(table: LanceTable): Boolean
}

object RowCondition {

  /** Every row. */
  case object EveryRow extends RowCondition {
    def maxRows(all: Long): Long = all
    def select(table: LanceTable): IndexedSeq[RowSelection] = table.fragments.map(whole(table, _))
    def isStable(table: LanceTable): Boolean = true
    override def toString: String = "true"
  }

  /** No row. */
  case object NoRow extends RowCondition {
    def maxRows(all: Long): Long = 0L
    def select(table: LanceTable): IndexedSeq[RowSelection] =
      table.fragments.map(_ => RowSelection.empty)
    def isStable(table: LanceTable): Boolean = true
    override def toString: String = "false"
  }

  /** Rows by `_rowid`. Ignores unknown ids. */
  final case class RowIdIn(ids: IndexedSeq[Long]) extends RowCondition {
    def maxRows(all: Long): Long = math.min(all, ids.length.toLong)
    def select(table: LanceTable): IndexedSeq[RowSelection] =
      if (table.hasStableRowIds) table.rowIdIndex.select(ids.toArray)
      else RowAddrIn(ids).select(table)
    def isStable(table: LanceTable): Boolean = table.hasStableRowIds
    override def toString: String = text(MetadataColumn.RowId, ids)
  }

  /** Rows by `_rowaddr`. Ignores unknown addresses. */
  final case class RowAddrIn(addresses: IndexedSeq[Long]) extends RowCondition {
    def maxRows(all: Long): Long = math.min(all, addresses.length.toLong)
    def select(table: LanceTable): IndexedSeq[RowSelection] = {
      val wanted = addresses.groupBy(RowAddress.fragmentId)
      table.fragments.map { f =>
        wanted.get(f.id).fold(RowSelection.empty) { inFragment =>
          val numRows = table.physicalRows(f)
          RowSelection.of(inFragment.map(RowAddress.offset).filter(_ < numRows).toArray)
        }
      }
    }
    def isStable(table: LanceTable): Boolean = false
    override def toString: String = text(MetadataColumn.RowAddr, addresses)
  }

  /** Rows by `_rowoffset`. Ignores unknown ranks. */
  final case class RowOffsetIn(offsets: IndexedSeq[Long]) extends RowCondition {
    def maxRows(all: Long): Long = math.min(all, offsets.length.toLong)

    /** Reads the deletion files of fragments that have a requested row and a deleted one. */
    def select(table: LanceTable): IndexedSeq[RowSelection] = {
      val ranks = offsets.toArray.sorted
      var at = ranks.count(_ < 0)
      var before = 0L
      table.fragments.map { f =>
        val from = at
        val live = if (at < ranks.length) table.liveRows(f) else 0L
        while (at < ranks.length && ranks(at) - before < live) at += 1
        val inFragment = ranks.slice(from, at).map(_ - before)
        before = Math.addExact(before, live)
        if (inFragment.isEmpty) RowSelection.empty
        else {
          val numRows = table.physicalRows(f)
          RowSelection.of(
            if (live == numRows) inFragment
            else table.deletionVector(f).rowsOfRanks(inFragment, RowRange(0, numRows))
          )
        }
      }
    }
    def isStable(table: LanceTable): Boolean = false
    override def toString: String = text(MetadataColumn.RowOffset, offsets)
  }

  /** Rows by `_fragid`. */
  final case class FragIdIn(ids: IndexedSeq[Long]) extends RowCondition {
    def maxRows(all: Long): Long = all
    def select(table: LanceTable): IndexedSeq[RowSelection] = {
      val wanted = ids.toSet
      table.fragments.map(f => if (wanted(f.id)) whole(table, f) else RowSelection.empty)
    }
    def isStable(table: LanceTable): Boolean = false
    override def toString: String = text(MetadataColumn.FragId, ids)
  }

  /** Rows that both conditions select. */
  final case class And(left: RowCondition, right: RowCondition) extends RowCondition {
    def maxRows(all: Long): Long = math.min(left.maxRows(all), right.maxRows(all))
    def select(table: LanceTable): IndexedSeq[RowSelection] =
      left.select(table).zip(right.select(table)).map { case (l, r) => l.intersect(r) }
    def isStable(table: LanceTable): Boolean = left.isStable(table) && right.isStable(table)
    override def toString: String = s"($left AND $right)"
  }

  /** Rows that either condition selects. */
  final case class Or(left: RowCondition, right: RowCondition) extends RowCondition {
    def maxRows(all: Long): Long = math.min(all, left.maxRows(all) + right.maxRows(all))
    def select(table: LanceTable): IndexedSeq[RowSelection] =
      left.select(table).zip(right.select(table)).map { case (l, r) => l.union(r) }
    def isStable(table: LanceTable): Boolean = left.isStable(table) && right.isStable(table)
    override def toString: String = s"($left OR $right)"
  }

  /** Returns the condition `column IN (values)`, or `None` if it must be evaluated on values of
    * rows.
    */
  def in(column: MetadataColumn, values: Seq[Long]): Option[RowCondition] = {
    val distinct = values.distinct.sorted.toIndexedSeq
    column match {
      case _ if distinct.isEmpty => Some(NoRow)
      case MetadataColumn.RowId => Some(RowIdIn(distinct))
      case MetadataColumn.RowAddr => Some(RowAddrIn(distinct))
      case MetadataColumn.RowOffset => Some(RowOffsetIn(distinct))
      case MetadataColumn.FragId => Some(FragIdIn(distinct))
      case _ => None
    }
  }

  private val shownValues = 10

  private def text(column: MetadataColumn, values: IndexedSeq[Long]): String =
    if (values.length == 1) s"${column.name} = ${values.head}"
    else {
      val more =
        if (values.length > shownValues) s", ... ${values.length - shownValues} more" else ""
      values.take(shownValues).mkString(s"${column.name} IN (", ", ", s"$more)")
    }

  private def whole(table: LanceTable, fragment: Fragment): RowSelection =
    RowSelection.of(RowRange(0, table.physicalRows(fragment)))
}
