// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.quantizer

import java.util.SplittableRandom

import com.fasterxml.jackson.databind.node.ObjectNode

import io.github.pysparklance.core.Buffer
import io.github.pysparklance.index.vector.distance.{Kernels, Metric}
import io.github.pysparklance.index.vector.ivf.FloatCentroids

/** RaBitQ codes, see [[RabitQuantizer]]. Hot code: imperative.
  *
  * A code of several bits has the direction nearest to the vector: among all codes `round(t *
  * |x|)`, it has the greatest cosine.
  *
  * Source: verified page of indices, "IVF_RQ (RaBitQ) arithmetic"; Gao et al., "Practical and
  * asymptotically optimal quantization of high-dimensional vectors in Euclidean space", 2024.
  *
  * @param numBits number of bits for each dimension: 1 to 9
  * @param signs signs of the rotation, see [[FastRotation]]
  */
final class RabitEncoder(
    dimension: Int,
    numBits: Int,
    signs: Array[Byte],
    metric: Metric,
    centroids: FloatCentroids
) extends VectorEncoder {
  import RabitEncoder._
  import RabitQuantizer._

  private val extendedBits = numBits - 1
  private val codeBytes = dimension / 8
  private val extendedBytes =
    if (extendedBits == 0) 0 else RabitCodes.blockedBytes(dimension, extendedBits)

  @transient private lazy val rotation = new FastRotation(dimension, signs)

  @transient private lazy val rotatedCentroids: Array[Array[Float]] =
    Array.tabulate(centroids.numPartitions)(p => rotation(centroids(p)))

  def name: String = "RQ"

  val columns: IndexedSeq[CodeColumn] = {
    val more =
      if (extendedBits == 0) IndexedSeq.empty
      else
        IndexedSeq(
          CodeColumn.bytes(blockedColumn, extendedBytes),
          CodeColumn.float(extendedAddColumn),
          CodeColumn.float(extendedScaleColumn)
        )
    IndexedSeq(
      CodeColumn.bytes(codeColumn, codeBytes),
      CodeColumn.float(addColumn),
      CodeColumn.float(scaleColumn),
      CodeColumn.float(errorColumn)
    ) ++ more
  }

  def encode(rows: VectorRows, partitions: Array[Int], out: Array[Byte], at: Int): Unit = {
    java.util.Arrays.fill(out, at, at + rows.numRows * recordBytes, 0.toByte)
    val size = recordBytes
    val residual = new Array[Float](dimension)
    // Padded to whole blocks.
    val codes = new Array[Int]((dimension + 63) / 64 * 64)
    var i = 0
    while (i < rows.numRows) {
      val centroid = partitions(i) * dimension
      var d = 0
      while (d < dimension) {
        residual(d) = rows.floats(i * dimension + d) - centroids.values(centroid + d)
        d += 1
      }
      write(rotation(residual), rotatedCentroids(partitions(i)), codes, out, at + i * size)
      i += 1
    }
  }

  /** Writes a record.
    *
    * @param r the rotated residual
    * @param c the rotated centroid
    */
  private def write(
      r: Array[Float],
      c: Array[Float],
      codes: Array[Int],
      out: Array[Byte],
      at: Int
  ): Unit = {
    var square = 0.0
    var (withResidual, withCentroid, product) = (0.0, 0.0, 0.0)
    var d = 0
    while (d < dimension) {
      val isPositive = java.lang.Float.floatToRawIntBits(r(d)) >= 0
      if (isPositive) out(at + (d >> 3)) = (out(at + (d >> 3)) | 1 << (d & 7)).toByte
      val sign = if (isPositive) 0.5 else -0.5
      square += r(d).toDouble * r(d)
      withResidual += sign * r(d)
      withCentroid += sign * c(d)
      product += r(d).toDouble * c(d)
      d += 1
    }
    val to = at + codeBytes
    putFactors(square, product, withResidual, withCentroid, out, to, to + 4)
    putFloat(out, to + 8, error(square, withResidual))
    if (extendedBits > 0) {
      quantize(r, square, codes)
      val bias = (1 << extendedBits) - 0.5
      var (ofResidual, ofCentroid) = (0.0, 0.0)
      d = 0
      while (d < dimension) {
        val isPositive = java.lang.Float.floatToRawIntBits(r(d)) >= 0
        val code = (if (isPositive) 1 << extendedBits else 0) + codes(d) - bias
        ofResidual += code * r(d)
        ofCentroid += code * c(d)
        d += 1
      }
      RabitCodes.writeBlocks(codes, extendedBits, dimension, out, to + 12)
      val end = to + 12 + extendedBytes
      putFactors(square, product, ofResidual, ofCentroid, out, end, end + 4)
    }
  }

  private def putFactors(
      square: Double,
      product: Double,
      withResidual: Double,
      withCentroid: Double,
      out: Array[Byte],
      addAt: Int,
      scaleAt: Int
  ): Unit = {
    val unit = if (withResidual == 0) 0.0 else square / withResidual
    if (metric == Metric.Dot) {
      putFloat(out, addAt, 1 - product + unit * withCentroid)
      putFloat(out, scaleAt, -unit)
    } else {
      putFloat(out, addAt, square + 2 * unit * withCentroid)
      putFloat(out, scaleAt, -2 * unit)
    }
  }

  /** Returns a bound of the error of distances that are computed from the signs. */
  private def error(square: Double, withResidual: Double): Double =
    if (square <= 0 || withResidual == 0 || dimension <= 1) 0.0
    else {
      val alignment = square * dimension * 0.25 / (withResidual * withResidual)
      val angle = math.sqrt(math.max(alignment - 1, 0.0) / (dimension - 1))
      (if (metric == Metric.Dot) 1 else 2) * math.sqrt(square) * errorFactor * angle
    }

  /** Chooses the other bits of all dimensions. The bits of negative numbers are inverted.
    *
    * @param square squared length of the vector
    */
  private def quantize(r: Array[Float], square: Double, codes: Array[Int]): Unit = {
    val most = (1 << extendedBits) - 1
    val magnitudes = new Array[Float](dimension)
    var greatest = 0f
    var d = 0
    while (d < dimension) {
      magnitudes(d) = math.abs(r(d))
      greatest = math.max(greatest, magnitudes(d))
      d += 1
    }
    val factor =
      if (!(square > 0) || square.isInfinite) 0f else bestFactor(magnitudes, most, greatest)
    d = 0
    while (d < dimension) {
      val code = math.min((factor * magnitudes(d)).toInt, most)
      codes(d) = if (java.lang.Float.floatToRawIntBits(r(d)) >= 0) code else most - code
      d += 1
    }
  }

  /** Returns the factor whose code is nearest to the direction of the vector: the best one of a
    * grid, and then of a finer grid around it.
    */
  private def bestFactor(magnitudes: Array[Float], most: Int, greatest: Float): Float = {
    val end = (most + 10) / greatest
    var low = end * leastShare
    var step = (end - low) / gridSteps
    var best = low
    var cosine = -1f
    var round = 0
    while (round < 2) {
      var i = 0
      while (i <= gridSteps) {
        val t = low + i * step
        val found = Kernels.best.direction(magnitudes, t, most)
        if (found > cosine) {
          cosine = found
          best = t
        }
        i += 1
      }
      low = math.max(best - step, 0f)
      step = 2 * step / gridSteps
      round += 1
    }
    best
  }

  def decode(record: Array[Byte], at: Int, partition: Int, out: Array[Float], to: Int): Unit =
    throw new UnsupportedOperationException("RaBitQ codes have no graphs")

  override def pack(column: CodeColumn, bytes: Array[Byte], numRows: Int): Array[Byte] =
    if (column.name == codeColumn) RabitCodes.packed(bytes, numRows, codeBytes) else bytes

  override def unpack(column: CodeColumn, bytes: Array[Byte], numRows: Int): Array[Byte] =
    if (column.name == codeColumn)
      ByteMatrix.transposed(
        RabitCodes.unpacked(bytes, numRows, codeBytes, isPacked = true),
        codeBytes,
        numRows
      )
    else bytes

  protected def describe(json: ObjectNode, tensorPosition: Int): Unit = {
    json.putNull("rotate_mat_position")
    val array = json.putArray("fast_rotation_signs")
    signs.foreach(s => array.add(s & 0xff))
    json.put("rotation_type", "fast")
    json.put("code_dim", dimension)
    json.put("num_bits", numBits)
    json.put("packed", true)
    json.put("query_estimator", "raw_query")
    ()
  }
}

object RabitEncoder {
  private val errorFactor = 1.9
  private val gridSteps = 16

  /** Smaller factors leave most codes unused. */
  private val leastShare = 0.1f

  private def putFloat(out: Array[Byte], at: Int, value: Double): Unit =
    Buffer.putInt(out, at, java.lang.Float.floatToRawIntBits(value.toFloat))

  /** Returns an encoder with a random rotation.
    *
    * @param dimension a multiple of 8
    */
  def create(
      dimension: Int,
      numBits: Int,
      metric: Metric,
      centroids: FloatCentroids,
      seed: Long
  ): RabitEncoder = {
    val random = new SplittableRandom(seed)
    val signs = Array.fill(4 * dimension / 8)(random.nextInt(256).toByte)
    new RabitEncoder(dimension, numBits, signs, metric, centroids)
  }
}
