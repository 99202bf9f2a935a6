// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index

import java.util.concurrent.ConcurrentHashMap

import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.manifest.{Fragment, IndexSegment}
import io.github.pysparklance.table.rowid.RowUpdates

/** Finds fragments with updated rows for which a segment may be wrong, because of faults of other
  * writers. Thread-safe.
  *
  * {{{
  *   moved      row 7 created at 1, updated at 3: moved to another fragment, same stable id
  *   in place   row 7 updated at 3 by a new file of the column, same address
  *   entries    built at 1: "a" -> 7       merged at 3: "a" -> 7 (outdated), "b" -> 7
  * }}}
  *
  * @param recorded whether the files of a segment record that it had no outdated entries when it
  *   was written, or that it may have some; `None` without a record
  */
final private[index] class UpdatedFragments(
    table: LanceTable,
    recorded: IndexSegment => Option[Boolean]
) {
  private val known = new ConcurrentHashMap[Long, RowUpdates]

  private def updates(f: Fragment): RowUpdates =
    known.computeIfAbsent(f.id, _ => table.updates(f))

  /** Returns whether a segment may have outdated entries for rows of a fragment. Releases of
    * pylance keep the old entry of an updated row when they merge the new one: before 9, and before
    * 13 for LABEL_LIST.
    *
    * A segment that was recorded as exact never gets outdated entries. A later update of an indexed
    * value moves the row to a fragment that the segment does not cover, or removes the fragment
    * from its coverage. A merge by pylance writes new files without the record.
    */
  def mayBeOutdated(segment: IndexSegment): Fragment => Boolean = {
    val isUpdated = mayBeUpdated(segment)
    lazy val record = recorded(segment)
    if (segment.hasRowAddresses || !table.hasStableRowIds)
      // A compaction removes the signs of updates in place, but not a record.
      f => record.fold(isUpdated(f))(isExact => !isExact)
    else f => isUpdated(f) && !record.contains(true)
  }

  /** Returns whether a fragment may have rows that were updated after a segment had entries for
    * them.
    */
  def mayBeUpdated(segment: IndexSegment): Fragment => Boolean = {
    val (moved, inPlace) = (mayHaveMoved(segment), mayBeUpdatedInPlace(segment))
    f => moved(f) || inPlace(f)
  }

  /** Like [[mayBeUpdated]], for rows that moved to a fragment and kept their stable ids. A segment
    * that was built before the update is not concerned: its outdated entries are in fragments that
    * it does not cover. Since pylance 10, a merged segment keeps the version of the oldest one, so
    * the version of a LABEL_LIST does not show when it was merged.
    */
  def mayHaveMoved(segment: IndexSegment): Fragment => Boolean =
    if (!table.hasStableRowIds || segment.hasRowAddresses) _ => false
    else {
      val until = if (segment.isLabelList) Long.MaxValue else segment.datasetVersion
      f => updates(f).first.exists(_ <= until)
    }

  /** Whether the indexed column of a fragment may have been updated in place: it is not in the
    * first file. A column that was added later is not there, either. Does not detect an update of
    * all columns of the first file, or an update before a compaction.
    */
  private def mayBeUpdatedInPlace(segment: IndexSegment): Fragment => Boolean = {
    val leaves = segment.fields.headOption.flatMap(table.schema.byId)
      .fold(Seq.empty[Int])(_.flatten.filter(_.isLeaf).map(_.id))
    f => f.files.headOption.exists(file => !leaves.forall(file.fields.contains))
  }

  /** Whether the entries of a segment for rows of some fragments can be recorded as exact after a
    * merge. Unlike [[mayBeOutdated]], does not rely on the version of a segment that another writer
    * may have merged from older ones.
    */
  def canRecordExact(segment: IndexSegment, of: RoaringBitmap): Boolean =
    recorded(segment).getOrElse {
      val inPlace = mayBeUpdatedInPlace(segment)
      !table.fragments.exists { f =>
        of.contains(f.id.toInt) && (inPlace(f) || updates(f).first.isDefined)
      }
    }
}
