// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index

import java.util.concurrent.ConcurrentHashMap

import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.manifest.{Fragment, IndexSegment}
import io.github.pysparklance.table.rowid.RowUpdates

/** Finds fragments with updated rows for which a segment may be wrong, because of faults of other
  * writers. Only tables with stable row ids have such fragments. Thread-safe.
  *
  * {{{
  *   row 7      created at 1, updated at 3: moved to another fragment, same id
  *   entries    built at 1: "a" -> 7       merged at 3: "a" -> 7 (outdated), "b" -> 7
  * }}}
  */
final private[index] class UpdatedFragments(table: LanceTable) {
  private val known = new ConcurrentHashMap[Long, RowUpdates]

  private def updates(f: Fragment): RowUpdates =
    known.computeIfAbsent(f.id, _ => table.updates(f))

  /** Returns whether a segment may have outdated entries for rows of a fragment. Releases of pylance
    * keep the old entry of an updated row when they merge the new one: before 9, and before 13 for
    * LABEL_LIST. A segment that was built before the update is not concerned: its outdated entries
    * are in fragments that it does not cover. Since 10, a merged segment keeps the version of the
    * oldest one, so the version of a LABEL_LIST does not show when it was merged.
    */
  def mayBeOutdated(segment: IndexSegment): Fragment => Boolean =
    if (!table.hasStableRowIds || segment.hasRowAddresses) never
    else {
      val until = if (segment.isLabelList) Long.MaxValue else segment.datasetVersion
      f => updates(f).first.exists(_ <= until)
    }

  /** Returns whether a BTREE of row addresses has no entries for a fragment that it covers. The
    * releases 12 and 13 of pylance cannot read such an index. They extend its coverage to moved rows
    * whose indexed values did not change, although the addresses of these rows did.
    */
  def hasNoEntries(segment: IndexSegment): Fragment => Boolean =
    if (!table.hasStableRowIds || !segment.isBTree || !segment.hasRowAddresses) never
    else f => {
      val its = updates(f)
      its.areComplete && its.first.exists(_ > segment.datasetVersion)
    }

  private def never: Fragment => Boolean = _ => false
}
