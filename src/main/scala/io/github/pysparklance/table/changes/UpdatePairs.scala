// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.changes

import io.github.pysparklance.table.scan.ChangeType

/** Finds the updated rows of one commit: rows that were deleted from one fragment and inserted into
  * another.
  */
private[changes] object UpdatePairs {

  /** The same rows, updated rows as preimages and postimages. Rows whose number occurs twice among
    * the deleted or among the inserted rows are not paired, because the identity is ambiguous.
    */
  def apply(
      deleted: IndexedSeq[ChangedRows],
      inserted: IndexedSeq[ChangedRows],
      identity: RowIdentity
  ): IndexedSeq[ChangedRows] = {
    identity.prepare(deleted ++ inserted)
    val (gone, goneTwice) = IdSet.of(deleted.iterator.map(identity.ids))
    val (come, comeTwice) = IdSet.of(inserted.iterator.map(identity.ids))
    def isPair(id: Long): Boolean = gone(id) && come(id) && !goneTwice(id) && !comeTwice(id)
    def typed(rows: ChangedRows, updated: ChangeType): IndexedSeq[ChangedRows] = {
      val ids = identity.ids(rows)
      val (pairs, others) = IdSet.split(rows.rows, ids)((id, _) => isPair(id))
      rows.only(others).toIndexedSeq ++ rows.only(pairs).map(_.as(updated))
    }
    deleted.flatMap(typed(_, ChangeType.UpdatePreimage)) ++
      inserted.flatMap(typed(_, ChangeType.UpdatePostimage))
  }
}
