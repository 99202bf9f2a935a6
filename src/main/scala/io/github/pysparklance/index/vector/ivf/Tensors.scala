// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.ivf

import scala.jdk.CollectionConverters._

import com.google.protobuf.{ByteString, InvalidProtocolBufferException}

import io.github.pysparklance.core.{Buffer, Checked, CorruptFileException, Half}
import io.github.pysparklance.index.proto.Tensor
import io.github.pysparklance.index.proto.Tensor.DataType
import io.github.pysparklance.index.vector.distance.ElementType

/** The numbers of a matrix in an index file.
  *
  * @param shape number of rows, then number of columns
  * @param elementType element type of the numbers
  * @param floats elements row by row; bytes are widened
  */
final class Tensors private (
    val shape: IndexedSeq[Int],
    val elementType: ElementType,
    private val bytes: Buffer
) {

  /** Whether another matrix has the same numbers in the same type. */
  def isSame(other: Tensors): Boolean = shape == other.shape && elementType == other.elementType &&
    java.util.Arrays.equals(bytes.toBytes, other.bytes.toBytes)

  /** Number of elements. */
  def numItems: Int = bytes.length / elementType.numBytes

  /** Returns the elements as floats, row by row. */
  def floats: Array[Float] = {
    val out = new Array[Float](numItems)
    elementType match {
      case ElementType.Float32 =>
        out.indices.foreach(i =>
          out(i) = java.lang.Float.intBitsToFloat(Buffer.intAt(bytes.array, bytes.offset + 4 * i))
        )
      case ElementType.Float64 =>
        out.indices.foreach { i =>
          val bits = Buffer.longAt(bytes.array, bytes.offset + 8 * i)
          out(i) = java.lang.Double.longBitsToDouble(bits).toFloat
        }
      case ElementType.Float16 =>
        out.indices.foreach(i => out(i) = Half.toFloat(bytes.u16(2 * i).toShort))
      case ElementType.BFloat16 =>
        out.indices.foreach(i => out(i) = Half.ofBFloat16(bytes.u16(2 * i).toShort))
      case _ => out.indices.foreach(i => out(i) = bytes.u8(i).toFloat)
    }
    out
  }

  /** Returns the elements of a matrix of bytes. */
  def unsignedBytes: Array[Byte] = {
    CorruptFileException.check(
      elementType == ElementType.UInt8,
      s"a matrix of $elementType where bytes are expected"
    )
    bytes.toBytes
  }
}

object Tensors {

  /** Rounds numbers to a type of floating-point numbers. */
  def rounded(elementType: ElementType, values: Array[Float]): Array[Float] =
    if (elementType != ElementType.Float16) values
    else values.map(v => Half.toFloat(Half.fromFloat(v)))

  /** Returns the message of a matrix of floating-point numbers. Counterpart of [[parse]].
    *
    * @param elementType element type of the numbers in the message
    * @param values row by row
    */
  def encode(elementType: ElementType, shape: Seq[Int], values: Array[Float]): Array[Byte] = {
    val bytes = new Array[Byte](Math.multiplyExact(values.length, elementType.numBytes))
    values.indices.foreach { i =>
      elementType match {
        case ElementType.Float16 => Buffer.putShort(bytes, 2 * i, Half.fromFloat(values(i)))
        case ElementType.Float64 =>
          val bits = java.lang.Double.doubleToRawLongBits(values(i).toDouble)
          Buffer.putLong(bytes, 8 * i, bits)
        case _ => Buffer.putInt(bytes, 4 * i, java.lang.Float.floatToRawIntBits(values(i)))
      }
    }
    val stored = if (elementType.numBytes == 1) ElementType.Float32 else elementType
    message(stored, shape, bytes)
  }

  /** Returns the message of a matrix of bytes. */
  def encode(shape: Seq[Int], values: Array[Byte]): Array[Byte] =
    message(ElementType.UInt8, shape, values)

  private def message(elementType: ElementType, shape: Seq[Int], data: Array[Byte]): Array[Byte] = {
    val builder = Tensor.newBuilder().setData(ByteString.copyFrom(data))
      .setDataType(types.collectFirst { case (t, `elementType`) => t }.get)
    shape.foreach(builder.addShape)
    builder.build().toByteArray
  }

  private val types: Map[DataType, ElementType] = Map(
    DataType.BFLOAT16 -> ElementType.BFloat16,
    DataType.FLOAT16 -> ElementType.Float16,
    DataType.FLOAT32 -> ElementType.Float32,
    DataType.FLOAT64 -> ElementType.Float64,
    DataType.UINT8 -> ElementType.UInt8
  )

  /** Parses a matrix.
    *
    * @param what name of the matrix in messages
    * @throws CorruptFileException if the shape contradicts the number of bytes, or the type is not
    *   a type of vector elements
    */
  def of(message: Tensor, what: String): Tensors = {
    val elementType = types.getOrElse(
      message.getDataType,
      throw new CorruptFileException(s"$what: numbers of the type ${message.getDataTypeValue}")
    )
    val shape = message.getShapeList.asScala.iterator
      .map(n => Checked.int(n & 0xffffffffL, s"$what: its shape")).toIndexedSeq
    val numItems = shape.foldLeft(1L)((n, side) => Checked.multiply(n, side.toLong, what))
    val numBytes = Checked.multiply(numItems, elementType.numBytes.toLong, what)
    CorruptFileException.check(
      shape.nonEmpty && numBytes == message.getData.size,
      s"$what: ${message.getData.size} bytes of $elementType are not a matrix of ${shape.mkString(" x ")}"
    )
    new Tensors(shape, elementType, Buffer(message.getData.toByteArray))
  }

  /** Reads the matrix in a buffer of a file. */
  def parse(bytes: Buffer, what: String): Tensors =
    of(Messages.parsed(what)(Tensor.parseFrom(bytes.toByteBuffer)), what)
}

/** Messages in index files. */
private[vector] object Messages {

  /** Runs `parse`.
    *
    * @param what name of the message in errors
    */
  def parsed[A](what: String)(parse: => A): A =
    try parse
    catch {
      case e: InvalidProtocolBufferException =>
        throw new CorruptFileException(s"$what: ${e.getMessage}", cause = e)
    }
}
