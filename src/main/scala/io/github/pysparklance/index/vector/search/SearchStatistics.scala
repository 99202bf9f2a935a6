// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.search

import java.util.concurrent.atomic.{AtomicInteger, LongAdder}

/** Counts the work of searches. Thread-safe. */
final class SearchStatistics extends Serializable {
  private val segments = new AtomicInteger
  private val partitions = new LongAdder
  private val comparisons = new LongAdder
  private val refined = new LongAdder

  /** Number of segments that were searched for each query. */
  def numSegments: Int = segments.get

  /** Number of searched partitions. */
  def partitionsProbed: Long = partitions.sum

  /** Number of distances that were computed from codes. */
  def vectorsCompared: Long = comparisons.sum

  /** Number of rows whose true distances were computed. */
  def rowsRefined: Long = refined.sum

  def searched(numSegments: Int): Unit = segments.set(numSegments)

  /** Adds the work of other searches. */
  def add(other: SearchStatistics): Unit = {
    segments.set(math.max(numSegments, other.numSegments))
    partitions.add(other.partitionsProbed)
    comparisons.add(other.vectorsCompared)
    refined.add(other.rowsRefined)
  }

  def probed(vectors: Long): Unit = {
    partitions.increment()
    comparisons.add(vectors)
  }

  def refined(rows: Long): Unit = refined.add(rows)
}
