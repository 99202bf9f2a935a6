// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.quantizer

import com.fasterxml.jackson.databind.node.ObjectNode

import io.github.pysparklance.core.{Buffer, Half, LogicalType}
import io.github.pysparklance.index.vector.distance.ElementType

/** Stores vectors without encoding, see [[FlatVectors]]. */
final class FlatEncoder(dimension: Int, elementType: ElementType) extends VectorEncoder {

  def name: String = "FLAT"

  val columns: IndexedSeq[CodeColumn] = IndexedSeq(
    CodeColumn(
      FlatVectors.column,
      FlatEncoder.logicalType(elementType),
      dimension,
      elementType.numBytes
    )
  )

  def encode(rows: VectorRows, partitions: Array[Int], out: Array[Byte], at: Int): Unit = {
    val count = rows.numRows * dimension
    var i = 0
    elementType match {
      case ElementType.Float32 =>
        while (i < count) {
          Buffer.putInt(out, at + 4 * i, java.lang.Float.floatToRawIntBits(rows.floats(i)))
          i += 1
        }
      case ElementType.Float64 =>
        while (i < count) {
          Buffer.putLong(out, at + 8 * i, java.lang.Double.doubleToRawLongBits(rows.doubles(i)))
          i += 1
        }
      case ElementType.Float16 =>
        while (i < count) {
          Buffer.putShort(out, at + 2 * i, Half.fromFloat(rows.floats(i)))
          i += 1
        }
      case _ => System.arraycopy(rows.bytes, 0, out, at, count)
    }
  }

  def decode(record: Array[Byte], at: Int, partition: Int, out: Array[Float], to: Int): Unit = {
    var i = 0
    while (i < dimension) {
      out(to + i) = elementType match {
        case ElementType.Float32 =>
          java.lang.Float.intBitsToFloat(Buffer.intAt(record, at + 4 * i))
        case ElementType.Float64 =>
          java.lang.Double.longBitsToDouble(Buffer.longAt(record, at + 8 * i)).toFloat
        case ElementType.Float16 => Half.toFloat(Buffer.shortAt(record, at + 2 * i))
        case _ => (record(at + i) & 0xff).toFloat
      }
      i += 1
    }
  }

  protected def describe(json: ObjectNode, tensorPosition: Int): Unit = {
    json.put("dim", dimension)
    ()
  }
}

private object FlatEncoder {
  private def logicalType(elementType: ElementType): LogicalType = elementType match {
    case ElementType.Float16 => LogicalType.HalfFloat
    case ElementType.Float64 => LogicalType.Double
    case ElementType.UInt8 => LogicalType.Integer(8, signed = false)
    case _ => LogicalType.Float
  }
}
