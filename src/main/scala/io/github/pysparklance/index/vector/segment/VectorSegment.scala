// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.segment

import scala.util.Using

import io.github.pysparklance.core._
import io.github.pysparklance.index.cache.IndexCache
import io.github.pysparklance.index.spi.IndexFiles
import io.github.pysparklance.index.vector.distance.{DistanceKernels, Kernels, Metric}
import io.github.pysparklance.index.vector.ivf.Centroids
import io.github.pysparklance.index.vector.quantizer.Quantizer

/** A segment of a vector index. The model is in memory, and the partitions are read from files.
  * Immutable and thread-safe.
  *
  * @param kind kind of the index, such as `IVF_PQ`
  * @param metric metric of the distances
  * @param quantizer quantizer of the vectors of all partitions
  */
final class VectorSegment private[segment] (
    val kind: String,
    val metric: Metric,
    val centroids: Centroids,
    val quantizer: Quantizer,
    partitions: PartitionSource,
    val kernels: DistanceKernels
) extends IndexCache.Part {

  CorruptFileException.check(
    centroids.dimension == quantizer.dimension,
    s"centroids of ${centroids.dimension} dimensions, codes of ${quantizer.dimension}"
  )
  CorruptFileException.check(
    centroids.numPartitions == partitions.numPartitions,
    s"${centroids.numPartitions} centroids for ${partitions.numPartitions} partitions"
  )

  def dimension: Int = quantizer.dimension

  def numPartitions: Int = centroids.numPartitions

  /** Vectors of a partition. */
  def numVectors(partition: Int): Int = partitions.numVectors(partition)

  /** Number of vectors of all partitions. */
  def numVectors: Long = (0 until numPartitions).iterator.map(numVectors(_).toLong).sum

  /** Whether partitions have graphs. */
  def hasGraphs: Boolean = kind.contains("HNSW")

  val sizeInBytes: Long =
    centroids.sizeInBytes + quantizer.sizeInBytes + partitions.sizeInBytes + 256

  /** Whether a partition is in the cache. */
  def isCached(files: IndexFiles, partition: Int): Boolean =
    files.isCached(VectorSegment.key(partition))

  /** Partitions from the cache, or read from the files: those that are not cached together.
    *
    * @return in the order of `wanted`
    */
  def load(files: IndexFiles, wanted: IndexedSeq[Int]): IndexedSeq[VectorPartition] = {
    val missing = wanted.filterNot(isCached(files, _))
    val loaded =
      if (missing.isEmpty) Map.empty[Int, VectorPartition]
      else missing.zip(partitions.read(files, missing)).toMap
    wanted.map { p =>
      files.cache(VectorSegment.key(p))(
        loaded.getOrElse(p, partitions.read(files, IndexedSeq(p)).head)
      )
    }
  }
}

/** Reads the partitions of a segment. */
private[segment] trait PartitionSource {

  def numPartitions: Int

  /** Vectors of a partition. */
  def numVectors(partition: Int): Int

  /** Reads partitions.
    *
    * @return in the order of `wanted`
    * @throws CorruptFileException if the files contradict the format
    */
  def read(files: IndexFiles, wanted: IndexedSeq[Int]): IndexedSeq[VectorPartition]

  /** Approximate memory in bytes. */
  def sizeInBytes: Long
}

object VectorSegment {

  /** The file with the centroids. */
  val indexFile: String = "index.idx"

  /** The file with the vectors. */
  val codeFile: String = "auxiliary.idx"

  private def key(partition: Int): Any = ("partition", partition)

  /** Opens a segment.
    *
    * @throws CorruptFileException if its files contradict the format
    * @throws UnsupportedFeatureException if the generation or kind is not supported
    */
  def open(files: IndexFiles, kernels: DistanceKernels = Kernels.best): VectorSegment =
    Place.in(Place(path = Some(s"${files.path}/$indexFile"))) {
      generation(files) match {
        case (0, 0) | (0, 1) => SingleFile.open(files, kernels)
        case (0, 2) =>
          throw new UnsupportedFeatureException(
            "a vector index of the first releases with HNSW; drop it and create it again"
          )
        case _ => CodeFiles.open(files, kernels)
      }
    }

  /** Whether a segment has the layout of new segments. */
  private[segment] def isCurrent(files: IndexFiles): Boolean = {
    val (major, minor) = generation(files)
    major > 0 || minor > 2
  }

  /** Returns the version in the footer. */
  private def generation(files: IndexFiles): (Int, Int) =
    Using.resource(files.openRange(indexFile)) { reader =>
      val end = Buffer(reader.readTail(8))
      CorruptFileException.check(
        end.length == 8 && end.i32(4) == magic,
        "no index file: it does not end in the magic LANC"
      )
      (end.u16(0), end.u16(2))
    }

  /** "LANC" */
  private val magic = 0x434e414c
}
