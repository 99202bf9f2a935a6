// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.compression

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.proto.v2_1
import io.github.pysparklance.encoding.proto.v2_1.CompressiveEncoding
import io.github.pysparklance.encoding.spi._
import io.github.pysparklance.encoding.value.{Messages, RawValues}

/** Structs of fixed-width members, stored row by row. Source: message `PackedStruct`, format page
  * of the compressive encodings, "PackedStruct".
  *
  * {{{
  *   {a: i32, b: i64, c: u8}, 32 + 64 + 8 bits   00000000 0000000000000000 00 | 01000000 ...
  * }}}
  * `values` is Flat with the width of a row. Members have whole bytes and no nulls. Used if the
  * field's metadata contain `packed`. Since 2.1.
  */
object PackedStruct {

  def miniBlock(message: v2_1.PackedStruct, valueType: ValueType): MiniBlockDecoder =
    new MiniBlock(widths(message, valueType))

  def fixedPerValue(message: v2_1.PackedStruct, valueType: ValueType): FixedPerValueDecoder =
    new PerValue(widths(message, valueType))

  private def childBits(valueType: ValueType): Int = valueType match {
    case FixedWidth(bits) if bits % 8 == 0 => bits
    case other => throw new UnsupportedFeatureException(s"a field of $other in a PackedStruct")
  }

  private def widths(message: v2_1.PackedStruct, valueType: ValueType): Array[Int] =
    valueType match {
      case PackedStructType(children) =>
        val expected = children.map(childBits)
        val stored = (0 until message.getBitsPerValueCount).map(message.getBitsPerValue)
        CorruptFileException.check(
          stored == expected.map(_.toLong),
          s"PackedStruct with fields of ${stored.mkString(", ")} bits, expected ${expected.mkString(", ")}"
        )
        val row = Messages.flatBits("PackedStruct", message.getValues)
        CorruptFileException.check(
          row.toLong == stored.sum && row > 0,
          s"PackedStruct with rows of $row bits, but fields of ${stored.sum} bits"
        )
        expected.toArray
      case other => throw Messages.contradiction("PackedStruct", other)
    }

  /** Splits `count` rows into their members. */
  final private class Rows(bits: Array[Int]) {
    val bytesPerRow: Int = bits.sum / 8
    private val scratch = bits.map(b => new Array[Byte](256 * b / 8))

    def append(array: Array[Byte], at: Int, count: Int, out: Values): Unit = {
      val values = out.asInstanceOf[PackedStructValues]
      var done = 0
      while (done < count) {
        val n = math.min(256, count - done)
        var fieldAt = at + done * bytesPerRow
        var field = 0
        while (field < bits.length) {
          val width = bits(field) / 8
          gather(array, fieldAt, width, n, scratch(field))
          RawValues.append(scratch(field), 0, bits(field), 0, n, values.children(field))
          fieldAt += width
          field += 1
        }
        done += n
      }
      values.extend(count)
    }

    private def gather(array: Array[Byte], at: Int, width: Int, n: Int, out: Array[Byte]): Unit = {
      var i = 0
      while (i < n) {
        val from = at + i * bytesPerRow
        var k = 0
        while (k < width) {
          out(i * width + k) = array(from + k)
          k += 1
        }
        i += 1
      }
    }
  }

  final private class MiniBlock(bits: Array[Int]) extends MiniBlockDecoder {
    val numBuffers = 1
    private val rows = new Rows(bits)

    def decode(buffers: Array[Buffer], numValues: Int, from: Int, count: Int, out: Values): Unit = {
      Messages.checkNumBuffers("PackedStruct", buffers, 1)
      Messages.checkSlice(numValues, from, count)
      val buffer = buffers(0)
      val wanted = numValues.toLong * rows.bytesPerRow
      Messages.checkLength("PackedStruct", buffer.length, numValues.toLong, wanted)
      rows.append(buffer.array, buffer.offset + from * rows.bytesPerRow, count, out)
    }
  }

  final private class PerValue(bits: Array[Int]) extends FixedPerValueDecoder {
    private val rows = new Rows(bits)
    val bytesPerValue: Int = rows.bytesPerRow

    def decode(bytes: Buffer, count: Int, out: Values): Unit = {
      CorruptFileException.check(
        count.toLong * bytesPerValue <= bytes.length,
        s"${bytes.length} bytes for $count values of $bytesPerValue bytes"
      )
      rows.append(bytes.array, bytes.offset, count, out)
    }
  }

  /** Checks that a chunk can hold two rows.
    *
    * @throws UnsupportedFeatureException if it cannot, and for members without whole bytes
    */
  def checkWidth(children: IndexedSeq[ValueType]): Unit =
    Flat.chunkValues(children.map(childBits(_).toLong).sum): Unit

  /** Encodes all rows in plain chunks. */
  def encodeMiniBlock(
      values: PackedStructValues,
      children: IndexedSeq[ValueType]
  ): CompressedMiniBlock = {
    val bits = children.map(childBits)
    val bytesPerRow = bits.sum / 8
    val rows = new WideValues(bytesPerRow)
    rows.extend(values.numItems): Unit
    var fieldAt = 0
    bits.indices.foreach { field =>
      val width = bits(field) / 8
      val column = Flat.plainBytes(values.children(field), bits(field))
      var i = 0
      while (i < values.numItems) {
        System.arraycopy(column, i * width, rows.bytes, i * bytesPerRow + fieldAt, width)
        i += 1
      }
      fieldAt += width
    }
    val flat = Flat.encodeMiniBlock(rows, bits.sum)
    CompressedMiniBlock(message(bits), flat.chunks)
  }

  private def message(bits: IndexedSeq[Int]): CompressiveEncoding = {
    val struct = v2_1.PackedStruct.newBuilder.setValues(Messages.flat(bits.sum))
    bits.foreach(b => struct.addBitsPerValue(b.toLong))
    CompressiveEncoding.newBuilder.setPackedStruct(struct).build
  }
}
