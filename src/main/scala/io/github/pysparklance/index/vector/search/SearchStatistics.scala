// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.search

import java.util.concurrent.atomic.{AtomicInteger, LongAdder}

/** What searches did. Safe for use from many threads. */
final class SearchStatistics extends Serializable {
  private val segments = new AtomicInteger
  private val partitions = new LongAdder
  private val comparisons = new LongAdder
  private val refined = new LongAdder

  /** Segments that were searched for each query. */
  def numSegments: Int = segments.get

  /** Partitions that were searched. */
  def partitionsProbed: Long = partitions.sum

  /** Distances that were computed from codes. */
  def vectorsCompared: Long = comparisons.sum

  /** Rows whose vectors were read to compute their true distances. */
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
