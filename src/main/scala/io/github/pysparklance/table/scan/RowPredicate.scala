// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.scan

import io.github.pysparklance.core.{Column, Field}

/** A filter that is evaluated while rows are read. Not thread-safe. */
trait RowPredicate {

  /** The columns it needs, pruned to their required children. Never blobs. */
  def fields: IndexedSeq[Field]

  /** The computed columns it needs. They follow the fields. */
  def computed: IndexedSeq[ComputedColumn]

  /** Returns the rows for which the condition is true. Null is not true.
    *
    * @param columns one for each of [[fields]] and [[computed]]
    * @param live positions of the candidate rows, ascending; null for all
    * @param numLive number of candidate rows
    * @return positions of the matching rows, ascending; `live` itself if all candidates match
    */
  def select(columns: IndexedSeq[Column], live: Array[Int], numLive: Int): Array[Int]
}
