// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table

import io.github.pysparklance.core.Column

/** A summary of the rows in a new data file, collected while a task writes it. Indices are updated
  * from it after the commit. Implemented by the index layer.
  */
trait FragmentSummary extends Serializable {

  /** Name of the data file. */
  def file: String
}

/** Creates builders of summaries in tasks. Serialized to executors. */
trait FragmentSummaries extends Serializable {

  /** Positions in the table's schema of the summarized columns. Other columns passed to the builder
    * may be nulls.
    */
  def positions: Set[Int]

  def builder(): FragmentSummaryBuilder
}

/** Summarizes new data files one after another. Not thread-safe. */
trait FragmentSummaryBuilder {

  /** Adds rows that are written to the present file.
    *
    * @param columns one for each field of the table's schema; not retained
    */
  def add(columns: IndexedSeq[Column], numRows: Int): Unit

  /** Returns the summary of the present file and starts the next one.
    *
    * @param file name of the file
    */
  def finish(file: String): FragmentSummary
}
