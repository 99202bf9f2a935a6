// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index

import java.util.UUID
import java.util.concurrent.ConcurrentHashMap

import scala.collection.mutable

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
import io.github.pysparklance.table.deletion.DeletionVector
import io.github.pysparklance.table.manifest.{Fragment, IndexSegment}
import io.github.pysparklance.table.reuse.FragmentReuse
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

  /** Ids of the fragments of this version. */
  val present: RoaringBitmap = {
    val all = new RoaringBitmap
    table.fragments.foreach(f => all.add(f.id.toInt))
    all
  }

  /** What compactions moved since segments were built. */
  lazy val reuse: FragmentReuse = table.fragmentReuse
  private val coverages = new ConcurrentHashMap[UUID, RoaringBitmap]

  /** Rows of a fragment, deleted ones among them. */
  def numRows(fragment: Fragment): Long = table.physicalRows(fragment)

  /** Ids of the fragments of this version that a segment covers. */
  def covered(segment: IndexSegment): RoaringBitmap = coverages.computeIfAbsent(
    segment.uuid,
    _ => RoaringBitmap.and(segment.bitmap.fold(new RoaringBitmap)(reuse.coverage), present)
  )

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
    val starts = zones.map(_.from) :+ numRows(table.fragments(fragment))
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

  /** What a segment's answer says of the fragments that it covers.
    *
    * @param covered their ids
    */
  def known(segment: IndexSegment, covered: RoaringBitmap, answer: SegmentAnswer): KnownFragments =
    answer match {
      case exact: SegmentAnswer.Exact =>
        val trues = current(segment, exact.trues)
        lazy val nulls = current(segment, exact.nulls)
        new KnownFragments(
          covered,
          trues,
          f => FragmentAnswer.exact(numRows(f), trues.part(f.id), nulls.part(f.id))
        )
      case SegmentAnswer.Trues(rows) =>
        val trues = current(segment, rows)
        new KnownFragments(covered, trues, f => FragmentAnswer.trues(numRows(f), trues.part(f.id)))
      case SegmentAnswer.AtMost(rows) =>
        val most = current(segment, rows)
        new KnownFragments(covered, most, f => FragmentAnswer.atMost(numRows(f), most.part(f.id)))
    }

  /** The first entries of a segment whose rows live in some fragments, in the order given.
    *
    * @param covered ids of fragments that the segment covers
    * @param rowOf the row of an entry as the segment knows it
    * @return with the addresses of the rows
    */
  def firstLive[A](
      segment: IndexSegment,
      covered: RoaringBitmap,
      entries: Iterator[A],
      limit: Int
  )(rowOf: A => Long): IndexedSeq[(A, Long)] = live(segment, covered, entries, limit)(rowOf)
    .take(limit).toIndexedSeq

  /** The entries of a segment whose rows live in some fragments, see [[firstLive]].
    *
    * @param atATime entries that are looked up together
    */
  def live[A](
      segment: IndexSegment,
      covered: RoaringBitmap,
      entries: Iterator[A],
      atATime: Int
  )(rowOf: A => Long): Iterator[(A, Long)] = {
    val deletions = mutable.LongMap.empty[DeletionVector]
    lazy val fragments = table.fragments.iterator.map(f => f.id -> f).toMap
    def isLive(address: Long): Boolean = address != RowAddress.none && {
      val id = RowAddress.fragmentId(address)
      covered.contains(id.toInt) && {
        val deleted = deletions.getOrElseUpdate(id, table.deletionVector(fragments(id)))
        !deleted.isDeleted(RowAddress.offset(address))
      }
    }
    entries.grouped(math.max(64, atATime)).flatMap { some =>
      some.iterator.zip(addresses(segment, some.iterator.map(rowOf).toArray).iterator)
    }.filter { case (_, address) => isLive(address) }
  }

  /** Where rows are in this version, [[RowAddress.none]] for those that are gone. */
  private def addresses(segment: IndexSegment, rows: Array[Long]): Array[Long] =
    if (table.hasStableRowIds && !segment.hasRowAddresses) table.rowIdIndex.addressesOf(rows)
    else if (reuse.isEmpty) rows
    else rows.map(reuse(_))

  /** Some rows of a segment in fragments that it covers, by the fragment's id. */
  def rows(
      segment: IndexSegment,
      covered: RoaringBitmap,
      of: RowSet
  ): Iterator[(Long, RoaringBitmap)] = {
    val now = current(segment, of)
    now.uppers.filter(id => covered.contains(id.toInt)).map(id => id -> now.part(id))
  }

  /** The rows of a segment in fragments that it covers, as a new segment has them. */
  def transfer(segment: IndexSegment, coverage: RoaringBitmap): RowTransfer = {
    val ids =
      if (table.hasStableRowIds && !segment.hasRowAddresses) Some(rowIds(coverage)) else None
    new CoveredRows(coverage, ids, reuse)
  }

  /** Stable ids of the rows of fragments that are not deleted. */
  def rowIds(of: RoaringBitmap): RowSet = {
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
    if (reuse.isEmpty && (!table.hasStableRowIds || segment.hasRowAddresses)) rows
    else {
      val all = new LongValues
      rows.foreach(all.append)
      val known = java.util.Arrays.copyOf(all.array, all.numItems)
      RowSet.of(addresses(segment, known).filter(_ != RowAddress.none))
    }
}

private object RowMapping {
  private val batchRows = 1L << 16
}

/** What the answer of a segment says of the fragments that it covers.
  *
  * @param covered their ids
  * @param rows no other rows are true
  * @param of what is known of one of the fragments
  */
final private[index] class KnownFragments(
    val covered: RoaringBitmap,
    rows: RowSet,
    val of: Fragment => FragmentAnswer
) {

  /** Ids of the fragments that may have a row for which the condition is true. */
  def mayMatch: RoaringBitmap = {
    val found = new RoaringBitmap
    rows.uppers.foreach(id => if (covered.contains(id.toInt)) found.add(id.toInt))
    found
  }
}
