// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.build

import java.util.Locale

import io.github.pysparklance.core.{InvalidRequestException, Parse, UnsupportedFeatureException}
import io.github.pysparklance.index.vector.distance.Metric
import io.github.pysparklance.index.vector.hnsw.GraphParameters

/** Parameters of a vector index, with the names and defaults of pylance.
  *
  * @param metric metric; `None` for the default of the column
  * @param numPartitions number of partitions; `None` to compute it from the rows and the target
  *   size
  * @param targetPartitionSize vectors per partition; `None` for the default of the kind
  * @param sampleRate number of training vectors per centroid
  * @param maxIterations maximum number of iterations of k-means
  * @param numSubVectors number of sub-vectors of PQ; `None` to compute it from the dimension
  * @param numBits number of bits of a code
  */
final case class VectorParameters(
    kind: VectorKind,
    metric: Option[Metric],
    numPartitions: Option[Int],
    targetPartitionSize: Option[Int],
    sampleRate: Int,
    maxIterations: Int,
    numSubVectors: Option[Int],
    numBits: Int,
    graph: Option[GraphParameters]
) {

  /** Returns the number of partitions for a number of rows.
    *
    * @param vectorBytes memory of a vector while its partition is written
    * @throws InvalidRequestException if partitions would be larger than a task can write
    */
  def partitionsOf(numRows: Long, vectorBytes: Long): Int = {
    val most = math.max(1L, VectorParameters.maxPartitionBytes / vectorBytes)
    val found = numPartitions.getOrElse {
      val size = targetPartitionSize.fold(math.min(kind.targetPartitionSize.toLong, most))(_.toLong)
      math.max(1L, math.min(VectorParameters.maxDefaultPartitions, numRows / size)).toInt
    }
    if (numRows / found > 2 * most)
      throw new InvalidRequestException(
        s"$found partitions of an ${kind.name} index with $numRows vectors are too large to be written by a task; " +
          s"set num_partitions to at least ${numRows / most + 1}"
      )
    found
  }
}

object VectorParameters {
  private val Metric_ = "metric"
  private val NumPartitions = "num_partitions"
  private val TargetPartitionSize = "target_partition_size"
  private val SampleRate = "sample_rate"
  private val MaxIters = "max_iters"
  private val NumSubVectors = "num_sub_vectors"
  private val NumBits = "num_bits"
  private val M = "m"
  private val EfConstruction = "ef_construction"
  private val MaxLevel = "max_level"

  private val maxDefaultPartitions = 4096L

  /** Memory of the vectors of a partition with default parameters. An array of them must not exceed
    * 2 GiB in partitions of twice this size.
    */
  private val maxPartitionBytes = 512L << 20

  /** Upper limit of the number of partitions. */
  private val maxPartitions = 1 << 20

  val defaultSampleRate: Int = 256
  val defaultMaxIterations: Int = 50

  /** Names of the parameters of a kind. */
  def names(kind: VectorKind): Seq[String] =
    Seq(Metric_, NumPartitions, TargetPartitionSize, SampleRate, MaxIters) ++
      (if (kind.quantizer == "PQ") Seq(NumSubVectors) else Nil) ++
      (if (kind.quantizer == "FLAT") Nil else Seq(NumBits)) ++
      (if (kind.hasGraphs) Seq(M, EfConstruction, MaxLevel) else Nil)

  /** Checks values, and uses the defaults of missing parameters.
    *
    * @param values values of parameters in [[names]]
    * @throws InvalidRequestException if a value is invalid
    */
  def of(kind: VectorKind, values: Map[String, String]): VectorParameters = {
    def number(name: String, least: Int, most: Int): Option[Int] = values.get(name).map { text =>
      Parse.int(text.trim).filter(n => n >= least && n <= most).getOrElse(
        throw new InvalidRequestException(
          s"the parameter $name of an ${kind.name} index is '$text', expected a whole number from $least to $most"
        )
      )
    }
    val graph = GraphParameters(
      number(M, 4, GraphParameters.MaxNeighbors).getOrElse(GraphParameters.default.m),
      number(
        EfConstruction,
        1,
        GraphParameters.MaxCandidates
      ).getOrElse(GraphParameters.default.efConstruction),
      number(MaxLevel, 1, 64).getOrElse(GraphParameters.default.maxLevel)
    )
    if (graph.efConstruction < graph.m)
      throw new InvalidRequestException(
        s"$EfConstruction of an ${kind.name} index is ${graph.efConstruction}, expected at least m, which is ${graph.m}"
      )
    val metric = values.get(Metric_).map(Metric.parse)
    VectorParameters(
      kind,
      metric,
      number(NumPartitions, 1, maxPartitions),
      number(TargetPartitionSize, 1, Int.MaxValue),
      number(SampleRate, 1, 1 << 20).getOrElse(defaultSampleRate),
      number(MaxIters, 1, 10000).getOrElse(defaultMaxIterations),
      number(NumSubVectors, 1, 1 << 16),
      bits(kind, number(NumBits, 1, 16)),
      if (kind.hasGraphs) Some(graph) else None
    )
  }

  private def bits(kind: VectorKind, wanted: Option[Int]): Int = {
    val (default, allowed) = kind.quantizer match {
      case "PQ" => (8, Seq(4, 8))
      case "SQ" => (8, Seq(8))
      case "RQ" => (5, 1 to 9)
      case _ => (0, Seq(0))
    }
    val found = wanted.getOrElse(default)
    if (!allowed.contains(found))
      throw new InvalidRequestException(
        s"$NumBits of an ${kind.name} index is $found, expected ${allowed.mkString(", ")}"
      )
    found
  }

  /** Returns the kind with a name.
    *
    * @throws UnsupportedFeatureException if it is unknown
    */
  def kindOf(name: String): VectorKind = VectorKind.find(name).getOrElse(
    throw new UnsupportedFeatureException(
      s"building an index of the kind ${name.toUpperCase(Locale.ROOT)}"
    )
  )
}
