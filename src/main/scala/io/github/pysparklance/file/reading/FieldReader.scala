// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.reading

import io.github.pysparklance.core.Column

/** Reads the wanted rows of one top-level field from front to back, in step with those of other fields: for each batch
  * [[batchEnd]], [[request]] until it answers false, with the requests submitted in between, and [[read]].
  */
private[file] trait FieldReader {

  /** The row at which a batch that begins at `row` has to end at the latest. */
  def batchEnd(row: Long): Long

  /** Asks for bytes of the rows and of later ones.
    *
    * @return whether it has to be called again once the requests are submitted, as some depend on the bytes of others
    */
  def request(row: Long, numRows: Int): Boolean

  /** Columns that ask for bytes ahead together with those of other fields; none: they do by themselves. */
  def columns: IndexedSeq[ColumnScan]

  /** Lets columns that do so by themselves ask for bytes ahead, without waiting. */
  def planAhead(): Unit

  /** Decodes the rows; arrays are reused by the next call. */
  def read(row: Long, numRows: Int): Column
}
