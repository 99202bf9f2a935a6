// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.changes

import java.util.Arrays

import io.github.pysparklance.core.{RowRange, RowSelection}
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.table.deletion.DeletionVector
import io.github.pysparklance.table.manifest.{DeletionFile, Fragment}
import io.github.pysparklance.table.proto.Transaction.OperationCase
import io.github.pysparklance.table.rowid.RowAddress
import io.github.pysparklance.table.transaction.operation.{Operation, Rewrite, RewriteGroup}
import io.github.pysparklance.table.{LanceTable, proto}

/** The addresses of rows after a compaction. A compaction writes the live rows of each group of
  * fragments to new fragments, in the same order:
  *
  * {{{
  *   old fragments   3: a - b      4: c d       (- is deleted)
  *   new fragments   7: a b c      8: d
  *   address of c    (4, 0)  ->  (7, 2)
  * }}}
  * Reads deletion files only for groups whose addresses are requested. Refers to no version.
  */
final private[changes] class RowMoves private (groups: IndexedSeq[RowMoves.Group]) {
  private val groupOf: Map[Long, RowMoves.Group] =
    groups.iterator.flatMap(g => g.old.iterator.map(_.id -> g)).toMap

  /** Returns the address of a row after the compaction; the same address if the row did not move,
    * or is not found.
    */
  def apply(address: Long): Long =
    groupOf.get(RowAddress.fragmentId(address)).fold(address)(_.moved(address))
}

private[changes] object RowMoves {

  /** Returns the moves of a commit.
    *
    * @param transaction transaction of the commit
    * @return `None` if it is no compaction, or may have changed the order of rows
    */
  def of(before: LanceTable, after: LanceTable, transaction: proto.Transaction): Option[RowMoves] =
    if (
      transaction.getOperationCase != OperationCase.REWRITE ||
      transaction.getTransactionPropertiesMap.containsKey(Rewrite.reordersRows)
    ) None
    else
      Operation.parse(transaction) match {
        case r: Rewrite => Some(new RowMoves(groupsOf(before, after, r)))
        case _ => None
      }

  private def groupsOf(before: LanceTable, after: LanceTable, r: Rewrite): IndexedSeq[Group] = {
    // In the transaction, new fragments may have no ids yet.
    def files(f: Fragment) = f.files.map(file => (file.path, file.baseId))
    val present = after.fragments.iterator.filter(_.files.nonEmpty).map(f => files(f) -> f).toMap
    def group(g: RewriteGroup): Option[Group] = {
      val old = g.oldFragments.flatMap(f => before.fragment(f.id))
      val added = g.newFragments.flatMap(f => present.get(files(f)))
      if (old.length < g.oldFragments.length || added.length < g.newFragments.length) None
      else
        Some(new Group(
          before.store,
          old.map(f => Old(f.id, before.physicalRows(f), before.deletionPath(f), f.deletionFile)),
          added.map(f => f.id -> after.physicalRows(f))
        ))
    }
    r.groups.iterator.flatMap(group(_).iterator).toIndexedSeq
  }

  /** A fragment before the compaction. */
  final private case class Old(
      id: Long,
      physicalRows: Long,
      deletionPath: Option[String],
      deletionFile: Option[DeletionFile]
  ) {
    def live(store: FileStore): RowSelection = {
      val all = RowRange(0, physicalRows)
      deletionFile.fold(RowSelection.of(all)) { d =>
        val deleted = DeletionVector.read(store, deletionPath.get, d, Some(physicalRows))
        RowSelection.of(deleted.liveRanges(all).toIndexedSeq)
      }
    }
  }

  /** Consecutive rows at the address `from` and after it.
    *
    * @param rank number of rows before them in the group
    */
  final private case class Run(from: Long, numRows: Long, rank: Long)

  /** Fragments that were merged.
    *
    * @param old fragments in the order of their rows
    * @param added ids and row counts of new fragments, in the same order
    */
  final private class Group(
      store: FileStore,
      val old: IndexedSeq[Old],
      added: IndexedSeq[(Long, Long)]
  ) {
    private val newRanks = added.scanLeft(0L)(_ + _._2).toArray

    private lazy val runs: Array[Run] = {
      var rank = 0L
      val inOrder = old.flatMap { fragment =>
        fragment.live(store).ranges.map { r =>
          val run = Run(RowAddress(fragment.id, r.from), r.numRows, rank)
          rank += r.numRows
          run
        }
      }
      // Otherwise rows were lost or added, and the places of the others are unknown.
      if (rank == newRanks.last) inOrder.sortBy(_.from).toArray else Array.empty
    }

    private lazy val froms = runs.map(_.from)

    def moved(address: Long): Long = {
      val at = positionOf(froms, address)
      if (at < 0 || address - runs(at).from >= runs(at).numRows) address
      else {
        val rank = runs(at).rank + address - runs(at).from
        val i = positionOf(newRanks, rank)
        RowAddress(added(i)._1, rank - newRanks(i))
      }
    }

    /** Position of the last element that is not greater than a value. */
    private def positionOf(ascending: Array[Long], value: Long): Int = {
      val at = Arrays.binarySearch(ascending, value)
      if (at >= 0) at else -at - 2
    }
  }
}
