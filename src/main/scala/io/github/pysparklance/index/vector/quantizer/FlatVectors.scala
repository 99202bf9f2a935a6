// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.quantizer

import io.github.pysparklance.core._
import io.github.pysparklance.index.vector.distance.{
  DistanceKernels,
  ElementType,
  Metric,
  QueryDistance
}
import io.github.pysparklance.index.vector.search.{ApproxMode, DistanceScale, QueryVector}

/** Vectors without encoding. For the cosine metric, they are normalized.
  *
  * {{{
  *   flat   list of `dimension` numbers in the type of the column
  * }}}
  */
final class FlatVectors(
    val dimension: Int,
    stored: ElementType,
    metric: Metric,
    kernels: DistanceKernels
) extends Quantizer {
  import FlatVectors._

  CorruptFileException.check(
    stored.takes(metric) && (stored.numBytes == 1) == (metric == Metric.Hamming),
    s"an index of vectors of $stored with the metric $metric"
  )

  def name: String = "FLAT"

  def scale: DistanceScale = DistanceScale.OfMetric

  def columns: IndexedSeq[String] = IndexedSeq(column)

  def bytesPerVector: Long = dimension.toLong * stored.numBytes

  def sizeInBytes: Long = 0L

  def newCodes(numRows: Int, isGraph: Boolean): CodesBuilder = new CodesBuilder {
    private val size = CodeColumns.arraySize(numRows, dimension)
    private val vectors = Values.allocate(FixedWidth(stored.numBytes * 8))
    vectors.reserve(size)

    def append(columns: IndexedSeq[Column]): Unit = {
      val items = CodeColumns.items(columns(0), dimension, column)
      CorruptFileException.check(
        items.getClass == vectors.getClass,
        s"the column $column does not hold numbers of ${stored.numBytes} bytes"
      )
      vectors.appendFrom(items, 0, columns(0).numRows * dimension)
    }

    def result(): Codes = new Vectors(numRows, vectors)
  }

  def prepare(query: QueryVector, mode: ApproxMode): PreparedQuery = {
    // Queries are rounded before they are normalized.
    val distance =
      QueryDistance(metric, stored, query.values, roundsQuery = false, kernels)
    (_: Int, _: Float, codes: Codes) => {
      val vectors = codes.asInstanceOf[Vectors].vectors
      new RowDistances {
        def fill(from: Int, numRows: Int, out: Array[Float]): Unit =
          distance(vectors, from, null, numRows, out)

        def gather(rows: Array[Int], numRows: Int, out: Array[Float]): Unit =
          distance(vectors, 0, rows, numRows, out)
      }
    }
  }
}

object FlatVectors {

  /** The column of the vectors. */
  val column: String = "flat"

  /** @param vectors elements, vector by vector */
  final private class Vectors(val numRows: Int, val vectors: Values) extends Codes {
    def sizeInBytes: Long = vectors.sizeInBytes
  }
}
