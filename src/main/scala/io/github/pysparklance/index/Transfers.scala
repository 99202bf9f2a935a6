// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index

import scala.collection.mutable

import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.index.spi.{RowSet, RowTransfer}
import io.github.pysparklance.table.reuse.{FragmentReuse, RowMoves}
import io.github.pysparklance.table.rowid.RowAddress

/** Maps the rows of a segment that is merged with others to their current addresses. Drops rows of
  * fragments that the segment does not cover. They may be outdated, because the segment that covers
  * the fragment has the current value.
  *
  * @param coverage ids of fragments of the version
  * @param ids stable ids of the rows in these fragments; `None` if the segment stores addresses
  * @param reuse rows that compactions moved since the segment was built
  */
final private[index] class CoveredRows(
    coverage: RoaringBitmap,
    ids: Option[RowSet],
    reuse: FragmentReuse
) extends RowTransfer {

  def apply(row: Long): Long = ids match {
    case Some(live) => if (live.contains(row)) row else RowTransfer.none
    case None =>
      val now = reuse(row)
      if (now != RowAddress.none && coverage.contains(RowAddress.fragmentId(now).toInt)) now
      else RowTransfer.none
  }

  def keepsFragment(fragmentId: Long): Boolean = coverage.contains(fragmentId.toInt)
}

/** Maps rows to their addresses after a compaction.
  *
  * @param moves moved rows; at most one entry moves each address
  */
final private[index] class MovedRows(moves: Seq[RowMoves]) extends RowTransfer {
  // Cached, because entries in value order change the fragment with almost each row.
  @transient private lazy val known = mutable.LongMap.empty[Option[RowMoves]]

  def apply(row: Long): Long = {
    val fragment = RowAddress.fragmentId(row)
    known.getOrElseUpdate(fragment, moves.find(_.moves(fragment))).fold(row)(_(row))
  }

  def keepsFragment(fragmentId: Long): Boolean = !moves.exists(_.moves(fragmentId))
}
