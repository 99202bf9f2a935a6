// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.rowid

import scala.collection.mutable

import io.github.pysparklance.core.{RowSelection, Workers}
import io.github.pysparklance.table.deletion.DeletionVector

/** Finds the rows of one version by stable row id. Built once and used for many lookups.
  * Thread-safe.
  *
  * An id can occur in several fragments, for example after an update, but only one of its rows is
  * not deleted. So deletion files are read, once, only for ids in several fragments.
  *
  * {{{
  *   ids by fragment     0: 0 .. 99     3: 7 40 41     4: 100 .. 199          look up 40: fragments 0 and 3,
  *   min and max         0: 0 .. 99     3: 7 .. 41     4: 100 .. 199          deleted in 0
  * }}}
  *
  * Source: format page of the table, "Identity columns".
  *
  * @param fragments fragments in scan order
  */
final class RowIdIndex(fragments: IndexedSeq[RowIdIndex.Entry]) {

  /** Returns the addresses of rows.
    *
    * @param ids unsigned, in any order
    * @return an address for each id, or [[RowAddress.none]] if the row does not exist
    */
  def addressesOf(ids: Array[Long]): Array[Long] = {
    val sorted = RowIdIndex.sorted(ids)
    val found = Array.fill(sorted.length)(RowAddress.none)
    fragments.zip(locate(sorted)).foreach { case (f, hits) =>
      hits.foreach { at =>
        if (!f.deletions.isDeleted(at.offset))
          found(at.index) = RowAddress(f.fragmentId, at.offset)
      }
    }
    ids.map(id => found(UnsortedArray.find(sorted, 0, sorted.length, id)))
  }

  /** Returns the rows with these ids by fragment. For an id in a single fragment, the row is
    * returned even if it is deleted, which avoids reading a deletion file.
    *
    * @param ids unsigned, in any order
    */
  def select(ids: Array[Long]): IndexedSeq[RowSelection] = {
    val sorted = RowIdIndex.sorted(ids)
    val times = new Array[Int](sorted.length)
    val hits = locate(sorted)
    hits.foreach(_.foreach(at => times(at.index) += 1))
    fragments.indices.map { f =>
      if (hits(f).isEmpty) RowSelection.empty
      else {
        val live = hits(f).filterNot { at =>
          times(at.index) > 1 && fragments(f).deletions.isDeleted(at.offset)
        }
        RowSelection.of(live.map(_.offset).toArray)
      }
    }
  }

  /** Returns the rows of each fragment that have one of the ids, including deleted ones. Reads
    * missing sequences in parallel.
    */
  private def locate(sorted: Array[Long]): IndexedSeq[IndexedSeq[RowIdIndex.Hit]] =
    if (sorted.isEmpty) fragments.map(_ => RowIdIndex.noHits)
    else {
      Workers.map(fragments.filterNot(_.hasIds), RowIdIndex.readers)(_.ids)
      fragments.map { f =>
        // Most of many fragments have none of the ids.
        var hits: mutable.Builder[RowIdIndex.Hit, IndexedSeq[RowIdIndex.Hit]] = null
        f.ids.locate(
          sorted,
          (i, offset) => {
            if (hits == null) hits = IndexedSeq.newBuilder[RowIdIndex.Hit]
            hits += new RowIdIndex.Hit(i, offset)
          }
        )
        if (hits == null) RowIdIndex.noHits else hits.result()
      }
    }
}

object RowIdIndex {

  /** Sequences that are read in parallel. */
  private val readers = 8

  private val noHits = IndexedSeq.empty[Hit]

  /** A row whose id is at `index` of the requested ids. */
  final private class Hit(val index: Int, val offset: Long)

  private def sorted(ids: Array[Long]): Array[Long] = {
    val ascending = ids.map(_ ^ Long.MinValue)
    java.util.Arrays.sort(ascending)
    var numIds = 0
    ascending.indices.foreach { i =>
      if (i == 0 || ascending(i) != ascending(i - 1)) {
        ascending(numIds) = ascending(i)
        numIds += 1
      }
    }
    Array.tabulate(numIds)(ascending(_) ^ Long.MinValue)
  }

  /** The rows of a fragment. Loads ids and deletions lazily and once. */
  final class Entry(
      val fragmentId: Long,
      readIds: () => RowIdSequence,
      readDeletions: () => DeletionVector
  ) {
    @volatile private var isRead = false

    /** Whether the ids are in memory. */
    private[rowid] def hasIds: Boolean = isRead

    lazy val ids: RowIdSequence = {
      val read = readIds()
      isRead = true
      read
    }
    lazy val deletions: DeletionVector = readDeletions()
  }
}
