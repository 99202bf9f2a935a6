// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.search

import io.github.pysparklance.core.InvalidRequestException

/** Limits of searches. */
private[scan] object SearchLimits {

  /** Rows of a result, which pass through the driver. */
  val maxRows: Int = 1 << 24

  /** Returns the number of rows to find for a query, including the ones that `offset` skips.
    *
    * @throws InvalidRequestException if they are too many
    */
  def numCandidates(k: Int, offset: Int): Int = {
    val all = k.toLong + offset
    if (all > maxRows)
      throw new InvalidRequestException(
        s"k and offset add up to $all rows; a search returns at most $maxRows"
      )
    all.toInt
  }
}
