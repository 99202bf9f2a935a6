// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table

import io.github.pysparklance.core.{RowRange, RowSelection}
import io.github.pysparklance.table.rowid.RowAddress

/** A condition on rows that is answered without their values: which rows it selects follows from the manifest, and
  * with spilled row ids from their columns. Its text is SQL, long lists cut.
  */
sealed trait RowCondition {
  import RowCondition._

  /** The rows it selects at most. */
  def maxRows(all: Long): Long = this match {
    case EveryRow | FragIdIn(_) => all
    case NoRow => 0L
    case RowIdIn(ids) => math.min(all, ids.length.toLong)
    case RowAddrIn(addresses) => math.min(all, addresses.length.toLong)
    case RowOffsetIn(offsets) => math.min(all, offsets.length.toLong)
    case And(left, right) => math.min(left.maxRows(all), right.maxRows(all))
    case Or(left, right) => math.min(all, left.maxRows(all) + right.maxRows(all))
  }

  /** The rows of each fragment that it selects, deleted ones perhaps among them. */
  def select(table: LanceTable): IndexedSeq[RowSelection] = this match {
    case EveryRow => table.fragments.map(f => whole(FragmentScan.physicalRows(table, f)))
    case NoRow => table.fragments.map(_ => RowSelection.empty)
    case RowAddrIn(addresses) => byAddress(table, addresses)
    case RowIdIn(ids) if !table.hasStableRowIds => byAddress(table, ids)
    case RowIdIn(ids) => table.rowIdIndex.select(ids.toArray)
    case RowOffsetIn(offsets) => byRank(table, offsets)
    case FragIdIn(ids) =>
      val wanted = ids.toSet
      table.fragments.map { f =>
        if (wanted(f.id)) whole(FragmentScan.physicalRows(table, f)) else RowSelection.empty
      }
    case And(left, right) =>
      left.select(table).zip(right.select(table)).map { case (l, r) => l.intersect(r) }
    case Or(left, right) =>
      left.select(table).zip(right.select(table)).map { case (l, r) => l.union(r) }
  }

  override def toString: String = this match {
    case EveryRow => "true"
    case NoRow => "false"
    case RowIdIn(ids) => text(MetadataColumn.RowId, ids)
    case RowAddrIn(addresses) => text(MetadataColumn.RowAddr, addresses)
    case RowOffsetIn(offsets) => text(MetadataColumn.RowOffset, offsets)
    case FragIdIn(ids) => text(MetadataColumn.FragId, ids)
    case And(left, right) => s"($left AND $right)"
    case Or(left, right) => s"($left OR $right)"
  }
}

object RowCondition {

  /** Every row. */
  case object EveryRow extends RowCondition

  /** No row. */
  case object NoRow extends RowCondition

  /** Rows by `_rowid`; ids that no row has select nothing. */
  final case class RowIdIn(ids: IndexedSeq[Long]) extends RowCondition

  /** Rows by `_rowaddr`; addresses without a row select nothing. */
  final case class RowAddrIn(addresses: IndexedSeq[Long]) extends RowCondition

  /** Rows by `_rowoffset`; ranks that no row has select nothing. */
  final case class RowOffsetIn(offsets: IndexedSeq[Long]) extends RowCondition

  /** Rows by `_fragid`. */
  final case class FragIdIn(ids: IndexedSeq[Long]) extends RowCondition

  /** Rows that both select. */
  final case class And(left: RowCondition, right: RowCondition) extends RowCondition

  /** Rows that either selects. */
  final case class Or(left: RowCondition, right: RowCondition) extends RowCondition

  /** `column IN (values)`; none when such a condition takes a look at the rows. */
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

  private def whole(numRows: Long): RowSelection = RowSelection.of(RowRange(0, numRows))

  private def byAddress(
      table: LanceTable,
      addresses: IndexedSeq[Long]
  ): IndexedSeq[RowSelection] = {
    val wanted = addresses.groupBy(RowAddress.fragmentId)
    table.fragments.map { f =>
      wanted.get(f.id).fold(RowSelection.empty) { offsets =>
        val numRows = FragmentScan.physicalRows(table, f)
        RowSelection.of(offsets.map(RowAddress.offset).filter(_ < numRows).toArray)
      }
    }
  }

  /** Deletion files are read of fragments that have a wanted row and a deleted one. */
  private def byRank(table: LanceTable, offsets: IndexedSeq[Long]): IndexedSeq[RowSelection] = {
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
        val numRows = FragmentScan.physicalRows(table, f)
        RowSelection.of(
          if (live == numRows) inFragment
          else table.deletionVector(f).rowsOfRanks(inFragment, RowRange(0, numRows))
        )
      }
    }
  }
}
