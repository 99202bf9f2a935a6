// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.rowid

/** The updates of a fragment's rows since the rows were created, as far as they were recorded.
  *
  * @param first the lowest version that last updated a row, or a lower bound of it; `None` without
  *   updated rows
  * @param areComplete whether all rows were updated
  */
final case class RowUpdates(first: Option[Long], areComplete: Boolean)

object RowUpdates {

  /** No row was updated. */
  val none: RowUpdates = RowUpdates(None, areComplete = false)

  /** Some rows were updated, at unknown versions. */
  val unknown: RowUpdates = RowUpdates(Some(0L), areComplete = false)

  /** Compares the versions that created the rows with the versions that last updated them.
    *
    * @param createdAt `None` if all rows are from the first version
    */
  private[rowid] def of(
      createdAt: Option[RowDatasetVersionSequence],
      lastUpdatedAt: RowDatasetVersionSequence
  ): RowUpdates = {
    var first = Long.MaxValue
    var areComplete = true
    lastUpdatedAt.foreachRun(createdAt) { (updated, created) =>
      if (created < updated) first = math.min(first, updated) else areComplete = false
    }
    if (first == Long.MaxValue) none else RowUpdates(Some(first), areComplete)
  }
}
