// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.quantizer

import com.fasterxml.jackson.databind.node.ObjectNode

import io.github.pysparklance.core.Workers
import io.github.pysparklance.index.vector.distance.{ElementType, Metric}
import io.github.pysparklance.index.vector.ivf.{FloatCentroids, KMeans, PackedCentroids, Tensors}

/** Stores the numbers of the nearest codebook entries of sub-vectors, see [[ProductQuantizer]].
  *
  * @param codebook entries of the first sub-vector, then of the second, and so on
  * @param codebookTensor codebook as a message `Tensor`, in the type of the column
  */
final class ProductEncoder(
    dimension: Int,
    numSubVectors: Int,
    numBits: Int,
    codebook: Array[Float],
    codebookTensor: Array[Byte],
    metric: Metric,
    centroids: FloatCentroids
) extends VectorEncoder {
  private val subDimension = dimension / numSubVectors
  private val numEntries = 1 << numBits
  private val codeBytes = if (numBits == 8) numSubVectors else numSubVectors / 2
  private val isResidual = metric != Metric.Dot

  @transient private lazy val books: IndexedSeq[PackedCentroids] =
    (0 until numSubVectors).map { j =>
      val from = j * numEntries * subDimension
      new PackedCentroids(
        subDimension,
        java.util.Arrays.copyOfRange(codebook, from, from + numEntries * subDimension),
        isDot = false
      )
    }

  def name: String = "PQ"

  val columns: IndexedSeq[CodeColumn] =
    IndexedSeq(CodeColumn.bytes(ProductQuantizer.column, codeBytes))

  def encode(rows: VectorRows, partitions: Array[Int], out: Array[Byte], at: Int): Unit = {
    val numRows = rows.numRows
    val part = new Array[Float](numRows * subDimension)
    val codes = new Array[Int](numRows)
    java.util.Arrays.fill(out, at, at + numRows * codeBytes, 0.toByte)
    var j = 0
    while (j < numSubVectors) {
      gather(rows, partitions, j, part)
      books(j).nearest(part, 0, numRows, codes, null)
      var i = 0
      while (i < numRows) {
        if (numBits == 8) out(at + i * codeBytes + j) = codes(i).toByte
        else {
          val to = at + i * codeBytes + j / 2
          out(to) = (out(to) | codes(i) << (4 * (j % 2))).toByte
        }
        i += 1
      }
      j += 1
    }
  }

  /** Copies a sub-vector of all rows. For residuals, subtracts the centroid. */
  private def gather(
      rows: VectorRows,
      partitions: Array[Int],
      sub: Int,
      out: Array[Float]
  ): Unit = {
    var i = 0
    while (i < rows.numRows) {
      val from = i * dimension + sub * subDimension
      val centroid = partitions(i) * dimension + sub * subDimension
      var d = 0
      while (d < subDimension) {
        val value = rows.floats(from + d)
        out(i * subDimension + d) =
          if (isResidual) value - centroids.values(centroid + d) else value
        d += 1
      }
      i += 1
    }
  }

  def decode(record: Array[Byte], at: Int, partition: Int, out: Array[Float], to: Int): Unit = {
    var i = 0
    while (i < dimension) {
      val j = i / subDimension
      val code =
        if (numBits == 8) record(at + j) & 0xff else record(at + j / 2) >> (4 * (j % 2)) & 15
      val value = codebook((j * numEntries + code) * subDimension + i % subDimension)
      out(to + i) =
        if (isResidual) value + centroids.values(partition * dimension + i) else value
      i += 1
    }
  }

  override def pack(column: CodeColumn, bytes: Array[Byte], numRows: Int): Array[Byte] =
    ByteMatrix.transposed(bytes, numRows, codeBytes)

  override def unpack(column: CodeColumn, bytes: Array[Byte], numRows: Int): Array[Byte] =
    ByteMatrix.transposed(bytes, codeBytes, numRows)

  override def tensor: Option[Array[Byte]] = Some(codebookTensor)

  protected def describe(json: ObjectNode, tensorPosition: Int): Unit = {
    json.put("codebook_position", tensorPosition)
    json.put("nbits", numBits)
    json.put("num_sub_vectors", numSubVectors)
    json.put("dimension", dimension)
    json.putArray("codebook_tensor")
    json.put("transposed", true)
    ()
  }
}

object ProductEncoder {

  /** Trains the codebook: the centroids of each sub-vector of a sample.
    *
    * @param data finite vectors, back to back. They are changed to residuals
    * @param members the partition of each vector
    * @param kMeans trains sub-vectors of a dimension
    * @param threads number of sub-vectors that are trained at the same time
    */
  def train(
      data: Array[Float],
      members: Array[Int],
      dimension: Int,
      numSubVectors: Int,
      numBits: Int,
      elementType: ElementType,
      metric: Metric,
      centroids: FloatCentroids,
      kMeans: Int => KMeans,
      threads: Int
  ): ProductEncoder = {
    val subDimension = dimension / numSubVectors
    val numEntries = 1 << numBits
    if (metric != Metric.Dot) subtract(data, members, centroids)
    val books = Workers.map(0 until numSubVectors, threads) { j =>
      kMeans(subDimension).train(
        column(data, dimension, j * subDimension, subDimension),
        numEntries
      )
    }
    val codebook = books.toArray.flatten
    val rounded = Tensors.rounded(elementType, codebook)
    val tensor = Tensors.encode(elementType, Seq(numEntries, dimension), rounded)
    new ProductEncoder(
      dimension,
      numSubVectors,
      numBits,
      rounded,
      tensor,
      metric,
      centroids
    )
  }

  /** Replaces vectors by their differences from the centroids of their partitions. */
  private def subtract(
      data: Array[Float],
      members: Array[Int],
      centroids: FloatCentroids
  ): Unit = {
    val dimension = centroids.dimension
    var v = 0
    while (v < members.length) {
      val from = members(v) * dimension
      var d = 0
      while (d < dimension) {
        data(v * dimension + d) -= centroids.values(from + d)
        d += 1
      }
      v += 1
    }
  }

  /** A sub-vector of all vectors. */
  private def column(
      data: Array[Float],
      dimension: Int,
      from: Int,
      subDimension: Int
  ): Array[Float] = {
    val numVectors = data.length / dimension
    val out = new Array[Float](numVectors * subDimension)
    var v = 0
    while (v < numVectors) {
      System.arraycopy(data, v * dimension + from, out, v * subDimension, subDimension)
      v += 1
    }
    out
  }
}
