// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.maintenance

import io.github.pysparklance.core.{InvalidRequestException, Place, UnsupportedFeatureException}
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.manifest.{FeatureFlags, Fragment}
import io.github.pysparklance.table.transaction.operation.{Rewrite, RewriteGroup}

/** Puts the rows of fragments in another order, without changing any row: who calls it reads the live rows of each
  * group, sorts them and writes them to new fragments. Becomes a `Rewrite`, as a compaction does.
  *
  * Rows keep their stable ids and versions, where the table has them, and indices of ids follow. An index that knows
  * rows by where they are does not cover the new fragments: it is not asked about their rows until it is brought up to
  * date.
  *
  * @param table the version whose rows are put in order
  */
final class Reordering(table: LanceTable) {
  private val segments = table.indices.filterNot(_.isSystem)

  /** Fragments whose rows may be mixed with each other: those that the same indices cover.
    *
    * @param wanted ids of fragments; none: all
    * @throws UnsupportedFeatureException for tables whose fragments this release cannot rewrite
    */
  def groups(wanted: Option[Set[Long]] = None): IndexedSeq[IndexedSeq[Fragment]] = {
    table.checkWritable()
    if (
      table.manifest.flags.reads(FeatureFlags.taggedFragmentReuse) ||
      table.indices.exists(_.isFragmentReuse)
    )
      throw new UnsupportedFeatureException(
        "sorting a table whose indices follow an earlier compaction only later",
        Place(path = Some(table.path))
      )
    val chosen = table.fragments.filter(f => wanted.forall(_(f.id)))
    val coverage = if (table.hasStableRowIds) segments.map(_.bitmap) else IndexedSeq.empty
    def coveredBy(f: Fragment) =
      coverage.indices.filter(i => coverage(i).forall(_.contains(f.id.toInt)))
    val keys = chosen.map(coveredBy)
    keys.distinct.map(k => chosen.indices.filter(keys(_) == k).map(chosen))
  }

  /** Rows of these fragments that are not deleted. */
  def liveRows(fragments: Seq[Fragment]): Long = fragments.map(table.liveRows).sum

  /** Puts the new fragments in the place of the old ones.
    *
    * @param rewritten old fragments of a group with the new ones, which have the same rows; with stable row ids they
    *   come from [[Reordering.withLineage]]
    * @return the new version, or the same when there is nothing to do
    * @throws io.github.pysparklance.core.CommitConflictException when somebody changed the same fragments meanwhile; nothing was committed
    * @throws InvalidRequestException when rows are missing
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
            s"$before rows were to be sorted, and $after came out",
            Place(path = Some(table.path), version = Some(table.version))
          )
      }
      table.commit(Rewrite(rewritten.map { case (o, n) => RewriteGroup(o, n) }), properties)
    }
}

object Reordering {

  /** A new fragment with the stable ids and the versions of its rows, in the order of the rows.
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
