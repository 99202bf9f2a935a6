// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.compression

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.compression.bitpacking.{
  InlineBitpacking,
  OutOfLineBitpacking
}
import io.github.pysparklance.encoding.proto.v2_1.CompressiveEncoding
import io.github.pysparklance.encoding.proto.v2_1.CompressiveEncoding.CompressionCase._
import io.github.pysparklance.encoding.spi._
import io.github.pysparklance.encoding.value.Messages

/** Chooses the decoder of a `CompressiveEncoding` that encodes a sequence of unsigned numbers.
  * Source: format page of the compressive encodings, "2.3 generic unsigned sequences".
  *
  * {{{
  *   leaf      := Flat | Constant | Range | InlineBitpacking | OutOfLineBitpacking
  *   sequence  := leaf | Delta{leaf} | General{Flat} | Rle{leaf, leaf} | Dictionary{leaf, leaf}
  * }}}
  * An empty sequence is always a `Constant` without value.
  */
private[encoding] object Sequences {

  /** @param bits bits of a number: 32 or 64 */
  def decoder(encoding: CompressiveEncoding, bits: Int, choose: DecoderChooser): SequenceDecoder = {
    val isEmpty = encoding.hasConstant && !encoding.getConstant.hasValue
    new Counted(if (isEmpty) Empty else composite(encoding, bits, choose), isEmpty)
  }

  private def composite(
      encoding: CompressiveEncoding,
      bits: Int,
      choose: DecoderChooser
  ): SequenceDecoder = encoding.getCompressionCase match {
    case DELTA =>
      Delta.sequence(encoding.getDelta, bits, leaf(encoding.getDelta.getDeltas, bits))
    case GENERAL =>
      Messages.fixedWidth(
        "General",
        Messages.flatBits("General", encoding.getGeneral.getValues).toLong,
        FixedWidth(bits)
      ): Unit
      new Stored(General.block(encoding.getGeneral, FixedWidth(bits), choose))
    case RLE =>
      val rle = encoding.getRle
      RleSequence(rle, bits, leaf(rle.getValues, bits), leaf(rle.getRunLengths, 32))
    case DICTIONARY =>
      val dictionary = encoding.getDictionary
      Dictionary.sequence(
        dictionary,
        bits,
        leaf(dictionary.getIndices, 32),
        leaf(dictionary.getItems, bits)
      )
    case _ => leaf(encoding, bits)
  }

  private def leaf(encoding: CompressiveEncoding, bits: Int): SequenceDecoder = {
    val valueType = FixedWidth(bits)
    encoding.getCompressionCase match {
      case FLAT => new Stored(Flat.block(encoding.getFlat, valueType))
      case CONSTANT => Constant.sequence(encoding.getConstant, bits)
      case RANGE => Range.sequence(encoding.getRange, bits)
      case INLINE_BITPACKING =>
        new Stored(InlineBitpacking.block(encoding.getInlineBitpacking, valueType))
      case OUT_OF_LINE_BITPACKING =>
        val message = encoding.getOutOfLineBitpacking
        val width = Messages.flatBits("OutOfLineBitpacking", message.getValues)
        CorruptFileException.check(
          width > 0 && width < bits,
          s"OutOfLineBitpacking of numbers of $bits bits packed to $width"
        )
        new Stored(OutOfLineBitpacking.block(message, valueType))
      case other =>
        throw new UnsupportedFeatureException(s"$other as a child of a sequence of numbers")
    }
  }

  /** Returns the width of the numbers according to the description.
    *
    * @throws CorruptFileException if it is not 32 or 64
    */
  def bitsOf(encoding: CompressiveEncoding): Int = {
    val bits = encoding.getCompressionCase match {
      case FLAT => encoding.getFlat.getBitsPerValue
      case CONSTANT => encoding.getConstant.getValue.size * 8L
      case RANGE => encoding.getRange.getUncompressedBitsPerValue
      case DELTA => encoding.getDelta.getUncompressedBitsPerValue
      case INLINE_BITPACKING => encoding.getInlineBitpacking.getUncompressedBitsPerValue
      case OUT_OF_LINE_BITPACKING => encoding.getOutOfLineBitpacking.getUncompressedBitsPerValue
      case GENERAL => bitsOf(encoding.getGeneral.getValues).toLong
      case RLE => bitsOf(encoding.getRle.getValues).toLong
      case DICTIONARY => bitsOf(encoding.getDictionary.getItems).toLong
      case other => throw new UnsupportedFeatureException(s"$other as a sequence of numbers")
    }
    CorruptFileException.check(
      bits == 32 || bits == 64,
      s"a sequence of numbers of ${java.lang.Long.toUnsignedString(bits)} bits"
    )
    bits.toInt
  }

  /** Returns the highest number of `bits` bits, but at most 2^63 - 1. */
  private[compression] def mostOf(bits: Int): Long = if (bits == 32) 0xffffffffL else Long.MaxValue

  /** Appends the first `numValues` numbers of a progression. */
  private[compression] def append(numbers: Progression, numValues: Int, out: Values): Unit =
    out match {
      case v: IntValues =>
        val at = v.extend(numValues)
        var i = 0
        while (i < numValues) {
          v.array(at + i) = numbers(i.toLong).toInt
          i += 1
        }
      case v: LongValues =>
        val at = v.extend(numValues)
        var i = 0
        while (i < numValues) {
          v.array(at + i) = numbers(i.toLong)
          i += 1
        }
      case other =>
        throw new CorruptFileException(s"numbers as ${other.getClass.getSimpleName}")
    }

  /** Checks that a child without a payload has no bytes. */
  private[compression] def checkFramed(name: String, child: SequenceDecoder, numBytes: Long): Unit =
    if (!child.hasPayload && numBytes != 0)
      throw new CorruptFileException(s"$name of $numBytes bytes, expected none")

  /** An empty sequence. */
  private object Empty extends SequenceDecoder {
    val hasPayload = false
    def progression(numValues: Long): Option[Progression] = Some(Progression(0, 0))
    def decode(payload: Buffer, numValues: Int, out: Values): Unit = ()
  }

  /** Numbers stored as bytes. */
  final private class Stored(block: BlockDecoder) extends SequenceDecoder {
    val hasPayload = true
    def progression(numValues: Long): Option[Progression] = None
    def decode(payload: Buffer, numValues: Int, out: Values): Unit =
      block.decode(payload, numValues, out)
  }

  /** Checks that a sequence is empty if and only if its description declares it empty. */
  final private class Counted(inner: SequenceDecoder, isEmpty: Boolean) extends SequenceDecoder {
    def hasPayload: Boolean = inner.hasPayload

    def progression(numValues: Long): Option[Progression] = {
      check(numValues)
      inner.progression(numValues)
    }

    def decode(payload: Buffer, numValues: Int, out: Values): Unit = {
      check(numValues.toLong)
      inner.decode(payload, numValues, out)
    }

    private def check(numValues: Long): Unit =
      if ((numValues == 0) != isEmpty) {
        val declared = if (isEmpty) "none" else "some"
        throw new CorruptFileException(
          s"a sequence of $numValues numbers, but its description declares $declared"
        )
      }
  }
}
