// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

// Hot code.
package io.github.pysparklance.index.vector.distance

import io.github.pysparklance.core.{
  ByteValues,
  CorruptFileException,
  Half,
  IntValues,
  InvalidRequestException,
  LongValues,
  ShortValues,
  UnsupportedFeatureException,
  Values
}

/** Computes the distances of stored vectors from a query, with the values of `_distance` in the
  * reference: the squared L2 distance, 1 − cosine, 1 − inner product, or the number of differing
  * bits. The cosine distance of a vector of zeros is NaN, or 0 for bytes. Not thread-safe.
  *
  * Source: format page of the indices, "Search and distances".
  */
sealed abstract class QueryDistance(val metric: Metric, val element: ElementType) {

  /** Number of elements of a vector. */
  def dimension: Int

  private var norms = Array.emptyFloatArray

  /** Computes distances. The result of a null vector is undefined, so the caller must check nulls.
    *
    * @param items elements of the vectors, vector by vector, as a reader decodes a fixed-size list
    * @param first number of the first vector
    * @param positions vectors to compare, relative to `first`; null for consecutive vectors
    * @param numVectors number of vectors
    * @param out receives the distances; element i belongs to vector `first + positions(i)`, or
    *   `first + i`
    */
  final def apply(
      items: Values,
      first: Int,
      positions: Array[Int],
      numVectors: Int,
      out: Array[Float]
  ): Unit = compare(1.0f, items, first, positions, numVectors, out)

  /** Computes numbers in the order of the distances, with the parameters of [[apply]]. Inner
    * products and cosines near 0 keep their order, which is lost in distances.
    */
  final def ranks(
      items: Values,
      first: Int,
      positions: Array[Int],
      numVectors: Int,
      out: Array[Float]
  ): Unit = compare(0.0f, items, first, positions, numVectors, out)

  /** @param most the number from which products and cosines are subtracted */
  private def compare(
      most: Float,
      items: Values,
      first: Int,
      positions: Array[Int],
      numVectors: Int,
      out: Array[Float]
  ): Unit = metric match {
    case Metric.L2 => l2(items, first, positions, numVectors, out)
    case Metric.Hamming => hamming(items, first, positions, numVectors, out)
    case Metric.Dot =>
      dot(items, first, positions, numVectors, out)
      var i = 0
      while (i < numVectors) {
        out(i) = most - out(i)
        i += 1
      }
    case Metric.Cosine =>
      if (norms.length < numVectors) norms = new Array[Float](numVectors)
      dotAndNorm(items, first, positions, numVectors, out, norms)
      var i = 0
      while (i < numVectors) {
        out(i) = most - cosine(out(i), norms(i))
        i += 1
      }
  }

  /** Whether the product of the norms of the query and of a stored vector is below the least normal
    * float. Spark has no cosine similarity then.
    */
  final def isZero(items: Values, vector: Int): Boolean = {
    val (dots, squares) = (new Array[Float](1), new Array[Float](1))
    dotAndNorm(items, vector, null, 1, dots, squares)
    norm * math.sqrt(squares(0).toDouble).toFloat < java.lang.Float.MIN_NORMAL
  }

  /** Computes inner products, with the parameters of [[apply]]. */
  final def products(
      items: Values,
      first: Int,
      positions: Array[Int],
      numVectors: Int,
      out: Array[Float]
  ): Unit = dot(items, first, positions, numVectors, out)

  /** The norm of the query. */
  protected def norm: Float

  /** The cosine between bytes and zeros is 1. */
  private def cosine(dot: Float, squaredNorm: Float): Float = {
    val both = norm * math.sqrt(squaredNorm.toDouble).toFloat
    if (both == 0.0f && element.numBytes == 1) 1.0f else dot / both
  }

  protected def l2(v: Values, first: Int, at: Array[Int], n: Int, out: Array[Float]): Unit

  protected def dot(v: Values, first: Int, at: Array[Int], n: Int, out: Array[Float]): Unit

  protected def dotAndNorm(
      v: Values,
      first: Int,
      at: Array[Int],
      n: Int,
      dots: Array[Float],
      norms: Array[Float]
  ): Unit

  protected def hamming(v: Values, first: Int, at: Array[Int], n: Int, out: Array[Float]): Unit =
    throw new UnsupportedFeatureException(s"metric hamming for vectors of $element")

  /** Throws for a column whose values have another width than its type. */
  final protected def mismatch(items: Values): Nothing =
    throw new CorruptFileException(s"${items.getClass.getSimpleName} for vectors of $element")
}

object QueryDistance {

  /** @param query query vector with as many elements as the stored vectors
    * @param roundsQuery whether the query is rounded to half precision if the vectors have it, as
    *   in the reference
    * @param kernels implementation of the loops; only tests and benchmarks set it
    * @throws InvalidRequestException if the vectors are bytes, and an element of the query is not a
    *   byte
    * @throws UnsupportedFeatureException if the metric is not defined for the element type
    */
  def apply(
      metric: Metric,
      element: ElementType,
      query: Array[Double],
      roundsQuery: Boolean = true,
      kernels: DistanceKernels = Kernels.best
  ): QueryDistance = {
    if (!element.takes(metric))
      throw new UnsupportedFeatureException(
        s"metric $metric for vectors of $element: it compares bits, of uint8 vectors"
      )
    def floats(rounded: Float => Float) =
      new OfFloats(metric, element, query.map(q => rounded(q.toFloat)), kernels)
    element match {
      case ElementType.Float16 if roundsQuery => floats(q => Half.toFloat(Half.fromFloat(q)))
      case ElementType.BFloat16 if roundsQuery => floats(q => Half.ofBFloat16(Half.toBFloat16(q)))
      case ElementType.Float16 | ElementType.BFloat16 | ElementType.Float32 => floats(identity)
      case ElementType.Float64 => new OfDoubles(metric, query, kernels)
      case ElementType.Int8 => new OfBytes(metric, element, bytes(query, -128, 127), kernels)
      case ElementType.UInt8 => new OfBytes(metric, element, bytes(query, 0, 255), kernels)
    }
  }

  private def bytes(query: Array[Double], min: Int, max: Int): Array[Byte] = query.map { q =>
    if (q != math.rint(q) || q < min || q > max)
      throw new InvalidRequestException(
        s"the query vector has the element $q; the column's are integers from $min to $max"
      )
    q.toInt.toByte
  }

  final private class OfFloats(
      metric: Metric,
      element: ElementType,
      query: Array[Float],
      kernels: DistanceKernels
  ) extends QueryDistance(metric, element) {
    def dimension: Int = query.length

    protected val norm: Float = math.sqrt(squares(query)).toFloat

    protected def l2(v: Values, first: Int, at: Array[Int], n: Int, out: Array[Float]): Unit =
      v match {
        case i: IntValues => kernels.l2Float32(query, i.array, first, at, n, out)
        case s: ShortValues if element == ElementType.Float16 =>
          kernels.l2Float16(query, s.array, first, at, n, out)
        case s: ShortValues => kernels.l2BFloat16(query, s.array, first, at, n, out)
        case other => mismatch(other)
      }

    protected def dot(v: Values, first: Int, at: Array[Int], n: Int, out: Array[Float]): Unit =
      v match {
        case i: IntValues => kernels.dotFloat32(query, i.array, first, at, n, out)
        case s: ShortValues if element == ElementType.Float16 =>
          kernels.dotFloat16(query, s.array, first, at, n, out)
        case s: ShortValues => kernels.dotBFloat16(query, s.array, first, at, n, out)
        case other => mismatch(other)
      }

    protected def dotAndNorm(
        v: Values,
        first: Int,
        at: Array[Int],
        n: Int,
        dots: Array[Float],
        norms: Array[Float]
    ): Unit = v match {
      case i: IntValues => kernels.dotAndNormFloat32(query, i.array, first, at, n, dots, norms)
      case s: ShortValues if element == ElementType.Float16 =>
        kernels.dotAndNormFloat16(query, s.array, first, at, n, dots, norms)
      case s: ShortValues =>
        kernels.dotAndNormBFloat16(query, s.array, first, at, n, dots, norms)
      case other => mismatch(other)
    }
  }

  private def squares(query: Array[Float]): Double = {
    var sum = 0.0
    var i = 0
    while (i < query.length) {
      sum += query(i).toDouble * query(i)
      i += 1
    }
    sum
  }

  final private class OfDoubles(
      metric: Metric,
      query: Array[Double],
      kernels: DistanceKernels
  ) extends QueryDistance(metric, ElementType.Float64) {
    def dimension: Int = query.length

    protected val norm: Float = math.sqrt(query.map(q => q * q).sum).toFloat

    private def longs(v: Values): Array[Long] = v match {
      case l: LongValues => l.array
      case other => mismatch(other)
    }

    protected def l2(v: Values, first: Int, at: Array[Int], n: Int, out: Array[Float]): Unit =
      kernels.l2Float64(query, longs(v), first, at, n, out)

    protected def dot(v: Values, first: Int, at: Array[Int], n: Int, out: Array[Float]): Unit =
      kernels.dotFloat64(query, longs(v), first, at, n, out)

    protected def dotAndNorm(
        v: Values,
        first: Int,
        at: Array[Int],
        n: Int,
        dots: Array[Float],
        norms: Array[Float]
    ): Unit = kernels.dotAndNormFloat64(query, longs(v), first, at, n, dots, norms)
  }

  final private class OfBytes(
      metric: Metric,
      element: ElementType,
      query: Array[Byte],
      kernels: DistanceKernels
  ) extends QueryDistance(metric, element) {
    private val isSigned = element == ElementType.Int8

    def dimension: Int = query.length

    protected val norm: Float = {
      val squares = query.map { b =>
        val q = if (isSigned) b.toInt else b & 0xff
        (q * q).toLong
      }
      math.sqrt(squares.sum.toDouble).toFloat
    }

    private def bytes(v: Values): Array[Byte] = v match {
      case b: ByteValues => b.array
      case other => mismatch(other)
    }

    protected def l2(v: Values, first: Int, at: Array[Int], n: Int, out: Array[Float]): Unit =
      if (isSigned) kernels.l2Int8(query, bytes(v), first, at, n, out)
      else kernels.l2UInt8(query, bytes(v), first, at, n, out)

    protected def dot(v: Values, first: Int, at: Array[Int], n: Int, out: Array[Float]): Unit =
      if (isSigned) kernels.dotInt8(query, bytes(v), first, at, n, out)
      else kernels.dotUInt8(query, bytes(v), first, at, n, out)

    protected def dotAndNorm(
        v: Values,
        first: Int,
        at: Array[Int],
        n: Int,
        dots: Array[Float],
        norms: Array[Float]
    ): Unit =
      if (isSigned) kernels.dotAndNormInt8(query, bytes(v), first, at, n, dots, norms)
      else kernels.dotAndNormUInt8(query, bytes(v), first, at, n, dots, norms)

    override protected def hamming(
        v: Values,
        first: Int,
        at: Array[Int],
        n: Int,
        out: Array[Float]
    ): Unit = kernels.hamming(query, bytes(v), first, at, n, out)
  }
}
