// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.quantizer

import io.github.pysparklance.core.{Column, CorruptFileException, UnsupportedFeatureException}
import io.github.pysparklance.index.vector.distance.{DistanceKernels, Kernels, Metric}
import io.github.pysparklance.index.vector.ivf.FloatCentroids
import io.github.pysparklance.index.vector.search.{ApproxMode, DistanceScale, QueryVector}

/** RaBitQ quantization. Rotates the difference of a vector and its centroid, and stores each
  * element in a few bits. The first bit is the sign. Factors of each row convert inner products
  * with codes to distances.
  *
  * {{{
  *   _rabit_codes       the signs, 1 = not negative: see RabitCodes
  *   __add_factors, __scale_factors          of the signs
  *   __error_factors                         bounds the error of the signs alone
  *   __blocked_ex_codes, or __ex_codes       the other bits
  *   __add_factors_ex, __scale_factors_ex    of all bits
  * }}}
  *
  * Source: verified page of indices, "IVF_RQ (RaBitQ) arithmetic".
  *
  * @param numBits number of bits for each dimension: 1 to 9
  * @param isPacked whether the signs of 32 rows are stored together
  * @param isRaw whether the query itself is compared; otherwise, its difference from each centroid,
  *   as in early releases
  * @param extendedColumn column of the other bits
  */
final class RabitQuantizer(
    val dimension: Int,
    val numBits: Int,
    rotation: Rotation,
    isPacked: Boolean,
    isRaw: Boolean,
    hasErrors: Boolean,
    extendedColumn: Option[String],
    metric: Metric,
    centroids: FloatCentroids,
    kernels: DistanceKernels = Kernels.best
) extends Quantizer {
  import RabitQuantizer._

  private val codeDimension = rotation.dimension

  CorruptFileException.check(
    numBits >= 1 && numBits <= 9 && codeDimension >= dimension && metric != Metric.Hamming,
    s"RaBitQ codes of $numBits bits and $codeDimension dimensions for vectors of $dimension, metric $metric"
  )
  if (codeDimension % 8 != 0)
    throw new UnsupportedFeatureException(
      s"an index with RaBitQ codes of $codeDimension dimensions, which is not a multiple of 8"
    )

  private val codeBytes = codeDimension / 8
  private val extendedBits = numBits - 1

  /** Whether all bits are used. Early releases used the signs only. */
  private val isExtended = isRaw && extendedBits > 0

  CorruptFileException.check(
    !isExtended || extendedColumn.isDefined,
    s"RaBitQ codes of $numBits bits without the column $blockedColumn"
  )

  private val isBlocked = extendedColumn.contains(blockedColumn)
  private val extendedBytes =
    if (isBlocked) RabitCodes.blockedBytes(codeDimension, extendedBits)
    else RabitCodes.streamBytes(codeDimension, extendedBits)

  def name: String = "RQ"

  def scale: DistanceScale = DistanceScale.ofCodes(metric)

  val columns: IndexedSeq[String] = {
    val errors = if (hasErrors && isExtended) IndexedSeq(errorColumn) else IndexedSeq.empty
    val more =
      if (isExtended) IndexedSeq(extendedColumn.get, extendedAddColumn, extendedScaleColumn)
      else IndexedSeq.empty
    IndexedSeq(codeColumn, addColumn, scaleColumn) ++ more ++ errors
  }

  def bytesPerVector: Long =
    codeBytes + 4L * columns.length + (if (isExtended) codeDimension else 0)

  def sizeInBytes: Long = rotation.sizeInBytes

  def newCodes(numRows: Int, isGraph: Boolean): CodesBuilder = new CodesBuilder {
    private val signs = new Array[Byte](CodeColumns.arraySize(numRows, codeBytes))
    private val factors = Array.fill(columns.length)(new Array[Float](numRows))
    private val extended =
      if (isExtended) new Array[Byte](CodeColumns.arraySize(numRows, extendedBytes)) else null
    if (isExtended) CodeColumns.arraySize(numRows, codeDimension): Unit
    private var row = 0

    def append(batch: IndexedSeq[Column]): Unit = {
      CodeColumns.appendBytes(batch(0), codeBytes, codeColumn, signs, row * codeBytes)
      (1 until columns.length).foreach { i =>
        if (extendedColumn.contains(columns(i)))
          CodeColumns.appendBytes(
            batch(i),
            extendedBytes,
            columns(i),
            extended,
            row * extendedBytes
          )
        else CodeColumns.appendFloats(batch(i), columns(i), factors(i), row)
      }
      row += batch(0).numRows
    }

    def result(): Codes = {
      val bits = RabitCodes.unpacked(signs, numRows, codeBytes, isPacked)
      if (!isExtended) new RabitCodes(numRows, bits, factors(1), factors(2), null, null, null, null)
      else
        new RabitCodes(
          numRows,
          bits,
          factors(1),
          factors(2),
          if (hasErrors) factors(6) else null,
          whole(bits, extended, numRows),
          factors(4),
          factors(5)
        )
    }
  }

  /** Returns a byte for each dimension of each row. */
  private def whole(bits: Array[Byte], extended: Array[Byte], numRows: Int): Array[Byte] = {
    val out = new Array[Byte](numRows * codeDimension)
    val numbers = new Array[Int](codeDimension + 64)
    var row = 0
    while (row < numRows) {
      if (isBlocked)
        RabitCodes.readBlocks(extended, row * extendedBytes, extendedBits, codeDimension, numbers)
      else
        RabitCodes.readStream(extended, row * extendedBytes, extendedBits, codeDimension, numbers)
      var i = 0
      while (i < codeDimension) {
        // With 9 bits, the sign does not fit into the byte.
        val sign = bits((i >> 3) * numRows + row) >> (i & 7) & 1
        out(row * codeDimension + i) = (sign << extendedBits | numbers(i)).toByte
        i += 1
      }
      row += 1
    }
    out
  }

  override def bytesPerQuery: Long = 1024L * codeBytes + 8L * codeDimension

  def prepare(query: QueryVector, mode: ApproxMode): PreparedQuery =
    if (isRaw) new RawQuery(query.floats, mode) else new ResidualQuery(query)

  /** Compares the rotated difference of the query and each centroid. */
  final private class ResidualQuery(query: QueryVector) extends PreparedQuery {
    private val residual = new Array[Float](dimension)
    private val tables = new Array[Float](256 * codeBytes)
    private val unit = 1f / math.sqrt(codeDimension.toDouble * numBits).toFloat

    def distances(partition: Int, centroidDistance: Float, codes: Codes): RowDistances = {
      centroids.subtract(query, partition, residual)
      val rotated = rotation(residual)
      fillTables(rotated, tables)
      val base = if (metric == Metric.Dot) centroidDistance - 1 else centroidDistance
      new OfSigns(
        codes.asInstanceOf[RabitCodes],
        tables,
        2 * unit,
        -rotated.sum * unit,
        AddFactor(1f, 0f, base)
      )
    }
  }

  /** Compares the rotated query, which is the same for all partitions. */
  final private class RawQuery(query: Array[Float], mode: ApproxMode) extends PreparedQuery {
    private val rotated = rotation(query)
    private val tables = fillTables(rotated, new Array[Float](256 * codeBytes))
    private val sum = rotated.sum

    def distances(partition: Int, centroidDistance: Float, codes: Codes): RowDistances = {
      val rows = codes.asInstanceOf[RabitCodes]
      val of =
        if (metric == Metric.Dot) projected(partition) else AddFactor(1f, 0f, centroidDistance)
      if (rows.extended == null || mode == ApproxMode.Fast)
        new OfSigns(rows, tables, 1f, -0.5f * sum, of)
      else {
        val signs =
          if (rows.errors == null) null else new OfSigns(rows, tables, 1f, -0.5f * sum, of)
        new OfAllBits(
          rows,
          rotated,
          sum,
          tables,
          of,
          signs,
          errorUnit(partition, centroidDistance, of)
        )
      }
    }

    /** Scales the correction factor of the rows by the projection of the query onto the centroid.
      */
    private def projected(partition: Int): AddFactor = {
      val from = partition * dimension
      var product = 0f
      var square = 0f
      var i = 0
      while (i < dimension) {
        val c = centroids.values(from + i)
        product += query(i) * c
        square += c * c
        i += 1
      }
      val alpha = product / square
      AddFactor(if (alpha.isNaN || alpha.isInfinite) 0f else alpha, 1f, 1 - product)
    }

    /** Returns the multiplier of the error factors of rows. */
    private def errorUnit(partition: Int, centroidDistance: Float, of: AddFactor): Float =
      if (metric != Metric.Dot) math.sqrt(math.max(centroidDistance, 0f).toDouble).toFloat
      else {
        val from = partition * dimension
        var square = 0.0
        var i = 0
        while (i < dimension) {
          val d = query(i).toDouble - of.scale.toDouble * centroids.values(from + i)
          square += d * d
          i += 1
        }
        math.sqrt(square).toFloat
      }
  }

  /** Computes the sums of the elements of a vector over all subsets of 8 elements, by the byte with
    * the bits of the subset.
    */
  private def fillTables(vector: Array[Float], out: Array[Float]): Array[Float] = {
    var b = 0
    while (b < codeBytes) {
      val at = b * 256
      out(at) = 0f
      var subset = 1
      while (subset < 256) {
        val last = Integer.numberOfTrailingZeros(subset)
        out(at + subset) = out(at + (subset & (subset - 1))) + vector(8 * b + last)
        subset += 1
      }
      b += 1
    }
    out
  }

  /** Distances that are computed from the signs: `(product * unit + offset) * scale + add`. */
  final private class OfSigns(
      codes: RabitCodes,
      tables: Array[Float],
      unit: Float,
      offset: Float,
      of: AddFactor
  ) extends RowDistances {

    def fill(from: Int, numRows: Int, out: Array[Float]): Unit = {
      ByteProducts.sumTables(tables, codeBytes, codes.bits, codes.numRows, from, numRows, out)
      var i = 0
      while (i < numRows) {
        out(i) = distance(from + i, out(i))
        i += 1
      }
    }

    def gather(rows: Array[Int], numRows: Int, out: Array[Float]): Unit = {
      var i = 0
      while (i < numRows) {
        out(i) = distance(rows(i), product(rows(i)))
        i += 1
      }
    }

    /** Returns the inner product of the query and the signs of a row as 0 and 1. */
    def product(row: Int): Float =
      ByteProducts.sumTablesOfColumns(tables, codeBytes, codes.bits, codes.numRows, row)

    private def distance(row: Int, product: Float): Float =
      (product * unit + offset) * codes.scale(row) + of(codes.add(row))
  }

  /** Distances that are computed from all bits.
    *
    * @param signs lower bounds of the distances; null without error factors
    */
  final private class OfAllBits(
      codes: RabitCodes,
      rotated: Array[Float],
      sum: Float,
      tables: Array[Float],
      of: AddFactor,
      signs: OfSigns,
      errorUnit: Float
  ) extends RowDistances {
    private val offset = -((1 << extendedBits) - 0.5f) * sum

    override def hasLowerBounds: Boolean = signs != null

    def fill(from: Int, numRows: Int, out: Array[Float]): Unit = {
      var i = 0
      if (signs == null) {
        kernels.dotFloatUInt8(rotated, codes.extended, from, null, numRows, out)
        while (i < numRows) {
          out(i) = distance(from + i, out(i))
          i += 1
        }
      } else {
        signs.fill(from, numRows, out)
        while (i < numRows) {
          out(i) -= codes.errors(from + i) * errorUnit
          i += 1
        }
      }
    }

    def gather(rows: Array[Int], numRows: Int, out: Array[Float]): Unit = {
      kernels.dotFloatUInt8(rotated, codes.extended, 0, rows, numRows, out)
      var i = 0
      while (i < numRows) {
        out(i) = distance(rows(i), out(i))
        i += 1
      }
    }

    /** @param product of the query and the code of the row */
    private def distance(row: Int, product: Float): Float = {
      val ofSign =
        if (extendedBits < 8) 0f
        else
          256f * ByteProducts.sumTablesOfColumns(tables, codeBytes, codes.bits, codes.numRows, row)
      (product + ofSign + offset) * codes.extendedScale(row) + of(codes.extendedAdd(row))
    }
  }
}

object RabitQuantizer {
  val codeColumn: String = "_rabit_codes"
  val addColumn: String = "__add_factors"
  val scaleColumn: String = "__scale_factors"
  val errorColumn: String = "__error_factors"

  /** Column of the bits other than the signs. */
  val blockedColumn: String = "__blocked_ex_codes"

  /** Column of these bits in early files. */
  val streamColumn: String = "__ex_codes"
  val extendedAddColumn: String = "__add_factors_ex"
  val extendedScaleColumn: String = "__scale_factors_ex"

  /** The summand of a distance: `scale * (add - offset) + base`. */
  final private case class AddFactor(scale: Float, offset: Float, base: Float) {
    def apply(add: Float): Float = scale * (add - offset) + base
  }
}
