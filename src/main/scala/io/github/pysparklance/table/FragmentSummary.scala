// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table

import io.github.pysparklance.core.Column

/** Notes about the rows of a new data file, made while a task writes it, for indices that are updated after the commit.
  * Implemented by the layer that knows indices.
  */
trait FragmentSummary extends Serializable {

  /** Name of the data file. */
  def file: String
}

/** Summarizes the rows that a task writes. Goes to the executors. */
trait FragmentSummaries extends Serializable {

  /** Positions in the table's schema of the columns that are summarized. The others may be nulls. */
  def positions: Set[Int]

  def builder(): FragmentSummaryBuilder
}

/** Summarizes one new data file after the other. Not thread-safe. */
trait FragmentSummaryBuilder {

  /** Adds rows that are written to the file.
    *
    * @param columns one for each field of the table's schema; not kept
    */
  def add(columns: IndexedSeq[Column], numRows: Int): Unit

  /** Returns the summary of the file. The next file begins.
    *
    * @param file its name
    */
  def finish(file: String): FragmentSummary
}
