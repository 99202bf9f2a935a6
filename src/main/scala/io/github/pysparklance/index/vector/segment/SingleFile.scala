// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.segment

import scala.jdk.CollectionConverters._
import scala.util.Using

import io.github.pysparklance.core._
import io.github.pysparklance.index.proto.{Index, VectorIndexStage, VectorMetricType}
import io.github.pysparklance.index.spi.IndexFiles
import io.github.pysparklance.index.vector.distance.{DistanceKernels, Metric}
import io.github.pysparklance.index.vector.ivf._
import io.github.pysparklance.index.vector.quantizer.{CodesBuilder, ProductQuantizer}

/** An index of the first generation: IVF_PQ in one file.
  *
  * {{{
  *   for each partition of n rows: n codes, row by row | n row ids of 8 bytes
  *   u32 length | message Index
  *   -16  u64 position of the length   -8  u16 0   -6  u16 1   -4  "LANC"
  * }}}
  * The offsets of partitions are bytes of the file.
  *
  * Source: format page of indices, "Legacy file".
  */
final private[segment] class SingleFile private (rows: PartitionRows, quantizer: ProductQuantizer)
    extends PartitionSource {

  def numPartitions: Int = rows.numPartitions

  def numVectors(partition: Int): Int = rows.length(partition)

  def sizeInBytes: Long = rows.sizeInBytes

  def read(files: IndexFiles, wanted: IndexedSeq[Int]): IndexedSeq[VectorPartition] =
    Using.resource(files.openRange(VectorSegment.indexFile)) { reader =>
      val ranges =
        wanted.map(p => ByteRange(rows.offset(p), SingleFile.numBytes(rows, quantizer, p)))
      wanted.zip(reader.readRanges(ranges)).map { case (p, bytes) =>
        val numRows = rows.length(p)
        val builder: CodesBuilder = quantizer.newCodes(numRows, isGraph = false)
        val ids = new Array[Long](numRows)
        bytes.copyLongs(numRows * quantizer.codeBytes, ids, 0, numRows)
        builder.append(IndexedSeq(SingleFile.column(bytes, numRows, quantizer.codeBytes)))
        new VectorPartition(ids, builder.result(), None)
      }
    }
}

private[segment] object SingleFile {
  private val footerBytes = 16

  /** Limit of the size of a message, for damaged files. */
  private val maxMessageBytes = 1L << 30

  /** Opens the file. */
  def open(files: IndexFiles, kernels: DistanceKernels): VectorSegment =
    Using.resource(files.openRange(VectorSegment.indexFile)) { reader =>
      val end = reader.size - footerBytes
      CorruptFileException.check(end >= 4, s"an index file of ${reader.size} bytes")
      val position = Buffer(reader.read(end, footerBytes)).i64(0)
      CorruptFileException.check(
        position >= 0 && position <= end - 4,
        s"the message of an index at byte $position of ${reader.size}"
      )
      val length = Buffer(reader.read(position, 4)).u32(0)
      CorruptFileException.check(
        length <= math.min(end - position - 4, maxMessageBytes),
        s"a message of $length bytes at byte $position of ${reader.size}"
      )
      val bytes = reader.read(position + 4, length.toInt)
      of(Messages.parsed("the index")(Index.parseFrom(bytes)), position, kernels)
    }

  /** @param dataBytes number of bytes before the message */
  private def of(message: Index, dataBytes: Long, kernels: DistanceKernels): VectorSegment = {
    CorruptFileException.check(message.hasVectorIndex, "an index file without a vector index")
    val index = message.getVectorIndex
    val stages = index.getStagesList.asScala.toIndexedSeq
    val ivf = stages.collectFirst { case s if s.hasIvf => s.getIvf }
    val pq = stages.collectFirst { case s if s.hasPq => s.getPq }
    if (ivf.isEmpty || pq.isEmpty || stages.exists(s => !s.hasIvf && !s.hasPq))
      throw new UnsupportedFeatureException(
        s"a vector index of one file with ${stages.map(nameOf).mkString(", ")}"
      )
    val centroids = Centroids.of(ivf.get, "the index") match {
      case f: FloatCentroids => f
      case _ => throw new CorruptFileException("codes with centroids of bytes")
    }
    val metric = metricOf(index.getMetricType)
    val codebook =
      if (pq.get.hasCodebookTensor) Tensors.of(pq.get.getCodebookTensor, "the codebook").floats
      else Array.tabulate(pq.get.getCodebookCount)(pq.get.getCodebook(_))
    val quantizer = new ProductQuantizer(
      centroids.dimension,
      pq.get.getNumSubVectors,
      pq.get.getNumBits,
      codebook,
      isTransposed = false,
      metric,
      centroids
    )
    val rows = PartitionRows.of(ivf.get, "the index")
    (0 until rows.numPartitions).foreach { p =>
      CorruptFileException.check(
        rows.offset(p) <= dataBytes && numBytes(rows, quantizer, p) <= dataBytes - rows.offset(p),
        s"partition $p of ${rows.length(p)} rows at byte ${rows.offset(p)} of $dataBytes"
      )
    }
    new VectorSegment(
      "IVF_PQ",
      metric,
      centroids,
      quantizer,
      new SingleFile(rows, quantizer),
      kernels
    )
  }

  private def nameOf(stage: VectorIndexStage): String =
    stage.getStageCase.name.toLowerCase(java.util.Locale.ROOT)

  private def metricOf(metric: VectorMetricType): Metric = metric match {
    case VectorMetricType.L2 => Metric.L2
    case VectorMetricType.Cosine => Metric.Cosine
    case VectorMetricType.Dot => Metric.Dot
    case other =>
      throw new UnsupportedFeatureException(s"a vector index of one file with the metric $other")
  }

  /** Bytes of a partition. */
  private def numBytes(rows: PartitionRows, quantizer: ProductQuantizer, partition: Int): Long =
    rows.length(partition).toLong * (quantizer.codeBytes + 8)

  /** Codes as a column. */
  private def column(bytes: Buffer, numRows: Int, codeBytes: Int): Column = {
    val items = new ByteValues
    items.extend(numRows * codeBytes): Unit
    bytes.copyBytes(0, items.array, 0, numRows * codeBytes)
    val lists = new FixedSizeListValues(codeBytes, items)
    lists.extend(numRows)
    LeafColumn(lists, null)
  }
}
