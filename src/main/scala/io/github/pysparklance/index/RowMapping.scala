// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index

import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.core.{LongValues, RowRange}
import io.github.pysparklance.index.spi.{
  RowSet,
  RowSetBuilder,
  RowTransfer,
  SegmentAnswer,
  ZonedSegment
}
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.manifest.IndexSegment
import io.github.pysparklance.table.rowid.RowAddress

/** From rows as index segments know them to rows of the fragments of a version.
  *
  * A segment knows rows by address or by stable id, see [[IndexSegment.hasRowAddresses]]. Addresses of the past are
  * followed through the compactions that moved the rows. Rows that are gone, or in a fragment that the segment does not
  * cover, are dropped: these fragments are scanned.
  *
  * Source: format page of indices, "Which number does an index store?" and "System indices".
  */
final private[index] class RowMapping(table: LanceTable) {

  /** Rows of each fragment, deleted ones among them. */
  val numRows: IndexedSeq[Long] = table.fragments.map(table.physicalRows(_))

  private val positions: Map[Long, Int] = table.fragments.map(_.id).zipWithIndex.toMap
  private val present = RoaringBitmap.bitmapOf(table.fragments.map(_.id.toInt): _*)
  private lazy val reuse = table.fragmentReuse

  /** Ids of the fragments of this version that a segment covers. */
  def covered(segment: IndexSegment): RoaringBitmap =
    RoaringBitmap.and(segment.bitmap.fold(new RoaringBitmap)(reuse.coverage), present)

  /** Those fragments of some that the zones of a segment really cover.
    *
    * Early releases wrote zones that run on into other fragments, and kept fragments covered that no zone is of. A
    * fragment without zones is not covered. Zones that overlap, end behind the fragment or leave out a live row are
    * those of a segment that cannot be used at all. Zones of fragments that were compacted since are not used.
    */
  def tiled(segment: ZonedSegment, of: IndexSegment, covered: RoaringBitmap): RoaringBitmap = {
    val named = of.bitmap.getOrElse(new RoaringBitmap)
    val candidates = RoaringBitmap.and(covered, named)
    val result = new RoaringBitmap
    val isSound = table.fragments.indices.forall { i =>
      val fragment = table.fragments(i)
      !candidates.contains(fragment.id.toInt) || {
        val zones = segment.zonesOf.getOrElse(fragment.id, IndexedSeq.empty)
        if (zones.isEmpty) true
        else {
          result.add(fragment.id.toInt)
          isTiling(i, zones)
        }
      }
    }
    if (isSound) result else new RoaringBitmap
  }

  private def isTiling(fragment: Int, zones: IndexedSeq[RowRange]): Boolean = {
    val ends = 0L +: zones.map(_.until)
    val starts = zones.map(_.from) :+ numRows(fragment)
    val holes = ends.zip(starts)
    holes.forall { case (end, start) => end <= start } && {
      val open = holes.filter { case (end, start) => end < start }
      open.isEmpty || {
        val deletions = table.deletionVector(table.fragments(fragment))
        open.forall { case (end, start) =>
          deletions.numDeletedIn(RowRange(end, start)) == start - end
        }
      }
    }
  }

  /** What a segment's answer says of each fragment that it covers, by the fragment's position. */
  def byFragment(
      segment: IndexSegment,
      covered: RoaringBitmap,
      answer: SegmentAnswer
  ): Map[Int, FragmentAnswer] = {
    val ids = positions.keysIterator.filter(id => covered.contains(id.toInt)).toIndexedSeq
    def parts(rows: RowSet): Long => RoaringBitmap = current(segment, rows).part(_)
    val of: (Int, Long) => FragmentAnswer = answer match {
      case exact: SegmentAnswer.Exact =>
        val trues = parts(exact.trues)
        lazy val nulls = parts(exact.nulls)
        (i, id) => FragmentAnswer.exact(numRows(i), trues(id), nulls(id))
      case SegmentAnswer.Trues(rows) =>
        val trues = parts(rows)
        (i, id) => FragmentAnswer.trues(numRows(i), trues(id))
      case SegmentAnswer.AtMost(rows) =>
        val most = parts(rows)
        (i, id) => FragmentAnswer.atMost(numRows(i), most(id))
    }
    ids.map(id => positions(id) -> of(positions(id), id)).toMap
  }

  /** The rows of a segment in fragments that it covers, as a new segment has them. */
  def transfer(segment: IndexSegment, coverage: RoaringBitmap): RowTransfer = {
    val ids =
      if (table.hasStableRowIds && !segment.hasRowAddresses) Some(rowIds(coverage)) else None
    new CoveredRows(coverage, ids, reuse)
  }

  /** Stable ids of the rows of fragments that are not deleted. */
  private def rowIds(of: RoaringBitmap): RowSet = {
    val found = new RowSetBuilder
    table.fragments.filter(f => of.contains(f.id.toInt)).foreach { fragment =>
      val deletions = table.deletionVector(fragment)
      table.rowIds(fragment).foreach { ids =>
        var from = 0L
        while (from < ids.numRows) {
          val rows = RowRange(from, math.min(from + RowMapping.batchRows, ids.numRows))
          val batch = new Array[Long](rows.numRows.toInt)
          ids.fill(rows, batch, 0)
          val deleted = deletions.deletedIn(rows)
          var next = 0
          batch.indices.foreach { i =>
            if (next < deleted.length && deleted(next) == i) next += 1
            else found.add(batch(i)): Unit
          }
          from = rows.until
        }
      }
    }
    found.result()
  }

  /** Where rows are in this version. */
  private def current(segment: IndexSegment, rows: RowSet): RowSet =
    if (table.hasStableRowIds && !segment.hasRowAddresses) {
      val ids = longs(rows, identity)
      RowSet.of(table.rowIdIndex.addressesOf(ids).filter(_ != RowAddress.none))
    } else if (reuse.isEmpty) rows
    else RowSet.of(longs(rows, reuse(_)).filter(_ != RowAddress.none))

  private def longs(rows: RowSet, f: Long => Long): Array[Long] = {
    val found = new LongValues
    rows.foreach(row => found.append(f(row)))
    java.util.Arrays.copyOf(found.array, found.numItems)
  }
}

private object RowMapping {
  private val batchRows = 1L << 16
}
