// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.build

import scala.util.Using

import io.github.pysparklance.index.spi.{IndexFiles, NewSegment, RowTransfer, SegmentSource}
import io.github.pysparklance.index.vector.distance.{ElementType, Metric}
import io.github.pysparklance.index.vector.hnsw._
import io.github.pysparklance.index.vector.quantizer.{CodeColumns, ScalarEncoder, VectorEncoder}
import io.github.pysparklance.index.vector.segment._

/** Implements the tasks that build a segment of a vector index.
  *
  * {{{
  *   BlockReader  reads rows, assigns and encodes their vectors -> blocks of each range of partitions
  *   write        the blocks of a range and the partitions of other segments -> a segment of the range
  *   concatenate  the segments of all ranges -> one segment
  * }}}
  */
object VectorTasks {

  /** Bytes of codes to read from other segments at a time. */
  private val readBytes = 16L << 20

  /** Writes a segment with the partitions of a range. The other partitions are empty.
    *
    * @param blocks blocks of the range
    * @param sources segments of the same model, whose vectors come first
    */
  def write(
      model: SegmentModel,
      partitions: Range,
      blocks: Iterator[Array[Byte]],
      sources: Seq[SegmentSource],
      into: NewSegment
  ): Unit = {
    val added = new CodeBlocks(model, partitions, blocks.toIndexedSeq)
    val stored = sources.map(s => s -> opened(s.files, model.elementType))
    Using.resource(new SegmentWriter(into, model)) { writer =>
      writer.addEmpty(partitions.head)
      groups(partitions, stored.map(_._2), model).foreach { some =>
        val read = stored.map { case (source, segment) => segment.read(source.files, some) }
        some.indices.foreach { i =>
          val kept =
            stored.indices.map(s => transferred(read(s)(i), stored(s)._1.rows, model.encoder))
          val codes = added.partition(some(i), kept)
          writer.add(codes, graphOf(model, some(i), codes))
        }
      }
      writer.addEmpty(model.numPartitions - partitions.end)
      writer.finish()
    }
  }

  /** Writes a segment with the partitions of all ranges.
    *
    * @param parts segments of the ranges, in order
    */
  def concatenate(
      model: SegmentModel,
      ranges: PartitionRanges,
      parts: Seq[IndexFiles],
      into: NewSegment
  ): Unit = Using.resource(new SegmentWriter(into, model)) { writer =>
    parts.zipWithIndex.foreach { case (files, range) =>
      val part = opened(files, model.elementType)
      writer.addAll(part, files, ranges.partitions(range).length)
    }
    writer.finish()
  }

  private def opened(files: IndexFiles, elementType: ElementType): StoredSegment =
    StoredSegment.open(files, elementType).getOrElse(
      throw new IllegalStateException(s"${files.path} is not a segment that can be merged")
    )

  /** Groups the partitions that are read together from other segments. */
  private def groups(
      partitions: Range,
      stored: Seq[StoredSegment],
      model: SegmentModel
  ): Iterator[IndexedSeq[Int]] = {
    val size = model.encoder.recordBytes + 8L
    var left = partitions.toIndexedSeq
    Iterator.continually {
      var bytes = 0L
      val group = left.takeWhile { p =>
        val isFirst = bytes == 0L
        bytes += math.max(1L, stored.iterator.map(_.numVectors(p) * size).sum)
        isFirst || bytes <= readBytes
      }
      left = left.drop(group.length)
      group
    }.takeWhile(_.nonEmpty)
  }

  /** Returns the rows of a partition that still exist. */
  private def transferred(
      partition: PartitionCodes,
      rows: RowTransfer,
      encoder: VectorEncoder
  ): PartitionCodes = {
    val size = encoder.recordBytes
    val kept = new Array[Long](partition.numRows)
    val codes = new Array[Byte](partition.codes.length)
    var count = 0
    var i = 0
    while (i < partition.numRows) {
      val now = rows(partition.rows(i))
      if (now != RowTransfer.none) {
        kept(count) = now
        System.arraycopy(partition.codes, i * size, codes, count * size, size)
        count += 1
      }
      i += 1
    }
    if (count == partition.numRows) new PartitionCodes(kept, codes)
    else
      new PartitionCodes(
        java.util.Arrays.copyOf(kept, count),
        java.util.Arrays.copyOf(codes, count * size)
      )
  }

  private def graphOf(
      model: SegmentModel,
      partition: Int,
      codes: PartitionCodes
  ): Option[GraphRows] =
    model.graph.filter(_ => codes.numRows > 0).map { parameters =>
      new GraphBuilder(distances(model, partition, codes), parameters).build()
    }

  /** Returns the distances between codes, computed as in a search. */
  private def distances(
      model: SegmentModel,
      partition: Int,
      codes: PartitionCodes
  ): NodeDistances = {
    val dimension = model.dimension
    val isDot = model.metric == Metric.Dot
    model.encoder match {
      case sq: ScalarEncoder if !isDot =>
        new ByteDistances(codes.codes, dimension, isHamming = false, sq.unit)
      case _ if model.metric == Metric.Hamming =>
        new ByteDistances(codes.codes, dimension, isHamming = true, 1f)
      case encoder =>
        val vectors = new Array[Float](CodeColumns.arraySize(codes.numRows, dimension))
        (0 until codes.numRows).foreach { i =>
          encoder.decode(codes.codes, i * encoder.recordBytes, partition, vectors, i * dimension)
        }
        // For normalized vectors, 1 - cosine is half the squared distance.
        val isHalf = encoder.name == "FLAT" && model.metric == Metric.Cosine
        new FloatDistances(vectors, dimension, isDot, if (isHalf) 0.5f else 1f)
    }
  }
}
