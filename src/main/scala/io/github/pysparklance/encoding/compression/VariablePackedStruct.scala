// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.compression

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.proto.v2_1
import io.github.pysparklance.encoding.proto.v2_1.CompressiveEncoding
import io.github.pysparklance.encoding.proto.v2_1.VariablePackedStruct.FieldEncoding
import io.github.pysparklance.encoding.proto.v2_1.VariablePackedStruct.FieldEncoding.LayoutCase
import io.github.pysparklance.encoding.spi._
import io.github.pysparklance.encoding.value.Messages

/** Structs with members of any width, stored row by row. Each row is one value of a full-zip page.
  * Hot code: imperative. Source: message `VariablePackedStruct`, format page of the compressive
  * encodings, "VariablePackedStruct".
  *
  * {{{
  *   {1, "x"}   01000000 | 01000000 78        a = 1, one byte, "x"; fields one after the other
  * }}}
  * A member has `bits_per_value` bits, or follows a length of `bits_per_length` (32 or 64) bits. In
  * an empty row (a null struct), every member gets a placeholder. Since 2.2; variable per value
  * only.
  */
object VariablePackedStruct {

  /** @param choose finds the decoders of the members */
  def perValue(
      message: v2_1.VariablePackedStruct,
      valueType: ValueType,
      choose: DecoderChooser
  ): VariablePerValueDecoder = valueType match {
    case PackedStructType(children) =>
      CorruptFileException.check(
        message.getFieldsCount == children.length,
        s"VariablePackedStruct of ${message.getFieldsCount} fields, expected ${children.length}"
      )
      new PerValue(children.indices.map(i =>
        field(message.getFields(i), children(i), choose)
      ).toArray)
    case other => throw Messages.contradiction("VariablePackedStruct", other)
  }

  private def field(message: FieldEncoding, valueType: ValueType, choose: DecoderChooser): Field =
    message.getLayoutCase match {
      case LayoutCase.BITS_PER_VALUE =>
        val decoder = choose.fixedPerValue(message.getValue, valueType)
        CorruptFileException.check(
          message.getBitsPerValue == decoder.bytesPerValue * 8L,
          s"a field of ${message.getBitsPerValue} bits in a VariablePackedStruct, but values of " +
            s"${decoder.bytesPerValue * 8L} bits"
        )
        new FixedField(decoder)
      case LayoutCase.BITS_PER_LENGTH =>
        val bits = message.getBitsPerLength
        CorruptFileException.check(
          bits == 32 || bits == 64,
          s"lengths of $bits bits in a VariablePackedStruct"
        )
        new VariableField(choose.variablePerValue(message.getValue, valueType), bits.toInt / 8)
      case LayoutCase.LAYOUT_NOT_SET =>
        throw new CorruptFileException("a field of a VariablePackedStruct without its width")
    }

  sealed private trait Field {

    /** Appends the value at `at` of `row` to `out`. Returns the end of the value. */
    def decode(row: Buffer, at: Int, out: Values): Int
  }

  final private class FixedField(decoder: FixedPerValueDecoder) extends Field {
    def decode(row: Buffer, at: Int, out: Values): Int = {
      decoder.decode(row.slice(at.toLong, decoder.bytesPerValue.toLong), 1, out)
      at + decoder.bytesPerValue
    }
  }

  final private class VariableField(decoder: VariablePerValueDecoder, lengthBytes: Int)
      extends Field {
    def decode(row: Buffer, at: Int, out: Values): Int = {
      val length = if (lengthBytes == 4) row.u32(at) else row.u63(at, "the length of a field")
      val value = row.slice(at.toLong + lengthBytes, length)
      decoder.decode(value.array, value.offset, value.length, out)
      at + lengthBytes + value.length
    }
  }

  final private class PerValue(fields: Array[Field]) extends VariablePerValueDecoder {
    def decode(array: Array[Byte], offset: Int, length: Int, out: Values): Unit = {
      val values = out.asInstanceOf[PackedStructValues]
      if (length == 0) values.appendFiller(1)
      else {
        val row = new Buffer(array, offset, length)
        var at = 0
        var i = 0
        while (i < fields.length) {
          at = fields(i).decode(row, at, values.children(i))
          i += 1
        }
        CorruptFileException.check(
          at == length,
          s"a VariablePackedStruct of $length bytes, but its fields have $at"
        )
        values.extend(1)
      }
    }
  }

  /** The compressed values of a member. */
  sealed private trait Packed {
    def message: FieldEncoding
    def bytesAt(row: Int): Int

    /** Writes a row's member at `at`. Returns the end of the member. */
    def write(row: Int, out: Array[Byte], at: Int): Int
  }

  final private class PackedFixed(values: CompressedFixedValues) extends Packed {
    val message: FieldEncoding =
      FieldEncoding.newBuilder
        .setValue(values.encoding)
        .setBitsPerValue(values.bytesPerValue * 8L)
        .build

    def bytesAt(row: Int): Int = values.bytesPerValue

    def write(row: Int, out: Array[Byte], at: Int): Int = {
      val n = values.bytesPerValue
      System.arraycopy(values.bytes.array, values.bytes.offset + row * n, out, at, n)
      at + n
    }
  }

  final private class PackedVariable(values: CompressedVariableValues) extends Packed {
    private val bytes = values.values
    private val lengthBytes = values.bitsPerOffset / 8

    val message: FieldEncoding =
      FieldEncoding.newBuilder
        .setValue(values.encoding)
        .setBitsPerLength(values.bitsPerOffset.toLong)
        .build

    def bytesAt(row: Int): Int = lengthBytes + bytes.offsets(row + 1) - bytes.offsets(row)

    def write(row: Int, out: Array[Byte], at: Int): Int = {
      val from = bytes.offsets(row)
      val length = bytes.offsets(row + 1) - from
      if (lengthBytes == 4) Buffer.putInt(out, at, length)
      else Buffer.putLong(out, at, length.toLong)
      System.arraycopy(bytes.bytes, from, out, at + lengthBytes, length)
      at + lengthBytes + length
    }
  }

  /** Encodes each struct as one value.
    *
    * @param chooser chooses the compression of a member
    */
  def encode(
      values: PackedStructValues,
      members: IndexedSeq[ValueType],
      chooser: Int => EncoderChooser
  ): CompressedVariableValues = {
    val packed = members.indices.map { m =>
      (members(m), values.children(m)) match {
        case (FixedWidth(1), _) =>
          throw new UnsupportedFeatureException("a boolean in a packed struct")
        case (t @ VariableWidth(_), v) => new PackedVariable(chooser(m).variablePerValue(v, t))
        case (t @ (FixedWidth(_) | FixedSizeListType(_, _)), v) =>
          new PackedFixed(chooser(m).fixedPerValue(v, t))
        case (t, _) => throw new UnsupportedFeatureException(s"$t in a packed struct")
      }
    }.toArray[Packed]
    val message = v2_1.VariablePackedStruct.newBuilder
    packed.foreach(p => message.addFields(p.message))
    CompressedVariableValues(
      CompressiveEncoding.newBuilder.setVariablePackedStruct(message).build,
      32,
      rows(packed, values.numItems)
    )
  }

  private def rows(packed: Array[Packed], numRows: Int): BinaryValues = {
    val out = new BinaryValues
    out.reserve(numRows)
    var total = 0L
    var row = 0
    while (row < numRows) {
      var m = 0
      while (m < packed.length) {
        total += packed(m).bytesAt(row)
        m += 1
      }
      row += 1
    }
    out.reserveBytes(total)
    var at = 0
    row = 0
    while (row < numRows) {
      var m = 0
      while (m < packed.length) {
        at = packed(m).write(row, out.bytes, at)
        m += 1
      }
      row += 1
      out.offsets(row) = at
    }
    out.extend(numRows)
    out
  }
}
