// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.build

import io.github.pysparklance.index.IndexedFragments
import io.github.pysparklance.index.vector.segment.SegmentModel
import io.github.pysparklance.storage.spi.FileStore

/** Reads rows, and encodes their vectors for a segment. Holds a batch of rows and a buffer of
  * encoded vectors in memory. Not thread-safe.
  *
  * @param ranges ranges of the partitions
  */
final class BlockReader(
    index: VectorDefinition,
    model: SegmentModel,
    ranges: PartitionRanges,
    fragments: IndexedFragments,
    store: FileStore
) extends AutoCloseable {
  private val batches = fragments.open(store)
  private val vectors = new TableVectorRows(index)
  private val buffer = new BlockBuffer(model.encoder.recordBytes, ranges)
  private val partitions = new Array[Int](vectors.capacity)
  private val codes =
    new Array[Byte](Math.multiplyExact(vectors.capacity, model.encoder.recordBytes))

  /** Returns the next blocks with the numbers of their ranges, or nothing at the end. */
  def next(): IndexedSeq[(Int, Array[Byte])] = {
    var batch = batches.next()
    while (batch.isDefined) {
      vectors.foreach(batch.get) { rows =>
        model.assign(rows, partitions)
        model.encoder.encode(rows, partitions, codes, 0)
        buffer.add(rows.ids, partitions, codes, rows.numRows)
      }
      batch = if (buffer.sizeInBytes < BlockReader.maxBufferBytes) batches.next() else None
    }
    buffer.take()
  }

  def close(): Unit = batches.close()
}

private object BlockReader {
  private val maxBufferBytes = 16L << 20
}
