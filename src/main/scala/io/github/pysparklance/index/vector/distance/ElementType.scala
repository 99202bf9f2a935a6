// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.distance

import io.github.pysparklance.core.LogicalType

/** The type of the elements of stored vectors.
  *
  * @param name name in messages
  * @param numBytes number of bytes of an element
  */
sealed abstract class ElementType(val name: String, val numBytes: Int) extends Serializable {

  /** Whether a metric is defined for vectors of this type. */
  def takes(metric: Metric): Boolean = metric != Metric.Hamming

  override def toString: String = name
}

object ElementType {
  case object Float16 extends ElementType("float16", 2)
  case object BFloat16 extends ElementType("bfloat16", 2)
  case object Float32 extends ElementType("float32", 4)
  case object Float64 extends ElementType("float64", 8)
  case object Int8 extends ElementType("int8", 1)
  case object UInt8 extends ElementType("uint8", 1) {
    override def takes(metric: Metric): Boolean = true
  }

  /** Returns the type, or `None` if vectors cannot have it. */
  def of(item: LogicalType): Option[ElementType] = item match {
    case LogicalType.HalfFloat => Some(Float16)
    case LogicalType.BFloat16 => Some(BFloat16)
    case LogicalType.Float => Some(Float32)
    case LogicalType.Double => Some(Float64)
    case LogicalType.Integer(8, true) => Some(Int8)
    case LogicalType.Integer(8, false) => Some(UInt8)
    case _ => None
  }
}
