// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.scan

import io.github.pysparklance.core.{Column, Field}

/** A condition on the values of rows, evaluated while they are read. Used by one thread.
  */
trait RowPredicate {

  /** The columns it looks at, cut down to what it needs of them. No field of blobs. */
  def fields: IndexedSeq[Field]

  /** The computed columns it looks at; they come behind the fields. */
  def computed: IndexedSeq[ComputedColumn]

  /** Finds the rows for which the condition is true; null is not.
    *
    * @param columns one for each of [[fields]] and [[computed]]
    * @param live positions of the rows in question, ascending; null: all
    * @param numLive how many rows are in question
    * @return their positions, ascending; `live` itself when it is true for all of them
    */
  def select(columns: IndexedSeq[Column], live: Array[Int], numLive: Int): Array[Int]
}
