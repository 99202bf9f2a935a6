// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.scan

import io.github.pysparklance.core.Column

/** Rows of one fragment, batch by batch. Not thread-safe. */
trait RowBatches extends FragmentQueue.Member {

  /** Moves to the next batch, which need not have a live row; false at the end. Arrays of the batch before are reused. */
  def next(): Boolean

  /** One column for each wanted field, then one for each computed column, all of the same length. */
  def columns: IndexedSeq[Column]

  /** Positions of the rows that are wanted and not deleted, ascending; null when all are. */
  def live: Array[Int]

  /** Rows that are wanted and not deleted. */
  def numLive: Int

  /** Deleted rows that this call of [[next]] came by. */
  def numDeleted: Int

  /** Rows that this call of [[next]] came by and that do not fulfil the condition of the read, if it has one. */
  def numFiltered: Long

  /** Pages of all columns begun so far. */
  def numPages: Long

  /** Closes all files. */
  def close(): Unit
}
