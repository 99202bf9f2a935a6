// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.benchmarks.kernels

import scala.util.Random

import io.github.pysparklance.benchmarks.vectors.DistanceBenchmark
import io.github.pysparklance.core._
import io.github.pysparklance.index.vector.distance.{
  ElementType,
  Kernels => DistanceKernels,
  Metric,
  QueryDistance
}
import io.github.pysparklance.index.vector.ivf.{FloatCentroids, PackedCentroids}
import io.github.pysparklance.index.vector.quantizer._
import io.github.pysparklance.index.vector.search.{ApproxMode, QueryVector}

/** Distances of a query to vectors and codes in the L2 cache, and the nearest centroids of vectors.
  * A run returns a distance for each vector. Its values are the elements of the vectors, multiplied
  * by the number of centroids, and its bytes are the stored vectors or codes. [[DistanceBenchmark]]
  * measures vectors that do not fit in a cache.
  */
private[kernels] object VectorKernels {
  def all: Seq[Kernels] =
    Seq(Metric.L2, Metric.Cosine, Metric.Dot, Metric.Hamming).map(new Distances(_)) ++
      Seq(Scans, Walks, Nearest)

  private val dimension = 128
  private val numRows = 512

  private val elements = Seq(
    "float32 128",
    "float32 768",
    "float64 128",
    "float16 128",
    "bfloat16 128",
    "int8 128",
    "uint8 128"
  )

  final private class Distances(metric: Metric)
      extends Kernels(
        metric.name,
        if (metric == Metric.Hamming) elements.takeRight(1) else elements,
        None
      ) {
    def make(of: String): Kernel = {
      val parts = of.split(' ')
      val element = DistanceBenchmark.elements.find(_.name == parts(0)).get
      val size = parts(1).toInt
      val numVectors = Kernels.OutBytes / (element.numBytes * size)
      val random = new Random(7)
      val items = DistanceBenchmark.items(element, numVectors * size, random)
      val query = Array.fill(size)(if (element.numBytes == 1) 3.0 else random.nextDouble())
      val distance = QueryDistance(metric, element, query)
      val out = new Array[Float](numVectors)
      Kernel(
        numVectors * size,
        Kernels.OutBytes,
        () => {
          distance(items, 0, null, numVectors, out)
          out
        }
      )
    }
  }

  /** All rows of a partition. */
  private object Scans
      extends Kernels(
        "scan",
        Seq("sq l2", "sq dot", "pq 8 bits", "pq 4 bits", "rq 1 bit", "rq 5 bits"),
        None
      ) {
    def make(of: String): Kernel = ofCodes(of, isGraph = false)((rows, out) =>
      rows.fill(0, numRows, out)
    )
  }

  /** Some rows: of a partition with a graph, and of those that error bounds leave over. */
  private object Walks
      extends Kernels("walk", Seq("sq l2", "sq dot", "pq 8 bits", "pq 4 bits", "rq 5 bits"), None) {
    def make(of: String): Kernel = {
      val order = new Random(8).shuffle((0 until numRows).toList).toArray
      ofCodes(of, isGraph = !of.startsWith("rq"))((rows, out) => rows.gather(order, numRows, out))
    }
  }

  private def ofCodes(of: String, isGraph: Boolean)(
      run: (RowDistances, Array[Float]) => Unit
  ): Kernel = {
    val random = new Random(9)
    val quantizer = this.quantizer(of, random)
    val builder = quantizer.newCodes(numRows, isGraph)
    builder.append(quantizer.columns.map(column(quantizer, _, random)))
    val query = QueryVector.of(
      ElementType.Float32,
      Array.fill(dimension)(random.nextGaussian())
    )
    val distances = quantizer.prepare(query, ApproxMode.Normal).distances(0, 1f, builder.result())
    val out = new Array[Float](numRows)
    Kernel(
      numRows * dimension,
      numRows * quantizer.bytesPerVector.toInt,
      () => {
        run(distances, out)
        out
      }
    )
  }

  private def quantizer(of: String, random: Random): Quantizer = {
    val centroids = new FloatCentroids(dimension, floats(dimension, random))
    def product(numBits: Int) = new ProductQuantizer(
      dimension,
      dimension / 8,
      numBits,
      floats((1 << numBits) * dimension, random),
      isTransposed = true,
      Metric.L2,
      centroids
    )
    def rabit(numBits: Int) = new RabitQuantizer(
      dimension,
      numBits,
      new FastRotation(dimension, Array.fill(4 * dimension / 8)(random.nextInt(256).toByte)),
      isPacked = true,
      isRaw = true,
      hasErrors = true,
      if (numBits > 1) Some(RabitQuantizer.blockedColumn) else None,
      Metric.L2,
      centroids
    )
    of match {
      case "sq l2" => new ScalarQuantizer(dimension, -3, 3, Metric.L2, DistanceKernels.best)
      case "sq dot" => new ScalarQuantizer(dimension, -3, 3, Metric.Dot, DistanceKernels.best)
      case "pq 8 bits" => product(8)
      case "pq 4 bits" => product(4)
      case "rq 1 bit" => rabit(1)
      case "rq 5 bits" => rabit(5)
      case other => throw new IllegalArgumentException(other)
    }
  }

  private def column(quantizer: Quantizer, name: String, random: Random): Column = {
    val listSize = (quantizer, name) match {
      case (p: ProductQuantizer, _) => p.codeBytes
      case (_, ScalarQuantizer.column) => dimension
      case (_, RabitQuantizer.codeColumn) => dimension / 8
      case (_, RabitQuantizer.blockedColumn) => dimension / 2 // 4 bits
      case _ => 0
    }
    if (listSize == 0) {
      val factors = new IntValues
      floats(numRows, random).foreach(f =>
        factors.append(java.lang.Float.floatToRawIntBits(math.abs(f)))
      )
      LeafColumn(factors, null)
    } else {
      val bytes = new ByteValues
      (0 until numRows * listSize).foreach(_ => bytes.append(random.nextInt(256).toByte))
      val lists = new FixedSizeListValues(listSize, bytes)
      lists.extend(numRows)
      LeafColumn(lists, null)
    }
  }

  /** Nearest centroids of the partitions, and of the sub-vectors of PQ. */
  private object Nearest extends Kernels("centroids", Seq("584 of 100", "256 of 5"), None) {
    def make(of: String): Kernel = {
      val parts = of.split(" of ").map(_.toInt)
      val (count, size) = (parts(0), parts(1))
      val random = new Random(10)
      val centroids = new PackedCentroids(size, floats(count * size, random), isDot = false)
      val vectors = floats(numRows * size, random)
      val members = new Array[Int](numRows)
      val distances = new Array[Float](numRows)
      Kernel(
        numRows * count * size,
        4 * vectors.length,
        () => {
          centroids.nearest(vectors, 0, numRows, members, distances)
          distances
        }
      )
    }
  }

  private def floats(count: Int, random: Random): Array[Float] =
    Array.fill(count)(random.nextGaussian().toFloat)
}
