// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.build

import io.github.pysparklance.index.spi.IndexBatch
import io.github.pysparklance.index.vector.distance.VectorBatch
import io.github.pysparklance.index.vector.quantizer.VectorRows

/** Collects the vectors of table rows that an index stores. Not thread-safe. */
final private[build] class TableVectorRows(index: VectorDefinition) {
  import TableVectorRows._

  /** Number of vectors to collect at a time. */
  val capacity: Int =
    math.max(1L, math.min(mostRows.toLong, mostBytes / (4L * index.dimension))).toInt

  private val rows = new VectorRows(index.elementType, index.dimension, index.metric, capacity)

  /** Calls `f` with the vectors of a batch, some at a time. They are valid until `f` returns. */
  def foreach(batch: IndexBatch)(f: VectorRows => Unit): Unit = {
    def run(): Unit = if (rows.numRows > 0) {
      f(rows)
      rows.clear()
    }
    def add(vectors: VectorBatch, vector: Int, row: Int): Unit = {
      rows.add(vectors, vector, batch.ids(row))
      if (rows.isFull) run()
    }
    if (!index.column.isMulti) {
      val vectors = VectorBatch(batch.values, Nil, index.dimension)
      batch.foreachLive(row => if (!batch.isNull(row)) add(vectors, row, row))
    } else
      batch.lists.foreach { lists =>
        val vectors = VectorBatch(lists.items, Nil, index.dimension)
        batch.foreachLive { row =>
          if (!batch.isNull(row))
            (lists.offsets(row) until lists.offsets(row + 1)).foreach(add(vectors, _, row))
        }
      }
    run()
  }
}

private object TableVectorRows {
  private val mostRows = 2048
  private val mostBytes = 8L << 20
}
