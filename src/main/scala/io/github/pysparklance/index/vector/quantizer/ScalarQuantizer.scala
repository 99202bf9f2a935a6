// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.quantizer

import io.github.pysparklance.core.{Column, CorruptFileException}
import io.github.pysparklance.index.vector.distance.{DistanceKernels, Metric}
import io.github.pysparklance.index.vector.search.{ApproxMode, DistanceScale, QueryVector}

/** Stores each number as a byte, on the same linear scale for all numbers. For the cosine metric,
  * vectors are normalized first.
  *
  * {{{
  *   __sq_code   list of `dimension` bytes       code = (v - start) * 255 / (end - start), rounded down, 0 to 255
  *   v = start + code * step                     step = (end - start) / 255
  * }}}
  *
  * @param start minimum of the trained numbers
  * @param end maximum of the trained numbers
  */
final class ScalarQuantizer(
    val dimension: Int,
    val start: Double,
    val end: Double,
    metric: Metric,
    kernels: DistanceKernels
) extends Quantizer {
  import ScalarQuantizer._

  CorruptFileException.check(
    !start.isNaN && !end.isNaN && !start.isInfinite && !end.isInfinite && start <= end,
    s"an index with codes between $start and $end"
  )
  CorruptFileException.check(
    metric != Metric.Hamming,
    s"an index of codes with the metric $metric"
  )

  private val step = (end - start).toFloat / 255f

  def name: String = "SQ"

  def scale: DistanceScale = DistanceScale.ofCodes(metric)

  def bytesPerVector: Long = dimension.toLong

  def columns: IndexedSeq[String] = IndexedSeq(column)

  def sizeInBytes: Long = 0L

  /** Returns the code of a number. */
  def code(value: Double): Byte = ScalarQuantizer.code(value, start, end)

  /** Decodes a code. */
  def value(code: Byte): Float = start.toFloat + (code & 0xff) * step

  def newCodes(numRows: Int, isGraph: Boolean): CodesBuilder = new CodesBuilder {
    private val codes = new Array[Byte](CodeColumns.arraySize(numRows, dimension))
    private var at = 0

    def append(columns: IndexedSeq[Column]): Unit = {
      CodeColumns.appendBytes(columns(0), dimension, column, codes, at)
      at += columns(0).numRows * dimension
    }

    def result(): Codes = new ByteCodes(numRows, codes)
  }

  def prepare(query: QueryVector, mode: ApproxMode): PreparedQuery =
    if (metric == Metric.Dot) {
      val numbers = query.floats
      val offset = start.toFloat * numbers.sum
      (_: Int, _: Float, codes: Codes) => new Dot(numbers, offset, bytesOf(codes))
    } else {
      val wanted = query.values.map(code)
      (_: Int, _: Float, codes: Codes) => new L2(wanted, bytesOf(codes))
    }

  /** Compares codes with the code of the query, like the reference. */
  final private class L2(query: Array[Byte], codes: Array[Byte]) extends RowDistances {
    private val unit = step * step

    def fill(from: Int, numRows: Int, out: Array[Float]): Unit = {
      kernels.l2UInt8(query, codes, from, null, numRows, out)
      scaled(numRows, out)
    }

    def gather(rows: Array[Int], numRows: Int, out: Array[Float]): Unit = {
      kernels.l2UInt8(query, codes, 0, rows, numRows, out)
      scaled(numRows, out)
    }

    private def scaled(numRows: Int, out: Array[Float]): Unit = {
      var i = 0
      while (i < numRows) {
        out(i) *= unit
        i += 1
      }
    }
  }

  /** @param offset inner product of the query and the vector of code 0 */
  final private class Dot(query: Array[Float], offset: Float, codes: Array[Byte])
      extends RowDistances {

    def fill(from: Int, numRows: Int, out: Array[Float]): Unit = {
      kernels.dotFloatUInt8(query, codes, from, null, numRows, out)
      completed(numRows, out)
    }

    def gather(rows: Array[Int], numRows: Int, out: Array[Float]): Unit = {
      kernels.dotFloatUInt8(query, codes, 0, rows, numRows, out)
      completed(numRows, out)
    }

    private def completed(numRows: Int, out: Array[Float]): Unit = {
      var i = 0
      while (i < numRows) {
        out(i) = 1 - (offset + step * out(i))
        i += 1
      }
    }
  }
}

object ScalarQuantizer {

  /** Returns the code of a number between bounds. */
  private[quantizer] def code(value: Double, start: Double, end: Double): Byte =
    if (start == end) 0
    else {
      val scaled = (value - start) * 255.0 / (end - start)
      math.max(0.0, math.min(255.0, scaled)).toInt.toByte
    }

  /** The column of the codes. */
  val column: String = "__sq_code"

  final private class ByteCodes(val numRows: Int, val bytes: Array[Byte]) extends Codes {
    def sizeInBytes: Long = bytes.length.toLong
  }

  private def bytesOf(codes: Codes): Array[Byte] = codes.asInstanceOf[ByteCodes].bytes
}
