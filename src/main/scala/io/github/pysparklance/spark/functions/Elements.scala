// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

// Hot code.
package io.github.pysparklance.spark.functions

import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.types._

import io.github.pysparklance.core.{
  ByteValues,
  IntValues,
  InvalidRequestException,
  LongValues,
  Values
}
import io.github.pysparklance.index.vector.distance.ElementType

/** Elements of Spark's arrays as numbers. */
private[spark] object Elements {

  /** Whether elements are integers of at most 32 bits. */
  def isInteger(t: DataType): Boolean = t match {
    case ByteType | ShortType | IntegerType => true
    case _ => false
  }

  /** In which type two vectors are compared: as floats if one of them has floats, which a column of
    * an index has and a literal of doubles or decimals is rounded to; otherwise, as doubles, which
    * are exact for integers.
    */
  def compared(left: DataType, right: DataType): ElementType = (left, right) match {
    case (BinaryType, _) => ElementType.UInt8
    case (ArrayType(FloatType, _), _) | (_, ArrayType(FloatType, _)) => ElementType.Float32
    case _ => ElementType.Float64
  }

  /** Whether an element is null. */
  def hasNull(array: ArrayData): Boolean = {
    var i = 0
    val n = array.numElements()
    while (i < n && !array.isNullAt(i)) i += 1
    i < n
  }

  /** The elements of an array without nulls. */
  def doubles(array: ArrayData, item: DataType): Array[Double] = item match {
    case DoubleType => array.toDoubleArray()
    case _ =>
      val out = new Array[Double](array.numElements())
      var i = 0
      while (i < out.length) {
        out(i) = item match {
          case FloatType => array.getFloat(i).toDouble
          case ByteType => array.getByte(i).toDouble
          case ShortType => array.getShort(i).toDouble
          case IntegerType => array.getInt(i).toDouble
          case LongType => array.getLong(i).toDouble
          case d: DecimalType => array.getDecimal(i, d.precision, d.scale).toDouble
          case other => throw new IllegalArgumentException(s"elements of type ${other.sql}")
        }
        i += 1
      }
      out
  }

  /** The vector that an array without nulls is, as a reader would decode it. `out` is reused. */
  def stored(array: ArrayData, item: DataType, element: ElementType, out: Values): Unit = {
    out.clear()
    out match {
      case bits: IntValues =>
        if (item == FloatType) {
          val floats = array.toFloatArray()
          val at = bits.extend(floats.length)
          var i = 0
          while (i < floats.length) {
            bits.array(at + i) = java.lang.Float.floatToRawIntBits(floats(i))
            i += 1
          }
        } else
          doubles(array, item).foreach { d =>
            bits.append(java.lang.Float.floatToRawIntBits(d.toFloat))
          }
      case bits: LongValues =>
        doubles(array, item).foreach(d => bits.append(java.lang.Double.doubleToRawLongBits(d)))
      case other => throw new IllegalArgumentException(s"${other.getClass} for vectors of $element")
    }
  }

  /** Bytes of an array of integers without nulls, with a sign or without one.
    *
    * @throws InvalidRequestException for an integer that is not a byte
    */
  def bytes(array: ArrayData, item: DataType, out: ByteValues): Unit = {
    out.clear()
    var i = 0
    val n = array.numElements()
    while (i < n) {
      val v = item match {
        case ByteType => array.getByte(i).toInt
        case ShortType => array.getShort(i).toInt
        case _ => array.getInt(i)
      }
      if (v < -128 || v > 255)
        throw new InvalidRequestException(
          s"hamming_distance compares bytes, from -128 to 255; element $i is $v"
        )
      out.append(v.toByte)
      i += 1
    }
  }
}
