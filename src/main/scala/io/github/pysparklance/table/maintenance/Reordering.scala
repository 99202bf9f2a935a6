// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.maintenance

import io.github.pysparklance.core.{InvalidRequestException, Place, UnsupportedFeatureException}
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.manifest.{FeatureFlags, Fragment}
import io.github.pysparklance.table.transaction.operation.{Rewrite, RewriteGroup}

/** Changes the order of rows in fragments without changing any row. The caller reads the live rows
  * of each group, sorts them, and writes them to new fragments. Committed as a `Rewrite`, like a
  * compaction.
  *
  * Rows keep their stable ids and versions, if the table has them, and indices of row ids remain
  * valid. Indices of row addresses do not cover the new fragments until they are refreshed.
  *
  * @param table the version whose rows are sorted
  */
final class Reordering(table: LanceTable) {
  private val segments = table.indices.filterNot(_.isSystem)

  /** Returns groups of fragments whose rows may be mixed, because the same indices cover them.
    *
    * @param wanted ids of fragments; `None` for all
    * @throws UnsupportedFeatureException if this release cannot rewrite fragments of the table
    */
  def groups(wanted: Option[Set[Long]] = None): IndexedSeq[IndexedSeq[Fragment]] = {
    table.checkWritable()
    if (
      table.manifest.flags.reads(FeatureFlags.taggedFragmentReuse) ||
      table.indices.exists(_.isFragmentReuse)
    )
      throw new UnsupportedFeatureException(
        "sorting a table with a deferred index remap of an earlier compaction; run OPTIMIZE INDEX " +
          "for its indices first",
        Place(path = Some(table.path))
      )
    val chosen = table.fragments.filter(f => wanted.forall(_(f.id)))
    val coverage = if (table.hasStableRowIds) segments.map(_.bitmap) else IndexedSeq.empty
    def coveredBy(f: Fragment) =
      coverage.indices.filter(i => coverage(i).forall(_.contains(f.id.toInt)))
    val keys = chosen.map(coveredBy)
    keys.distinct.map(k => chosen.indices.filter(keys(_) == k).map(chosen))
  }

  /** Returns the number of live rows in fragments. */
  def liveRows(fragments: Seq[Fragment]): Long = fragments.map(table.liveRows).sum

  /** Replaces the old fragments by the new ones.
    *
    * @param rewritten the old fragments of each group with the new ones, which have the same rows;
    *   with stable row ids, the new ones come from [[Reordering.withLineage]]
    * @return the new version, or this one if there is nothing to do
    * @throws io.github.pysparklance.core.CommitConflictException if a concurrent commit changed the
    *   same fragments; nothing was committed
    * @throws InvalidRequestException if rows are missing
    */
  def commit(
      rewritten: Seq[(IndexedSeq[Fragment], IndexedSeq[Fragment])],
      properties: Map[String, String] = Map.empty
  ): LanceTable =
    if (rewritten.isEmpty) table
    else {
      rewritten.foreach { case (old, added) =>
        val (before, after) = (liveRows(old), added.map(table.physicalRows(_)).sum)
        if (before != after)
          throw new InvalidRequestException(
            s"sorting $before rows produced $after rows",
            Place(path = Some(table.path), version = Some(table.version))
          )
      }
      val groups = rewritten.map { case (o, n) => RewriteGroup(o, n) }
      table.commit(Rewrite(groups), properties + (Rewrite.reordersRows -> "true"))
    }
}

object Reordering {

  /** Returns a new fragment with the stable ids and versions of its rows, in row order.
    *
    * @param fragment without an id
    */
  def withLineage(
      fragment: Fragment,
      ids: Array[Long],
      createdAt: Array[Long],
      lastUpdatedAt: Array[Long]
  ): Fragment = new MovedLineage(ids, createdAt, lastUpdatedAt).put(fragment, 0L)
}
