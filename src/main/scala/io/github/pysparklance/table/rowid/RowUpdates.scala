// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.rowid

/** The updates of a fragment's rows since the rows were created, as far as they were recorded.
  *
  * @param first the lowest version that last updated a row, or a lower bound of it; `None` without
  *   updated rows
  */
final case class RowUpdates(first: Option[Long])

object RowUpdates {

  /** No row was updated. */
  val none: RowUpdates = RowUpdates(None)

  /** Some rows were updated, at unknown versions. */
  val unknown: RowUpdates = RowUpdates(Some(0L))

  /** Compares the versions that created the rows with the versions that last updated them.
    *
    * @param createdAt `None` if all rows are from the first version
    */
  private[rowid] def of(
      createdAt: Option[RowDatasetVersionSequence],
      lastUpdatedAt: RowDatasetVersionSequence
  ): RowUpdates = {
    var first = Long.MaxValue
    lastUpdatedAt.foreachRun(createdAt) { (updated, created) =>
      if (created < updated) first = math.min(first, updated)
    }
    if (first == Long.MaxValue) none else RowUpdates(Some(first))
  }
}
