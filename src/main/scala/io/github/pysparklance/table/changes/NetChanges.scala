// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.changes

import scala.collection.mutable

import io.github.pysparklance.table.rowid.RowAddress
import io.github.pysparklance.table.scan.ChangeType

/** Collapses the changes of several commits to one change for each row.
  *
  * {{{
  *   commit      1           2                      3            net
  *   row a       insert      update pre, post                    insert (values of 2)
  *   row b                   update pre, post       delete       delete (values of the preimage of 2)
  *   row c       update      update                              preimage of 1, postimage of 2
  *   row d       insert                             delete       none
  * }}}
  * Each row keeps the version of the commit that its values come from: a preimage or deleted row
  * that of its first change, a postimage or inserted row that of its last one.
  *
  * Rows whose number occurs twice at a time, as a key of several rows, are not collapsed: all their
  * changes are returned as inserted and deleted rows.
  *
  * If a key was inserted and later deleted, but perhaps from another row, its changes are not
  * collapsed either. Without stable row ids, this concerns rows that a Z-order in between moved.
  * Compactions keep the order of rows, so rows are followed through them.
  *
  * @param commits the changes of each commit, in order
  * @param restores whether a commit may bring deleted rows back unchanged
  * @param moves the addresses of rows after each commit, if it moved them
  */
final private[changes] class NetChanges(
    commits: IndexedSeq[IndexedSeq[ChangedRows]],
    identity: RowIdentity,
    restores: Boolean,
    moves: IndexedSeq[Option[RowMoves]]
) {

  /** The changes in order of commits. */
  def rows: IndexedSeq[ChangedRows] =
    // Nothing to collapse, so that appends of any size need no memory.
    if (commits.forall(before(_).isEmpty)) commits.flatten else collapsed

  private def collapsed: IndexedSeq[ChangedRows] = {
    identity.prepare(commits.flatten)
    val (present, ambiguous) = states
    val first = firstImages(ambiguous)
    val last = lastImages(present, ambiguous)
    val unchanged = if (restores) same(first, last) else new IdSet
    val (atStart, _) = IdSet.of(first.iterator.map(_.ids))
    val before = first.flatMap(_.typed(ChangeType.UpdatePreimage, ChangeType.Delete)(
      id => !unchanged(id),
      present(_)
    ))
    val after = last.flatMap(_.typed(ChangeType.UpdatePostimage, ChangeType.Insert)(
      id => !unchanged(id),
      atStart(_)
    ))
    (before ++ after ++ all(ambiguous)).sortBy(r =>
      (r.change.version, !r.change.changeType.isBefore)
    )
  }

  private def before(commit: IndexedSeq[ChangedRows]) = commit.filter(_.change.changeType.isBefore)

  private def after(commit: IndexedSeq[ChangedRows]) =
    commit.filterNot(_.change.changeType.isBefore)

  /** The numbers of rows that are there after the last commit, and those that are not unique. */
  private def states: (IdSet, IdSet) = {
    val (present, absent, ambiguous) = (new IdSet, new IdSet, new IdSet)
    val inserted = new mutable.LongMap[Long]
    commits.indices.foreach { i =>
      val commit = commits(i)
      moves(i).foreach(follow(inserted, _))
      before(commit).foreach(eachPlace(_) { (id, place) =>
        if (absent(id)) ambiguous.add(id)
        if (identity.mayRepeat && inserted.get(id).exists(_ != place)) ambiguous.add(id)
        present.remove(id)
        absent.add(id)
      })
      after(commit).foreach(eachPlace(_) { (id, place) =>
        if (present(id)) ambiguous.add(id)
        absent.remove(id)
        present.add(id)
        if (identity.mayRepeat) inserted(id) = place
      })
    }
    (present, ambiguous)
  }

  /** Replaces the places of rows, see [[RowIdentity.places]]. Stable row ids do not change. */
  private def follow(places: mutable.LongMap[Long], moves: RowMoves): Unit = {
    val moved = places.iterator.collect {
      case (id, place) if place < 0 && moves(~place) != ~place => id -> ~moves(~place)
    }.toArray
    moved.foreach { case (id, place) => places(id) = place }
  }

  /** Calls a function with the number and the place of each row; places are 0 if numbers are
    * unique.
    */
  private def eachPlace(rows: ChangedRows)(f: (Long, Long) => Unit): Unit = {
    val ids = identity.ids(rows)
    if (identity.mayRepeat) {
      val places = identity.places(rows)
      ids.indices.foreach(i => f(ids(i), places(i)))
    } else ids.foreach(f(_, 0L))
  }

  /** The values that rows had before the first commit. */
  private def firstImages(ambiguous: IdSet): IndexedSeq[Images] = {
    val seen = new IdSet
    commits.flatMap { commit =>
      val found = before(commit).flatMap(Images.of(_)(id => !ambiguous(id) && !seen(id)))
      commit.foreach(identity.ids(_).foreach(seen.add))
      found
    }
  }

  /** The values that rows have after the last commit. */
  private def lastImages(present: IdSet, ambiguous: IdSet): IndexedSeq[Images] = {
    val seen = new IdSet
    commits.reverse.flatMap { commit =>
      val found =
        after(commit).flatMap(Images.of(_)(id => present(id) && !ambiguous(id) && !seen(id)))
      commit.foreach(identity.ids(_).foreach(seen.add))
      found
    }
  }

  /** Rows that are back at the same place in the same files. */
  private def same(first: IndexedSeq[Images], last: IndexedSeq[Images]): IdSet = {
    val places = new mutable.LongMap[(Long, Images)]
    first.foreach(i => i.foreach((id, row) => places(id) = (row, i)))
    val found = new IdSet
    last.foreach { i =>
      i.foreach { (id, row) =>
        if (places.get(id).exists { case (r, from) => r == row && from.isIn(i) }) found.add(id)
      }
    }
    found
  }

  /** All changes of rows that are not unique. */
  private def all(ambiguous: IdSet): IndexedSeq[ChangedRows] =
    if (ambiguous.isEmpty) IndexedSeq.empty
    else
      commits.flatten.flatMap { rows =>
        val plain = if (rows.change.changeType.isBefore) ChangeType.Delete else ChangeType.Insert
        Images.of(rows)(ambiguous(_)).map(_.rows.as(plain))
      }

  /** Some changed rows with their numbers. */
  final private class Images(val rows: ChangedRows, val ids: Array[Long]) {

    def foreach(f: (Long, Long) => Unit): Unit =
      IdSet.split(rows.rows, ids) { (id, row) =>
        f(id, RowAddress(rows.fragment.id, row))
        true
      }: Unit

    /** Whether the values of the same row address are the same there. */
    def isIn(other: Images): Boolean = rows.fragment.files == other.rows.fragment.files

    /** The rows that a condition holds for, as one of two changes. */
    def typed(ifTrue: ChangeType, ifFalse: ChangeType)(
        isWanted: Long => Boolean,
        condition: Long => Boolean
    ): IndexedSeq[ChangedRows] = {
      def some(is: Long => Boolean) =
        rows.only(IdSet.split(rows.rows, ids)((id, _) => isWanted(id) && is(id))._1)
      some(condition).map(_.as(ifTrue)).toIndexedSeq ++ some(!condition(_)).map(_.as(ifFalse))
    }
  }

  private object Images {

    /** The rows whose number fulfills a condition; `None` without any. */
    def of(rows: ChangedRows)(isWanted: Long => Boolean): Option[Images] = {
      val ids = identity.ids(rows)
      rows.only(IdSet.split(rows.rows, ids)((id, _) => isWanted(id))._1)
        .map(new Images(_, ids.filter(isWanted)))
    }
  }
}
