// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.search

import java.util.concurrent.atomic.LongAdder

/** What searches did. Safe for use from many threads. */
final class SearchStatistics {
  private val partitions = new LongAdder
  private val comparisons = new LongAdder
  private val refined = new LongAdder

  /** Partitions that were searched. */
  def partitionsProbed: Long = partitions.sum

  /** Distances that were computed from codes. */
  def vectorsCompared: Long = comparisons.sum

  /** Rows whose vectors were read to compute their true distances. */
  def rowsRefined: Long = refined.sum

  def probed(vectors: Long): Unit = {
    partitions.increment()
    comparisons.add(vectors)
  }

  def refined(rows: Long): Unit = refined.add(rows)
}
