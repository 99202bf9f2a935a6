// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.search

import io.github.pysparklance.core.{Half, InvalidRequestException}
import io.github.pysparklance.index.vector.distance.ElementType

/** A vector to search for. Immutable and thread-safe.
  *
  * @param values elements, rounded to the type of the stored vectors
  */
final class QueryVector private (val elementType: ElementType, val values: Array[Double]) {

  def dimension: Int = values.length

  /** The elements, rounded to floats. */
  lazy val floats: Array[Float] = values.map(_.toFloat)

  /** The elements of a vector of bytes. */
  lazy val bytes: Array[Byte] = values.map(_.toInt.toByte)

  /** Returns the vector of length 1 in the same direction, or this vector if its length is 0. */
  def normalized: QueryVector = {
    val norm = math.sqrt(values.iterator.map(v => v * v).sum)
    if (norm == 0) this
    else new QueryVector(elementType, values.map(v => QueryVector.rounded(elementType, v / norm)))
  }
}

object QueryVector {

  /** Returns a query for a column.
    *
    * @param elementType element type of the stored vectors
    * @param values finite numbers; for bytes, integers in their range
    * @throws InvalidRequestException for other values
    */
  def of(elementType: ElementType, values: Array[Double]): QueryVector = {
    if (values.isEmpty) throw new InvalidRequestException("a query vector without elements")
    val bad = values.indexWhere(v => v.isNaN || v.isInfinite)
    if (bad >= 0)
      throw new InvalidRequestException(
        s"element $bad of the query vector is ${values(bad)}; it must be a finite number"
      )
    def checked(least: Int, most: Int): Array[Double] = {
      val other = values.indexWhere(v => v != math.rint(v) || v < least || v > most)
      if (other >= 0)
        throw new InvalidRequestException(
          s"element $other of the query vector is ${values(other)}; the column has integers from " +
            s"$least to $most"
        )
      values.clone()
    }
    elementType match {
      case ElementType.Int8 => new QueryVector(elementType, checked(-128, 127))
      case ElementType.UInt8 => new QueryVector(elementType, checked(0, 255))
      case _ =>
        checkRange(elementType, values)
        new QueryVector(elementType, values.map(rounded(elementType, _)))
    }
  }

  /** Checks that elements do not overflow the type of the stored vectors.
    *
    * @throws InvalidRequestException if one does
    */
  def checkRange(elementType: ElementType, values: Array[Double]): Unit = {
    val bad = values.indexWhere(v => rounded(elementType, v).isInfinite)
    if (bad >= 0)
      throw new InvalidRequestException(
        s"element $bad of the query vector is ${values(bad)}, which is out of the range of the column's " +
          s"$elementType"
      )
  }

  /** Rounds a number to a type of floating-point numbers. Other types do not change it. */
  def rounded(elementType: ElementType, value: Double): Double = elementType match {
    case ElementType.Float32 => value.toFloat.toDouble
    case ElementType.Float16 => Half.toFloat(Half.fromFloat(value.toFloat)).toDouble
    case ElementType.BFloat16 => Half.ofBFloat16(Half.toBFloat16(value.toFloat)).toDouble
    case _ => value
  }
}
