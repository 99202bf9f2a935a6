// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.build

import io.github.pysparklance.core.{RowRange, RowSelection}
import io.github.pysparklance.index.IndexedFragments
import io.github.pysparklance.index.vector.quantizer.VectorRows
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.scan.FragmentScan

/** Vectors for the training of an index, normalized for the cosine metric.
  *
  * @param floats back to back; empty for bits
  * @param bytes vectors of bits
  */
final class VectorSample(val dimension: Int, val floats: Array[Float], val bytes: Array[Byte])
    extends Serializable {

  def numVectors: Int = math.max(floats.length, bytes.length) / dimension

  /** Returns every n-th vector, at most `most` vectors. */
  def thinned(most: Int): VectorSample =
    if (numVectors <= most) this
    else {
      val kept = Array.tabulate(most)(i => (i.toLong * numVectors / most).toInt)
      def chosen[A](from: Array[A], out: Array[A]): Array[A] = {
        if (from.length > 0)
          kept.indices.foreach { i =>
            System.arraycopy(from, kept(i) * dimension, out, i * dimension, dimension)
          }
        out
      }
      def size(length: Int): Int = if (length == 0) 0 else most * dimension
      new VectorSample(
        dimension,
        chosen(floats, new Array[Float](size(floats.length))),
        chosen(bytes, new Array[Byte](size(bytes.length)))
      )
    }
}

object VectorSample {

  /** Number of consecutive rows to read, unless all rows are read. */
  private val runRows = 32

  /** Minimum number of vectors for the training of codes. */
  private val vectorsForCodes = 65536L

  /** Returns the number of vectors to sample.
    *
    * @param maxBytes maximum size of the sample
    */
  def size(index: VectorDefinition, numPartitions: Int, maxBytes: Long): Int = {
    val isTrained = Seq("SQ", "PQ").contains(index.parameters.kind.quantizer)
    val wanted = math.max(
      numPartitions.toLong * index.parameters.sampleRate,
      if (isTrained) vectorsForCodes else 1L
    )
    val width = if (index.elementType.numBytes == 1) 1L else 4L
    // Each centroid needs a vector.
    val most = math.max(maxBytes / (width * index.dimension), numPartitions.toLong)
    math.min(math.min(wanted, most), Int.MaxValue / 2 / index.dimension.toLong).toInt
  }

  /** Whether a sample reads all rows, because about half of them are needed.
    *
    * @param numVectors see [[size]]
    */
  def readsAll(numRows: Long, numVectors: Int): Boolean = numRows < 2L * numVectors

  /** Returns rows to read for a sample, in parts: runs of rows that are evenly spread over
    * fragments.
    *
    * @param fragments positions in the table
    * @param numVectors see [[size]]
    */
  def spread(
      table: LanceTable,
      index: VectorDefinition,
      fragments: Seq[Int],
      numVectors: Int,
      numParts: Int
  ): IndexedSeq[IndexedFragments] = {
    val spread = IndexedFragments.spread(table, index, fragments, numVectors / runRows + 1, runRows)
    val perPart = math.max(1, (spread.scans.length + numParts - 1) / numParts)
    val gapRows = FragmentScan.gapRows(index.column.numBytes)
    spread.scans.grouped(perPart).map(runs => spread.copy(scans = joined(runs, gapRows)))
      .toIndexedSeq
  }

  /** Returns a scan for all runs of a fragment, which opens its files once. */
  private def joined(
      runs: IndexedSeq[FragmentScan],
      gapRows: Long
  ): IndexedSeq[FragmentScan] =
    runs.groupBy(_.fragment.id).toIndexedSeq.sortBy(_._1).map { case (_, its) =>
      its.head.copy(
        rows = RowRange(its.head.rows.from, its.last.rows.until),
        selection = Some(RowSelection.of(its.map(_.rows))),
        maxGapRows = gapRows
      )
    }

  /** Reads the vectors of a part, or every n-th one.
    *
    * @param most number of vectors
    */
  def read(
      index: VectorDefinition,
      part: IndexedFragments,
      store: FileStore,
      most: Int
  ): VectorSample = {
    val found = new Thinning(index.dimension, most)
    val vectors = new TableVectorRows(index)
    part.foreachBatch(store)(vectors.foreach(_)(found.add))
    found.result()
  }

  /** Concatenates parts, and keeps every n-th vector.
    *
    * @param most number of vectors
    */
  def joined(parts: Seq[VectorSample], most: Int): VectorSample =
    new VectorSample(
      parts.head.dimension,
      parts.map(_.floats).toArray.flatten,
      parts.map(_.bytes).toArray.flatten
    ).thinned(most)

  /** Keeps every n-th vector. Doubles n when twice the wanted number is reached.
    *
    * @param most number of vectors in the result
    */
  final private[build] class Thinning(dimension: Int, most: Int) {
    private val limit = math.min(2L * most, (Int.MaxValue - 16L) / dimension).toInt
    private var floats = Array.emptyFloatArray
    private var bytes = Array.emptyByteArray
    private var count = 0
    private var step = 1L
    private var seen = 0L

    def add(rows: VectorRows): Unit = {
      var i = 0
      while (i < rows.numRows) {
        if (seen % step == 0) {
          if (count == limit) halve()
          if (seen % step == 0) append(rows, i)
        }
        seen += 1
        i += 1
      }
    }

    private def append(rows: VectorRows, i: Int): Unit = {
      val at = count * dimension
      if (rows.bytes.length > 0) {
        if (bytes.length < at + dimension) bytes = java.util.Arrays.copyOf(bytes, grown(at))
        System.arraycopy(rows.bytes, i * dimension, bytes, at, dimension)
      } else {
        if (floats.length < at + dimension) floats = java.util.Arrays.copyOf(floats, grown(at))
        System.arraycopy(rows.floats, i * dimension, floats, at, dimension)
      }
      count += 1
    }

    private def grown(size: Int): Int =
      math.min(math.max(2L * size, 1024L * dimension), limit.toLong * dimension).toInt

    private def halve(): Unit = {
      (0 until count by 2).foreach { i =>
        if (bytes.length > 0)
          System.arraycopy(bytes, i * dimension, bytes, i / 2 * dimension, dimension)
        else System.arraycopy(floats, i * dimension, floats, i / 2 * dimension, dimension)
      }
      count = (count + 1) / 2
      step *= 2
    }

    def result(): VectorSample = new VectorSample(
      dimension,
      java.util.Arrays.copyOf(floats, math.min(floats.length, count * dimension)),
      java.util.Arrays.copyOf(bytes, math.min(bytes.length, count * dimension))
    ).thinned(most)
  }
}
