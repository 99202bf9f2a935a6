// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.quantizer

import io.github.pysparklance.core.CorruptFileException

/** A random rotation, which is applied to all vectors of an index. Immutable.
  *
  * Source: verified page of indices, "IVF_RQ (RaBitQ) arithmetic".
  */
sealed abstract class Rotation {

  /** Number of elements of a rotated vector. Shorter vectors are padded with zeros. */
  def dimension: Int

  /** Rotates a vector. */
  def apply(vector: Array[Float]): Array[Float]

  /** Approximate memory in bytes. */
  def sizeInBytes: Long
}

/** Four rounds of sign flips and Walsh-Hadamard transforms.
  *
  * {{{
  *   T = the greatest power of two up to D
  *   D = T: each round flips, transforms all, and divides by the root of T
  *   else:  each round flips, transforms the first T (rounds 0 and 2) or the last T elements and divides them, and
  *          replaces x(i) and x(i + D/2) by their sum and their difference; in the end all are divided by 4
  * }}}
  *
  * @param signs bit j (the least significant first) of a round's bytes flips element j
  */
final class FastRotation(val dimension: Int, signs: Array[Byte]) extends Rotation {
  import FastRotation._

  CorruptFileException.check(
    dimension > 0 && signs.length == rounds * ((dimension + 7) / 8),
    s"a rotation of $dimension dimensions with ${signs.length} bytes of signs"
  )

  private val bytesPerRound = (dimension + 7) / 8
  private val width = Integer.highestOneBit(dimension)
  private val factor = 1f / math.sqrt(width.toDouble).toFloat

  def sizeInBytes: Long = signs.length.toLong

  def apply(vector: Array[Float]): Array[Float] = {
    val out = java.util.Arrays.copyOf(vector, dimension)
    var round = 0
    while (round < rounds) {
      flip(out, round * bytesPerRound)
      val from = if (round % 2 == 0) 0 else dimension - width
      transform(out, from)
      if (width < dimension) mix(out)
      round += 1
    }
    if (width < dimension) {
      var i = 0
      while (i < dimension) {
        out(i) *= 0.25f
        i += 1
      }
    }
    out
  }

  private def flip(v: Array[Float], at: Int): Unit = {
    var i = 0
    while (i < dimension) {
      if ((signs(at + (i >> 3)) >> (i & 7) & 1) != 0) v(i) = -v(i)
      i += 1
    }
  }

  /** Computes the Walsh-Hadamard transform of `width` elements, divided by the root of `width`. */
  private def transform(v: Array[Float], from: Int): Unit = {
    var half = 1
    while (half < width) {
      var block = from
      while (block < from + width) {
        var i = block
        while (i < block + half) {
          val a = v(i)
          val b = v(i + half)
          v(i) = a + b
          v(i + half) = a - b
          i += 1
        }
        block += 2 * half
      }
      half *= 2
    }
    var i = from
    while (i < from + width) {
      v(i) *= factor
      i += 1
    }
  }

  private def mix(v: Array[Float]): Unit = {
    val half = dimension / 2
    var i = 0
    while (i < half) {
      val a = v(i)
      val b = v(i + half)
      v(i) = a + b
      v(i + half) = a - b
      i += 1
    }
  }
}

private object FastRotation {
  private val rounds = 4
}

/** Multiplies vectors with a matrix.
  *
  * @param matrix elements row by row
  */
final class MatrixRotation(val dimension: Int, matrix: Array[Float]) extends Rotation {

  CorruptFileException.check(
    dimension > 0 && matrix.length == dimension.toLong * dimension,
    s"a rotation of $dimension dimensions with a matrix of ${matrix.length} numbers"
  )

  def sizeInBytes: Long = 4L * matrix.length

  def apply(vector: Array[Float]): Array[Float] = {
    val out = new Array[Float](dimension)
    val length = math.min(vector.length, dimension)
    var row = 0
    while (row < dimension) {
      var sum = 0f
      var i = 0
      while (i < length) {
        sum += matrix(row * dimension + i) * vector(i)
        i += 1
      }
      out(row) = sum
      row += 1
    }
    out
  }
}
