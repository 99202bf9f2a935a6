// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.ivf

import io.github.pysparklance.core.{Checked, CorruptFileException, RowRange}
import io.github.pysparklance.index.proto.IVF

/** The row range of each partition in a file of an index.
  *
  * Source: message `IVF`, index.proto; format page of indices, "Files".
  *
  * @param offsets first row of each partition, or byte in files of the first generation
  * @param lengths rows of each partition
  */
final class PartitionRows private (offsets: Array[Long], lengths: Array[Int]) {

  def numPartitions: Int = offsets.length

  /** Rows of all partitions. */
  def numRows: Long = lengths.iterator.map(_.toLong).sum

  def offset(partition: Int): Long = offsets(partition)

  def length(partition: Int): Int = lengths(partition)

  /** The rows of a partition in the file. */
  def rows(partition: Int): RowRange =
    RowRange(offsets(partition), offsets(partition) + lengths(partition))

  /** Checks that all partitions lie within the file and have no row in common. */
  def checkWithin(numRows: Long, what: String): PartitionRows = {
    var end = 0L
    (0 until numPartitions).filter(lengths(_) > 0).sortBy(offsets(_)).foreach { p =>
      CorruptFileException.check(
        offsets(p) >= end && lengths(p) <= numRows - offsets(p),
        s"$what: partition $p has ${lengths(p)} rows from row ${offsets(p)} of $numRows"
      )
      end = offsets(p) + lengths(p)
    }
    this
  }

  /** Approximate memory in bytes. */
  def sizeInBytes: Long = 12L * numPartitions
}

object PartitionRows {

  /** Reads the row ranges of partitions.
    *
    * @param what names the file in messages
    * @throws CorruptFileException if they contradict each other
    */
  def of(message: IVF, what: String): PartitionRows = {
    val numPartitions = message.getLengthsCount
    CorruptFileException.check(
      numPartitions == message.getOffsetsCount,
      s"$what: $numPartitions lengths and ${message.getOffsetsCount} offsets of partitions"
    )
    new PartitionRows(
      Array.tabulate(numPartitions) { p =>
        val offset = message.getOffsets(p)
        CorruptFileException.check(offset >= 0, s"$what: partition $p begins at $offset")
        offset
      },
      Array.tabulate(numPartitions)(p =>
        Checked.int(message.getLengths(p) & 0xffffffffL, s"$what: rows of partition $p")
      )
    )
  }
}
