// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.reading

import io.github.pysparklance.core.Column

/** Reads rows of one top-level field from front to back, in step with other fields. For each batch,
  * call [[batchEnd]], then [[request]] until it returns false, with the requests submitted in
  * between, and then [[read]].
  */
private[file] trait FieldReader {

  /** Returns the latest possible end row of a batch that starts at `row`. */
  def batchEnd(row: Long): Long

  /** Requests bytes of the rows and of later ones.
    *
    * @return whether it must be called again after the requests are submitted, because some depend
    *   on the bytes of others
    */
  def request(row: Long, numRows: Int): Boolean

  /** Columns whose read-ahead is scheduled together with other fields; empty if the field schedules
    * it itself.
    */
  def columns: IndexedSeq[ColumnScan]

  /** Requests bytes ahead for columns that schedule it themselves, without waiting. */
  def planAhead(): Unit

  /** Decodes the rows. The next call reuses the arrays. */
  def read(row: Long, numRows: Int): Column
}
