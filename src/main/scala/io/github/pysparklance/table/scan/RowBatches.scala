// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.scan

import io.github.pysparklance.core.Column

/** Rows of one fragment, batch by batch. Not thread-safe. */
trait RowBatches extends FragmentQueue.Member {

  /** Moves to the next batch, which may have no live row. Returns false at the end. Reuses the
    * arrays of the previous batch.
    */
  def next(): Boolean

  /** One column for each requested field, then one for each computed column, all of the same
    * length.
    */
  def columns: IndexedSeq[Column]

  /** Positions of the requested live rows, ascending; null if all rows are. */
  def live: Array[Int]

  /** Number of requested live rows. */
  def numLive: Int

  /** Number of deleted rows that this call of [[next]] skipped. */
  def numDeleted: Int

  /** Number of rows that this call of [[next]] filtered. */
  def numFiltered: Long

  /** Number of pages of all columns that were started. */
  def numPages: Long

  /** Closes all files. */
  def close(): Unit
}
