// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.compression

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.proto.v2_1
import io.github.pysparklance.encoding.spi._
import io.github.pysparklance.encoding.value.{Messages, RawValues}

/** One value for all positions, stored in the message without bytes in the page. Source: message
  * `Constant`, format page of the compressive encodings, "Constant".
  *
  * Without a value, every position is null and gets a placeholder. Writers use it for the items of
  * fixed-size lists that are all null (see [[FixedSizeList]]). Pages of one value have their own
  * layout. Since 2.1; since 2.3 also as a sequence of equal numbers.
  */
object Constant {

  def fixedPerValue(message: v2_1.Constant, valueType: ValueType): FixedPerValueDecoder =
    new PerValue(value(message, valueType))

  def block(message: v2_1.Constant, valueType: ValueType): BlockDecoder =
    new Block(value(message, valueType))

  /** Returns a decoder of equal numbers of 32 or 64 bits. */
  def sequence(message: v2_1.Constant, bits: Int): SequenceDecoder = {
    val bytes = message.getValue.toByteArray
    Messages.checkLength("Constant", bytes.length, 1, bits / 8L)
    val number =
      if (bits == 32) Buffer.intAt(bytes, 0) & 0xffffffffL else Buffer.longAt(bytes, 0)
    CorruptFileException.check(
      number >= 0,
      s"a sequence of the number ${java.lang.Long.toUnsignedString(number)}"
    )
    new ConstantSequence(Progression(number, 0))
  }

  /** Returns the value, or `None` if the message has none. */
  private def value(message: v2_1.Constant, valueType: ValueType): Option[Values] =
    if (!message.hasValue) None
    else {
      val bytes = message.getValue.toByteArray
      val one = Values.allocate(valueType)
      valueType match {
        case FixedWidth(bits) =>
          Messages.checkLength("Constant", bytes.length, 1, RawValues.numBytes(1, bits))
          RawValues.append(bytes, 0, bits, 0, 1, one)
        case other => throw Messages.contradiction(s"Constant of ${bytes.length} bytes", other)
      }
      Some(one)
    }

  private def append(value: Option[Values], count: Int, out: Values): Unit = value match {
    case Some(one) => out.appendRepeated(one, 0, count)
    case None => out.appendFiller(count)
  }

  final private class PerValue(value: Option[Values]) extends FixedPerValueDecoder {
    val bytesPerValue = 0

    def decode(bytes: Buffer, count: Int, out: Values): Unit = append(value, count, out)
  }

  final private class Block(value: Option[Values]) extends BlockDecoder {
    def decode(block: Buffer, numValues: Int, out: Values): Unit = append(value, numValues, out)
  }
  final private class ConstantSequence(number: Progression) extends SequenceDecoder {
    val hasPayload = false

    def progression(numValues: Long): Option[Progression] = Some(number)

    def decode(payload: Buffer, numValues: Int, out: Values): Unit =
      Sequences.append(number, numValues, out)
  }
}
