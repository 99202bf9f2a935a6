// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.quantizer

import io.github.pysparklance.core.{Column, CorruptFileException}
import io.github.pysparklance.index.vector.distance.{DistanceKernels, Kernels, Metric}
import io.github.pysparklance.index.vector.ivf.FloatCentroids
import io.github.pysparklance.index.vector.search.{ApproxMode, DistanceScale, QueryVector}

/** Vectors are cut into sub-vectors. Each sub-vector is stored as the number of the nearest entry
  * of its codebook. For L2 and cosine, the vectors are residuals: their centroid is subtracted
  * first.
  *
  * {{{
  *   codebook    for each sub-vector 2^numBits entries of dimension / numSubVectors numbers
  *   __pq_code   a list of codes for each row; 4-bit codes in pairs, the first one in the low half
  *   transposed: within a partition of n rows, byte j of row i is at j * n + i, regardless of the lists
  * }}}
  *
  * @param numBits number of bits of a code: 8 or 4
  * @param codebook codebook in the order above
  * @param isTransposed whether codes are stored column by column in the file
  */
final class ProductQuantizer(
    val dimension: Int,
    val numSubVectors: Int,
    val numBits: Int,
    codebook: Array[Float],
    val isTransposed: Boolean,
    metric: Metric,
    centroids: FloatCentroids,
    kernels: DistanceKernels = Kernels.best
) extends Quantizer {
  import ProductQuantizer._

  CorruptFileException.check(
    (numBits == 8 || numBits == 4) && numSubVectors > 0 && numSubVectors <= dimension &&
      (numBits == 8 || numSubVectors % 2 == 0),
    s"an index with $numSubVectors codes of $numBits bits for $dimension dimensions"
  )
  CorruptFileException.check(
    metric != Metric.Hamming,
    s"an index of codes with the metric $metric"
  )

  private val numEntries = 1 << numBits

  /** Dimension of a sub-vector. Early releases ignored the remainder if the dimension was not
    * divisible.
    */
  val subDimension: Int = dimension / numSubVectors

  CorruptFileException.check(
    codebook.length >= numSubVectors.toLong * numEntries * subDimension,
    s"a codebook of ${codebook.length} numbers for $numSubVectors times $numEntries entries of $subDimension"
  )

  /** Bytes of the codes of a row. */
  val codeBytes: Int = if (numBits == 8) numSubVectors else numSubVectors / 2

  /** The elements of all entries, by sub-vector and dimension, so that loops over entries use SIMD.
    */
  private val transposedCodebook: Array[Float] = {
    val out = new Array[Float](numSubVectors * subDimension * numEntries)
    var at = 0
    for (j <- 0 until numSubVectors; d <- 0 until subDimension; e <- 0 until numEntries) {
      out(at) = codebook((j * numEntries + e) * subDimension + d)
      at += 1
    }
    out
  }

  def name: String = "PQ"

  def scale: DistanceScale = DistanceScale.ofCodes(metric)

  def bytesPerVector: Long = codeBytes.toLong

  def columns: IndexedSeq[String] = IndexedSeq(column)

  def sizeInBytes: Long = 4L * transposedCodebook.length

  /** Decodes a row. The centroid of residuals is not added. */
  def decode(codes: Array[Int]): Array[Float] = {
    val out = new Array[Float](dimension)
    for (j <- 0 until numSubVectors; d <- 0 until subDimension)
      out(j * subDimension + d) =
        transposedCodebook((j * subDimension + d) * numEntries + codes(j))
    out
  }

  def newCodes(numRows: Int, isGraph: Boolean): CodesBuilder = new CodesBuilder {
    private val codes = new Array[Byte](CodeColumns.arraySize(numRows, codeBytes))
    private var at = 0

    def append(columns: IndexedSeq[Column]): Unit = {
      CodeColumns.appendBytes(columns(0), codeBytes, column, codes, at)
      at += columns(0).numRows * codeBytes
    }

    // Scans read column by column, and graph searches row by row.
    def result(): Codes = {
      val ordered =
        if (isTransposed && isGraph) ByteMatrix.transposed(codes, codeBytes, numRows)
        else if (!isTransposed && !isGraph) ByteMatrix.transposed(codes, numRows, codeBytes)
        else codes
      new PairedCodes(numRows, ordered, byRow = isGraph)
    }
  }

  override def bytesPerQuery: Long = 4L * numSubVectors * numEntries + 1024L * codeBytes

  def prepare(query: QueryVector, mode: ApproxMode): PreparedQuery =
    if (metric == Metric.Dot) {
      val tables = new Array[Float](numSubVectors * numEntries)
      products(query.floats, tables)
      val ofBytes = byteTables(tables, new Array[Float](256 * codeBytes))
      (_: Int, _: Float, codes: Codes) => new Sums(ofBytes, 1f, codes.asInstanceOf[PairedCodes])
    } else {
      val residual = new Array[Float](dimension)
      val tables = new Array[Float](numSubVectors * numEntries)
      val ofBytes = new Array[Float](256 * codeBytes)
      (partition: Int, _: Float, codes: Codes) => {
        centroids.subtract(query, partition, residual)
        squares(residual, tables)
        new Sums(byteTables(tables, ofBytes), 0f, codes.asInstanceOf[PairedCodes])
      }
    }

  /** Computes the squared distances of the sub-vectors to all entries. */
  private def squares(vector: Array[Float], out: Array[Float]): Unit = {
    var j = 0
    while (j < numSubVectors) {
      val at = j * subDimension
      val from = at * numEntries
      kernels.squares(
        vector,
        at,
        subDimension,
        transposedCodebook,
        from,
        numEntries,
        out,
        j * numEntries
      )
      j += 1
    }
  }

  /** Computes the negated inner products of the sub-vectors and all entries. */
  private def products(vector: Array[Float], out: Array[Float]): Unit = {
    java.util.Arrays.fill(out, 0f)
    var i = 0
    while (i < numSubVectors * subDimension) {
      val value = vector(i)
      val from = i * numEntries
      val to = i / subDimension * numEntries
      var e = 0
      while (e < numEntries) {
        out(to + e) -= value * transposedCodebook(from + e)
        e += 1
      }
      i += 1
    }
  }

  /** A table for each byte of codes. */
  private def byteTables(tables: Array[Float], out: Array[Float]): Array[Float] =
    if (numBits == 8) tables
    else {
      var b = 0
      while (b < codeBytes) {
        val low = 2 * b * 16
        var code = 0
        while (code < 256) {
          out(b * 256 + code) = tables(low + (code & 15)) + tables(low + 16 + (code >> 4))
          code += 1
        }
        b += 1
      }
      out
    }

  /** @param tables tables for each byte of codes
    * @param offset summand of all distances
    */
  final private class Sums(tables: Array[Float], offset: Float, codes: PairedCodes)
      extends RowDistances {

    def fill(from: Int, numRows: Int, out: Array[Float]): Unit =
      if (codes.byRow) {
        var i = 0
        while (i < numRows) {
          out(i) = distance(from + i)
          i += 1
        }
      } else {
        ByteProducts.sumTables(tables, codeBytes, codes.bytes, codes.numRows, from, numRows, out)
        if (offset != 0) {
          var i = 0
          while (i < numRows) {
            out(i) += offset
            i += 1
          }
        }
      }

    def gather(rows: Array[Int], numRows: Int, out: Array[Float]): Unit = {
      var i = 0
      while (i < numRows) {
        out(i) = distance(rows(i))
        i += 1
      }
    }

    private def distance(row: Int): Float = offset + (
      if (codes.byRow) ByteProducts.sumTables(tables, codeBytes, codes.bytes, row * codeBytes)
      else ByteProducts.sumTablesOfColumns(tables, codeBytes, codes.bytes, codes.numRows, row)
    )
  }
}

object ProductQuantizer {

  /** The column of the codes. */
  val column: String = "__pq_code"

  /** @param byRow whether codes are stored row by row; otherwise, column by column */
  final private class PairedCodes(val numRows: Int, val bytes: Array[Byte], val byRow: Boolean)
      extends Codes {
    def sizeInBytes: Long = bytes.length.toLong
  }
}
