// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.rowid

import java.lang.Long.compareUnsigned

import io.github.pysparklance.table.deletion.DeletionVector

/** Finds rows by their stable ids. An id may stand in several fragments, as after an update, but in only one of
  * them on a row that is not deleted.
  *
  * Source: format page of the table, "Identity columns".
  */
final class RowIdIndex(fragments: IndexedSeq[RowIdIndex.Entry]) {

  /** The addresses of rows.
    *
    * @param ids in any order
    * @return an address for each id, [[RowAddress.none]] where no such row lives
    */
  def addressesOf(ids: Array[Long]): Array[Long] = {
    val sorted = ids.distinct.sortWith(compareUnsigned(_, _) < 0)
    val found = Array.fill(sorted.length)(RowAddress.none)
    fragments.foreach { f =>
      f.ids.locate(
        sorted,
        (i, offset) =>
          if (found(i) == RowAddress.none && !f.deletions.isDeleted(offset))
            found(i) = RowAddress(f.fragmentId, offset)
      )
    }
    ids.map(id => found(UnsortedArray.find(sorted, 0, sorted.length, id)))
  }
}

object RowIdIndex {

  /** The rows of a fragment.
    *
    * @param deleted asked for when the fragment has a wanted id
    */
  final class Entry(val fragmentId: Long, val ids: RowIdSequence, deleted: () => DeletionVector) {
    lazy val deletions: DeletionVector = deleted()
  }
}
