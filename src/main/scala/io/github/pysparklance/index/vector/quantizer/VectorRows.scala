// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.quantizer

import io.github.pysparklance.core._
import io.github.pysparklance.index.vector.distance.{ElementType, Metric, VectorBatch}

/** Collects the vectors that an index stores. Like pylance, it skips nulls and vectors with a null,
  * NaN, or an infinity. For the cosine metric, it also skips vectors of zeros, and normalizes the
  * others. Not thread-safe. Hot code: imperative.
  *
  * @param capacity maximum number of vectors
  */
final class VectorRows(
    val elementType: ElementType,
    val dimension: Int,
    metric: Metric,
    val capacity: Int
) {
  private val isNormalized = metric == Metric.Cosine
  private val isDouble = elementType == ElementType.Float64
  private val isBits = elementType == ElementType.UInt8
  private var count = 0

  /** Rows of the vectors, as the index stores them. */
  val ids: Array[Long] = new Array[Long](capacity)

  /** Elements of the vectors as floats; empty for bit vectors. */
  val floats: Array[Float] = new Array[Float](if (isBits) 0 else capacity * dimension)

  /** Elements of vectors of doubles. */
  val doubles: Array[Double] = new Array[Double](if (isDouble) capacity * dimension else 0)

  /** Bytes of bit vectors. */
  val bytes: Array[Byte] = new Array[Byte](if (isBits) capacity * dimension else 0)

  def numRows: Int = count

  def isFull: Boolean = count == capacity

  def clear(): Unit = count = 0

  /** Adds a vector, unless indices skip it.
    *
    * @param vector number of the vector in the batch
    */
  def add(batch: VectorBatch, vector: Int, id: Long): Unit =
    if (!batch.isNull(vector) && copy(batch.items, vector * dimension)) {
      ids(count) = id
      count += 1
    }

  /** Copies a vector. Returns whether it is stored. */
  private def copy(items: Values, from: Int): Boolean = {
    val at = count * dimension
    items match {
      case v: ByteValues if isBits =>
        System.arraycopy(v.array, from, bytes, at, dimension)
        true
      case v: LongValues if isDouble =>
        var i = 0
        while (i < dimension) {
          doubles(at + i) = java.lang.Double.longBitsToDouble(v.array(from + i))
          i += 1
        }
        finishDoubles(at)
      case v: IntValues if elementType == ElementType.Float32 =>
        var i = 0
        while (i < dimension) {
          floats(at + i) = java.lang.Float.intBitsToFloat(v.array(from + i))
          i += 1
        }
        finishFloats(at)
      case v: ShortValues if elementType == ElementType.Float16 =>
        var i = 0
        while (i < dimension) {
          floats(at + i) = Half.toFloat(v.array(from + i))
          i += 1
        }
        finishFloats(at)
      case other =>
        throw new CorruptFileException(
          s"${other.getClass.getSimpleName} for vectors of $elementType"
        )
    }
  }

  private def finishFloats(at: Int): Boolean = {
    var square = 0.0
    var i = at
    while (i < at + dimension) {
      square += floats(i).toDouble * floats(i)
      i += 1
    }
    // The square of a float does not overflow a double.
    val isStored = !square.isNaN && !square.isInfinite && (!isNormalized || square > 0)
    if (isStored && isNormalized) {
      val norm = math.sqrt(square)
      i = at
      while (i < at + dimension) {
        val value = (floats(i) / norm).toFloat
        floats(i) =
          if (elementType == ElementType.Float16) Half.toFloat(Half.fromFloat(value)) else value
        i += 1
      }
    }
    isStored
  }

  private def finishDoubles(at: Int): Boolean = {
    var square = 0.0
    var isFinite = true
    var i = at
    while (i < at + dimension) {
      if (doubles(i).isNaN || doubles(i).isInfinite) isFinite = false
      square += doubles(i) * doubles(i)
      i += 1
    }
    val isStored = isFinite && (!isNormalized || square > 0 && !square.isInfinite)
    if (isStored) {
      val norm = if (isNormalized) math.sqrt(square) else 1.0
      i = at
      while (i < at + dimension) {
        if (isNormalized) doubles(i) /= norm
        floats(i) = doubles(i).toFloat
        if (floats(i).isInfinite)
          throw new InvalidRequestException(
            s"a vector with the element ${doubles(i)}: vector indices support elements up to ${Float.MaxValue}"
          )
        i += 1
      }
    }
    isStored
  }
}
