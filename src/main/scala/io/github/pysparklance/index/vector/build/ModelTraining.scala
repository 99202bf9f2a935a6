// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.build

import io.github.pysparklance.core.{InvalidRequestException, Optional}
import io.github.pysparklance.index.vector.distance.{ElementType, Metric}
import io.github.pysparklance.index.vector.ivf._
import io.github.pysparklance.index.vector.quantizer._
import io.github.pysparklance.index.vector.segment.SegmentModel

/** A trained model, with the sizes of the partitions in the sample.
  *
  * @param weights number of sample vectors in each partition
  */
final class TrainedModel(val model: SegmentModel, val weights: IndexedSeq[Long])

/** Trains the models of vector indices from samples, see `docs/decisions/0024`. Deterministic for a
  * number of threads.
  */
object ModelTraining {

  /** Number of training vectors of quantizers for each of the 256 codes. */
  private val rowsPerCode = 256

  /** Trains a model.
    *
    * @param numPartitions maximum number of partitions; the model has at most one per vector
    * @param threads parallel threads
    * @throws InvalidRequestException if there are no vectors
    */
  def train(
      index: VectorDefinition,
      sample: VectorSample,
      numPartitions: Int,
      threads: Int
  ): TrainedModel = {
    if (sample.numVectors == 0)
      throw new InvalidRequestException(
        s"the column ${index.column.name} has no vectors to train the index ${index.name} with: create the index " +
          "when the table has rows"
      )
    val k = math.min(numPartitions, sample.numVectors)
    if (index.elementType == ElementType.UInt8) ofBits(index, sample, k)
    else ofFloats(index, sample, k, threads)
  }

  private def ofBits(index: VectorDefinition, sample: VectorSample, k: Int): TrainedModel = {
    val dimension = index.dimension
    val values = new KModes(dimension, index.parameters.maxIterations).train(sample.bytes, k)
    val members = new Array[Int](sample.numVectors)
    val loss = KModes.assign(sample.bytes, values, dimension, members)
    new TrainedModel(
      new SegmentModel(
        index.metric,
        index.elementType,
        new BitCentroids(dimension, values),
        Tensors.encode(Seq(k, dimension), values),
        new FlatEncoder(dimension, index.elementType),
        Some(loss.toDouble / sample.numVectors),
        index.parameters.graph
      ),
      weights(members, k)
    )
  }

  private def ofFloats(
      index: VectorDefinition,
      sample: VectorSample,
      k: Int,
      threads: Int
  ): TrainedModel = {
    val dimension = index.dimension
    val isDot = index.metric == Metric.Dot
    val iterations = index.parameters.maxIterations
    val kMeans = new KMeans(dimension, isDot, iterations, threads)
    val trained = kMeans.train(sample.thinned(forCentroids(index, k)).floats, k)
    val values = Tensors.rounded(index.elementType, trained)
    val centroids = new FloatCentroids(dimension, values)
    val (members, distances) = kMeans.assigned(sample.floats, values)
    val encoder: VectorEncoder = index.parameters.kind.quantizer match {
      case "SQ" => ScalarEncoder.train(sample.floats, dimension)
      case "PQ" => product(index, sample, centroids, threads)
      case "RQ" =>
        RabitEncoder.create(
          dimension,
          index.parameters.numBits,
          index.metric,
          centroids,
          KMeans.defaultSeed
        )
      case _ => new FlatEncoder(dimension, index.elementType)
    }
    new TrainedModel(
      new SegmentModel(
        index.metric,
        index.elementType,
        centroids,
        Tensors.encode(index.elementType, Seq(k, dimension), values),
        encoder,
        Some(mean(distances)),
        index.parameters.graph
      ),
      weights(members, k)
    )
  }

  private def forCentroids(index: VectorDefinition, k: Int): Int =
    math.min(k.toLong * index.parameters.sampleRate, Int.MaxValue.toLong).toInt

  private def product(
      index: VectorDefinition,
      sample: VectorSample,
      centroids: FloatCentroids,
      threads: Int
  ): ProductEncoder = {
    val parameters = index.parameters
    val few = sample.thinned((1 << parameters.numBits) * rowsPerCode)
    val data = if (few eq sample) sample.floats.clone() else few.floats
    val (members, _) = new KMeans(index.dimension, index.metric == Metric.Dot, 0, threads)
      .assigned(data, centroids.values)
    ProductEncoder.train(
      data,
      members,
      index.dimension,
      index.numSubVectors,
      parameters.numBits,
      index.elementType,
      index.metric,
      centroids,
      new KMeans(
        _,
        isDot = false,
        parameters.maxIterations,
        math.max(1, threads / index.numSubVectors)
      ),
      threads
    )
  }

  /** Returns the ratio of the mean distance of vectors to their centroids to the mean distance at
    * training. For inner products, returns the inverse ratio, because nearer vectors have greater
    * inner products.
    *
    * @return `None` if the sample is empty, the mean distance of the training is unknown, or its
    *   mean inner product was not positive
    */
  def growth(model: SegmentModel, sample: VectorSample, threads: Int): Option[Double] =
    model.meanLoss.filter(_ => sample.numVectors > 0).flatMap { before =>
      val loss = meanLoss(model, sample, threads)
      val isDot = model.metric == Metric.Dot
      val (greater, less) = if (isDot) (1 - before, 1 - loss) else (loss, before)
      Optional.unless(isDot && greater <= 0) {
        if (greater <= less) 1.0 else if (less <= 0) Double.PositiveInfinity else greater / less
      }
    }

  private def meanLoss(model: SegmentModel, sample: VectorSample, threads: Int): Double =
    model.centroids match {
      case bits: BitCentroids =>
        val members = new Array[Int](sample.numVectors)
        KModes.assign(sample.bytes, bits.values, bits.dimension, members)
          .toDouble / sample.numVectors
      case floats: FloatCentroids =>
        val kMeans = new KMeans(floats.dimension, model.metric == Metric.Dot, 0, threads)
        mean(kMeans.assigned(sample.floats, floats.values)._2)
    }

  private def mean(distances: Array[Float]): Double = {
    var sum = 0.0
    distances.foreach(sum += _)
    sum / distances.length
  }

  private def weights(members: Array[Int], k: Int): IndexedSeq[Long] = {
    val counts = new Array[Long](k)
    members.foreach(p => counts(p) += 1)
    counts.toIndexedSeq
  }
}
