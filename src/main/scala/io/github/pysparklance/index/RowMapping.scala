// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index

import java.util.UUID
import java.util.concurrent.ConcurrentHashMap

import scala.collection.mutable

import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.core.{LongValues, RowRange}
import io.github.pysparklance.index.spi.{
  AddressSet,
  RowSet,
  RowSetBuilder,
  RowTransfer,
  SegmentResult,
  ZonedSegment
}
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.deletion.DeletionVector
import io.github.pysparklance.table.manifest.{Fragment, IndexSegment}
import io.github.pysparklance.table.reuse.FragmentReuse
import io.github.pysparklance.table.rowid.RowAddress

/** Maps the rows of index segments to the rows of the fragments of a version.
  *
  * A segment stores row addresses or stable row ids, see [[IndexSegment.hasRowAddresses]]. Old
  * addresses are mapped through the compactions that moved the rows. Deleted rows, and rows in
  * fragments that the segment does not cover, are dropped. Such fragments are scanned.
  *
  * Source: format page of indices, "Which number does an index store?" and "System indices".
  *
  * @param recorded see [[UpdatedFragments]]
  * @param withEntries returns the fragments for which a BTREE has entries, among some fragments
  */
final private[index] class RowMapping(
    table: LanceTable,
    recorded: IndexSegment => Option[Boolean] = _ => None,
    withEntries: (IndexSegment, RoaringBitmap) => RoaringBitmap = (_, fragments) => fragments
) {

  /** Ids of the fragments of this version. */
  val present: RoaringBitmap = {
    val all = new RoaringBitmap
    table.fragments.foreach(f => all.add(f.id.toInt))
    all
  }

  /** Rows that compactions moved since segments were built. */
  lazy val reuse: FragmentReuse = table.fragmentReuse
  private val coverages = new ConcurrentHashMap[UUID, RoaringBitmap]
  private val updated = new UpdatedFragments(table, recorded)

  /** Returns the number of rows of a fragment, including deleted rows. */
  def numRows(fragment: Fragment): Long = table.physicalRows(fragment)

  /** Returns the ids of the fragments of this version that a segment covers.
    *
    * The releases 12 and 13 of pylance cannot read a BTREE of row addresses in a table with stable
    * row ids. They extend its coverage to the new fragments of moved rows, without entries for
    * their new addresses. Such fragments are not covered.
    */
  def covered(segment: IndexSegment): RoaringBitmap = coverages.computeIfAbsent(
    segment.uuid,
    _ => {
      val named =
        RoaringBitmap.and(segment.bitmap.fold(new RoaringBitmap)(reuse.coverage), present)
      val mayLackEntries =
        table.hasStableRowIds && segment.isBTree && segment.hasRowAddresses && !named.isEmpty
      if (mayLackEntries) withEntries(segment, named) else named
    }
  )

  /** Whether a segment has exactly one entry for each live row of some fragments. If not, it may
    * have others that are outdated.
    */
  def isExact(segment: IndexSegment, of: RoaringBitmap): Boolean =
    !fragments(of).exists(updated.mayBeOutdated(segment))

  /** Returns the fragments among some that may have updated rows, see
    * [[UpdatedFragments.mayBeUpdated]].
    */
  def withUpdates(segment: IndexSegment, among: RoaringBitmap): RoaringBitmap = {
    val found = new RoaringBitmap
    fragments(among).filter(updated.mayBeUpdated(segment)).foreach(f => found.add(f.id.toInt))
    found
  }

  /** Whether some fragments may have updated rows that moved, see
    * [[UpdatedFragments.mayHaveMoved]].
    */
  def haveMovedRows(segment: IndexSegment, of: RoaringBitmap): Boolean =
    fragments(of).exists(updated.mayHaveMoved(segment))

  private def fragments(ids: RoaringBitmap): Iterator[Fragment] =
    table.fragments.iterator.filter(f => ids.contains(f.id.toInt))

  /** See [[UpdatedFragments.canRecordExact]]. */
  def canRecordExact(segment: IndexSegment, of: RoaringBitmap): Boolean =
    updated.canRecordExact(segment, of)

  /** Returns the fragments that the zones of a segment cover, among the given fragments.
    *
    * Early releases wrote zones that extend into other fragments, and recorded coverage of
    * fragments without zones. A fragment without zones is not covered. A segment is not used if its
    * zones overlap, extend past the end of a fragment, or omit a live row. Zones of fragments that
    * were compacted later are ignored.
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

  /** Maps the result of a segment to the fragments that it covers.
    *
    * @param covered ids of these fragments
    */
  def known(segment: IndexSegment, covered: RoaringBitmap, result: SegmentResult): KnownFragments =
    knownRows(covered, result, updated.mayBeOutdated(segment))(current(segment, _))

  /** Returns the result of a segment whose zones cover all rows of some fragments. Zones have
    * addresses of this version. Rows of fragments that were compacted later are ignored.
    *
    * @param covered ids of these fragments, see [[tiled]]
    */
  def knownByZones(covered: RoaringBitmap, result: SegmentResult): KnownFragments =
    knownRows(covered, result, _ => false)(AddressSet.stored)

  private def knownRows(
      covered: RoaringBitmap,
      result: SegmentResult,
      mayBeOutdated: Fragment => Boolean
  )(now: RowSet => AddressSet): KnownFragments = {
    def of(rows: AddressSet)(exact: Fragment => FragmentResult): KnownFragments =
      new KnownFragments(
        covered,
        rows,
        f =>
          if (mayBeOutdated(f)) FragmentResult.atMost(numRows(f), rows.offsets(f.id)) else exact(f)
      )
    result match {
      case exact: SegmentResult.Exact =>
        val trues = now(exact.trues)
        lazy val nulls = now(exact.nulls)
        of(trues)(f => FragmentResult.exact(numRows(f), trues.offsets(f.id), nulls.offsets(f.id)))
      case SegmentResult.Trues(rows) =>
        val trues = now(rows)
        of(trues)(f => FragmentResult.trues(numRows(f), trues.offsets(f.id)))
      case SegmentResult.AtMost(rows) =>
        val most = now(rows)
        of(most)(f => FragmentResult.atMost(numRows(f), most.offsets(f.id)))
    }
  }

  /** Returns the first entries of a segment whose rows are live, in the given order.
    *
    * @param covered ids of fragments that the segment covers
    * @param rowOf returns the row that the segment stores for an entry
    * @return entries with the addresses of their rows
    */
  def firstLive[A](
      segment: IndexSegment,
      covered: RoaringBitmap,
      entries: Iterator[A],
      limit: Int
  )(rowOf: A => Long): IndexedSeq[(A, Long)] = live(segment, covered, entries, limit)(rowOf)
    .take(limit).toIndexedSeq

  /** Returns the entries of a segment whose rows are live, see [[firstLive]].
    *
    * @param atATime number of entries that are looked up together
    */
  def live[A](
      segment: IndexSegment,
      covered: RoaringBitmap,
      entries: Iterator[A],
      atATime: Int
  )(rowOf: A => Long): Iterator[(A, Long)] = {
    val deletions = mutable.LongMap.empty[DeletionVector]
    def isLive(address: Long): Boolean = address != RowAddress.none && {
      val id = RowAddress.fragmentId(address)
      covered.contains(id.toInt) && {
        val deleted = deletions.getOrElseUpdate(id, table.deletionVector(table.fragment(id).get))
        !deleted.isDeleted(RowAddress.offset(address))
      }
    }
    entries.grouped(math.max(64, atATime)).flatMap { some =>
      some.iterator.zip(addresses(segment, some.iterator.map(rowOf).toArray).iterator)
    }.filter { case (_, address) => isLive(address) }
  }

  /** Returns the addresses of rows in this version, [[RowAddress.none]] for deleted rows. */
  private def addresses(segment: IndexSegment, rows: Array[Long]): Array[Long] =
    if (table.hasStableRowIds && !segment.hasRowAddresses) table.rowIdIndex.addressesOf(rows)
    else if (reuse.isEmpty) rows
    else rows.map(reuse(_))

  /** Returns the given rows of a segment in fragments that it covers, by fragment id. */
  def rows(
      segment: IndexSegment,
      covered: RoaringBitmap,
      of: RowSet
  ): Iterator[(Long, RoaringBitmap)] = {
    val now = current(segment, of)
    now.fragments.filter(id => covered.contains(id.toInt)).map(id => id -> now.offsets(id))
  }

  /** Returns a transfer of the rows in covered fragments to a new segment. */
  def transfer(segment: IndexSegment, coverage: RoaringBitmap): RowTransfer = {
    val ids =
      if (table.hasStableRowIds && !segment.hasRowAddresses) Some(rowIds(coverage)) else None
    new CoveredRows(coverage, ids, reuse)
  }

  /** Returns the stable ids of live rows of fragments. */
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

  /** Whether the driver can map rows of a segment to addresses. Mapping takes about 100 bytes a
    * row, unless the segment has the addresses of this version.
    */
  def isMappable(segment: IndexSegment, rows: RowSet): Boolean =
    hasAddressesOfVersion(segment) || rows.numRows <= RowMapping.maxMapped

  private def hasAddressesOfVersion(segment: IndexSegment): Boolean =
    reuse.isEmpty && (!table.hasStableRowIds || segment.hasRowAddresses)

  /** Maps rows to their addresses in this version. */
  private def current(segment: IndexSegment, rows: RowSet): AddressSet =
    if (hasAddressesOfVersion(segment)) AddressSet.stored(rows)
    else {
      val all = new LongValues
      rows.foreach(all.append)
      val known = java.util.Arrays.copyOf(all.array, all.numItems)
      AddressSet.of(addresses(segment, known).filter(_ != RowAddress.none))
    }
}

private object RowMapping {
  private val batchRows = 1L << 16
  private val maxMapped = 1L << 20
}

/** The result of a segment for the fragments that it covers.
  *
  * @param covered ids of these fragments
  * @param rows all rows for which the condition may be true
  * @param of returns the result for one of the fragments
  */
final private[index] class KnownFragments(
    val covered: RoaringBitmap,
    rows: AddressSet,
    val of: Fragment => FragmentResult
) {

  /** Returns the ids of the fragments that may have a matching row. */
  def mayMatch: RoaringBitmap = {
    val found = new RoaringBitmap
    rows.fragments.foreach(id => if (covered.contains(id.toInt)) found.add(id.toInt))
    found
  }
}
