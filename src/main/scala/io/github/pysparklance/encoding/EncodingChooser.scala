// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.compression._
import io.github.pysparklance.encoding.spi._

/** Chooses by statistics how the values of a page are compressed. Source: format page of the compressive encodings,
  * "Writer decision tables".
  */
final class EncodingChooser(val version: EncodingVersion) extends EncoderChooser {

  def miniBlock(values: Values, valueType: ValueType): CompressedMiniBlock = (values, valueType) match {
    case (v: BinaryValues, VariableWidth(offsetBits)) => Variable.encodeMiniBlock(v, offsetBits)
    case (_, FixedWidth(bits)) => fixedMiniBlock(values, bits)
    case _ => refuse(valueType, "mini-block")
  }

  private def fixedMiniBlock(values: Values, bits: Int): CompressedMiniBlock =
    if (isInteger(bits)) {
      val widths = BitpackingKernel.blockWidths(values)
      if (InlineBitpacking.estimateBytes(widths, bits) < values.numItems * (bits / 8L))
        InlineBitpacking.encodeMiniBlock(values, bits, widths)
      else Flat.encodeMiniBlock(values, bits)
    } else Flat.encodeMiniBlock(values, bits)

  def dictionary(values: Values, valueType: ValueType): Option[CompressedDictionary] = None

  def fixedPerValue(values: Values, valueType: ValueType): CompressedFixedValues = valueType match {
    case FixedWidth(bits) => Flat.encodePerValue(values, bits)
    case _ => refuse(valueType, "full-zip")
  }

  def variablePerValue(values: Values, valueType: ValueType): CompressedVariableValues =
    (values, valueType) match {
      case (v: BinaryValues, VariableWidth(bits)) =>
        CompressedVariableValues(Variable.message(bits), bits, v)
      case _ => refuse(valueType, "full-zip")
    }

  def levels(levels: Array[Short], numLevels: Int): LevelEncoder = 
    LevelEncoders.choose(levels, numLevels)

  private def isInteger(bits: Int): Boolean = bits == 8 || bits == 16 || bits == 32 || bits == 64

  private def refuse(valueType: ValueType, layout: String): Nothing =
    throw new UnsupportedFeatureException(s"values of $valueType in a $layout page")
}
