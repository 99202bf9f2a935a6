// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.build

import io.github.pysparklance.core.Buffer
import io.github.pysparklance.index.vector.quantizer.CodeColumns
import io.github.pysparklance.index.vector.segment.{PartitionCodes, SegmentModel}

/** Ranges of partitions. One task writes the partitions of a range.
  *
  * @param starts first partition of each range
  */
final case class PartitionRanges(starts: IndexedSeq[Int], numPartitions: Int) {

  def numRanges: Int = starts.length

  /** Returns the partitions of a range. */
  def partitions(range: Int): Range =
    starts(range) until (if (range + 1 < numRanges) starts(range + 1) else numPartitions)

  /** Returns the range of each partition. */
  def ofPartitions: Array[Int] = (0 until numRanges).toArray
    .flatMap(range => Array.fill(partitions(range).length)(range))
}

object PartitionRanges {

  /** Divides partitions into ranges of about the same size.
    *
    * @param weights weights of the partitions
    * @param numRanges maximum number of ranges
    */
  def cut(weights: IndexedSeq[Long], numRanges: Int): PartitionRanges = {
    // Partitions that were empty in the sample may have vectors.
    val ends = weights.scanLeft(0.0)(_ + _ + 1e-3)
    val starts = (0 until numRanges).map { i =>
      val from = ends.last * i / numRanges
      if (i == 0) 0 else ends.indexWhere(_ >= from)
    }
    PartitionRanges(starts.distinct.filter(_ < weights.length), weights.length)
  }
}

/** Groups encoded vectors by ranges of partitions, and returns them as blocks. Not thread-safe. Hot
  * code: imperative.
  *
  * {{{
  *   block    records of a range, in the order in which they were added
  *   record   i32 partition | i64 row | codes
  * }}}
  */
final private[build] class BlockBuffer(codeBytes: Int, ranges: PartitionRanges) {
  private val rangeOf = ranges.ofPartitions
  private val size = codeBytes + CodeBlocks.headerBytes
  private val blocks = Array.fill(ranges.numRanges)(Array.emptyByteArray)
  private val ends = new Array[Int](ranges.numRanges)
  private var total = 0L

  /** Bytes of all records. */
  def sizeInBytes: Long = total

  /** Adds vectors.
    *
    * @param codes encoded records
    */
  def add(
      rows: Array[Long],
      partitions: Array[Int],
      codes: Array[Byte],
      numRows: Int
  ): Unit = {
    var i = 0
    while (i < numRows) {
      val range = rangeOf(partitions(i))
      val at = ends(range)
      if (blocks(range).length < at + size)
        blocks(range) = java.util.Arrays.copyOf(blocks(range), math.max(16 * size, 2 * (at + size)))
      val block = blocks(range)
      Buffer.putInt(block, at, partitions(i))
      Buffer.putLong(block, at + 4, rows(i))
      System.arraycopy(codes, i * codeBytes, block, at + CodeBlocks.headerBytes, codeBytes)
      ends(range) = at + size
      i += 1
    }
    total += numRows.toLong * size
  }

  /** Removes all records, and returns them with their ranges. */
  def take(): IndexedSeq[(Int, Array[Byte])] = {
    val found = blocks.indices.filter(ends(_) > 0).map(range =>
      range -> java.util.Arrays.copyOf(blocks(range), ends(range))
    )
    java.util.Arrays.fill(ends, 0)
    blocks.indices.foreach(blocks(_) = Array.emptyByteArray)
    total = 0L
    found
  }
}

/** The blocks of a range, from any number of tasks. Hot code: imperative.
  *
  * @param partitions partitions of the range
  */
final private[build] class CodeBlocks(
    model: SegmentModel,
    partitions: Range,
    all: Seq[Array[Byte]]
) {
  private val codeBytes = model.encoder.recordBytes
  private val size = codeBytes + CodeBlocks.headerBytes

  // Tasks read rows in order, so the order of blocks is that of their first rows.
  private val blocks =
    all.sortBy(block => Buffer.longAt(block, 4) ^ Long.MinValue).toArray
  private val starts = {
    val counts = new Array[Int](partitions.length + 1)
    foreachRecord((partition, _, _) => counts(partition - partitions.head + 1) += 1)
    counts.indices.drop(1).foreach(i => counts(i) += counts(i - 1))
    counts
  }

  /** Block and position of each record, by partitions. */
  private val places = {
    val found = new Array[Long](starts.last)
    val next = starts.clone()
    foreachRecord { (partition, block, at) =>
      val p = partition - partitions.head
      found(next(p)) = block.toLong << 32 | at
      next(p) += 1
    }
    found
  }

  private def foreachRecord(f: (Int, Int, Int) => Unit): Unit = {
    var b = 0
    while (b < blocks.length) {
      val block = blocks(b)
      var at = 0
      while (at < block.length) {
        f(Buffer.intAt(block, at), b, at)
        at += size
      }
      b += 1
    }
  }

  /** Number of vectors of a partition. */
  def numRows(partition: Int): Int = {
    val p = partition - partitions.head
    starts(p + 1) - starts(p)
  }

  /** Returns the vectors of a partition, after the vectors of other segments. */
  def partition(partition: Int, before: Seq[PartitionCodes]): PartitionCodes = {
    val first = before.iterator.map(_.numRows.toLong).sum
    val count = Math.toIntExact(first + numRows(partition))
    val rows = new Array[Long](count)
    val codes = new Array[Byte](CodeColumns.arraySize(count, codeBytes))
    var at = 0
    before.foreach { part =>
      System.arraycopy(part.rows, 0, rows, at, part.numRows)
      System.arraycopy(part.codes, 0, codes, at * codeBytes, part.numRows * codeBytes)
      at += part.numRows
    }
    var i = starts(partition - partitions.head)
    while (at < count) {
      val block = blocks((places(i) >>> 32).toInt)
      val from = places(i).toInt
      rows(at) = Buffer.longAt(block, from + 4)
      System.arraycopy(
        block,
        from + CodeBlocks.headerBytes,
        codes,
        at * codeBytes,
        codeBytes
      )
      at += 1
      i += 1
    }
    new PartitionCodes(rows, codes)
  }
}

private[build] object CodeBlocks {

  /** Partition and row. */
  val headerBytes: Int = 12
}
