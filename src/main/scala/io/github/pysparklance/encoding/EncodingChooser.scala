// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.compression._
import io.github.pysparklance.encoding.spi._

/** Chooses by statistics how the values of a page are compressed: the shortest of the encodings
  * that decode fast and are legal in the file version. Source: format page of the compressive
  * encodings, "Writer decision tables"; the dictionary is chosen by the size that its indices take
  * once they are packed, where the reference counts four bytes each.
  */
final class EncodingChooser(val version: EncodingVersion) extends EncoderChooser {

  /** A dictionary costs a look-up for each value, so it has to make the page this much shorter. */
  private val dictionaryRatio = 0.8

  private val isV2_1 = version == EncodingVersion.V2_1

  def miniBlock(values: Values, valueType: ValueType): CompressedMiniBlock =
    (values, valueType) match {
      case (v: BinaryValues, VariableWidth(offsetBits)) =>
        Fsst.code(v) match {
          case Some(coded) => Fsst.encodeMiniBlock(coded, offsetBits)
          case None => Variable.encodeMiniBlock(v, offsetBits)
        }
      case (_, FixedWidth(bits)) if isInteger(bits) => integerMiniBlock(values, bits)
      case (_, FixedWidth(bits)) => Flat.encodeMiniBlock(values, bits)
      case (v: FixedSizeListValues, _) => FixedSizeList.encodeMiniBlock(v, valueType)
      case (v: PackedStructValues, PackedStructType(children)) =>
        PackedStruct.encodeMiniBlock(v, children)
      case _ => refuse(valueType, "mini-block")
    }

  private def integerMiniBlock(values: Values, bits: Int): CompressedMiniBlock = {
    val plainBytes = values.numItems * (bits / 8L)
    val widths = BitpackingKernel.blockWidths(values)
    val packedBytes = InlineBitpacking.estimateBytes(widths, bits)
    val runBytes = Rle.estimateBytes(values, bits)
    if (runBytes < plainBytes && runBytes <= packedBytes) Rle.encodeMiniBlock(values, bits)
    else if (packedBytes < plainBytes) InlineBitpacking.encodeMiniBlock(values, bits, widths)
    else Flat.encodeMiniBlock(values, bits)
  }

  def dictionary(values: Values, valueType: ValueType): Option[CompressedDictionary] = {
    val isCandidate = valueType match {
      case VariableWidth(_) => true
      case FixedWidth(128) => true
      case FixedWidth(64) => !isV2_1
      case _ => false
    }
    if (!isCandidate) None
    else
      PageDictionary.build(values).filter(pays(_, values)).map { found =>
        CompressedDictionary(
          found.indices,
          itemsBlock(found.items, valueType),
          found.items.numItems
        )
      }
  }

  private def pays(found: PageDictionary, values: Values): Boolean = {
    val indexBits = 32 - Integer.numberOfLeadingZeros(math.max(0, found.items.numItems - 1))
    val withDictionary = found.items.sizeInBytes + found.indices.numItems.toLong * indexBits / 8
    val without = values match {
      case v: LongValues =>
        val packed = InlineBitpacking.estimateBytes(BitpackingKernel.blockWidths(v), 64)
        math.min(packed, Rle.estimateBytes(v, 64))
      case v => v.sizeInBytes
    }
    withDictionary <= without * dictionaryRatio
  }

  def dictionaryItems(items: Values, valueType: ValueType): CompressedBlock =
    itemsBlock(items, valueType)

  private def itemsBlock(items: Values, valueType: ValueType): CompressedBlock = {
    val plain = (items, valueType) match {
      case (v: BinaryValues, VariableWidth(offsetBits)) => Variable.encodeBlock(v, offsetBits)
      case (_, FixedWidth(bits)) => Flat.encodeBlock(items, bits)
      case _ => refuse(valueType, "dictionary")
    }
    if (isV2_1) plain
    else {
      val compressed = General.encodeBlockLz4(plain)
      if (compressed.bytes.length < plain.bytes.length) compressed else plain
    }
  }

  def fixedPerValue(values: Values, valueType: ValueType): CompressedFixedValues =
    (values, valueType) match {
      case (_, FixedWidth(bits)) => Flat.encodePerValue(values, bits)
      case (v: FixedSizeListValues, _) => FixedSizeList.encodePerValue(v, valueType)
      case _ => refuse(valueType, "full-zip")
    }

  def variablePerValue(values: Values, valueType: ValueType): CompressedVariableValues =
    (values, valueType) match {
      case (v: BinaryValues, VariableWidth(bits)) =>
        Fsst.code(v) match {
          case Some(coded) =>
            CompressedVariableValues(Fsst.message(coded.symbolTable, bits), bits, coded.codes)
          case None => CompressedVariableValues(Variable.message(bits), bits, v)
        }
      case (v: PackedStructValues, PackedStructType(members)) =>
        VariablePackedStruct.encode(v, members, this)
      case _ => refuse(valueType, "full-zip")
    }

  def levels(levels: Array[Short], numLevels: Int): LevelEncoder =
    LevelEncoders.choose(levels, numLevels, allowsRuns = !isV2_1)

  private def isInteger(bits: Int): Boolean = bits == 8 || bits == 16 || bits == 32 || bits == 64

  private def refuse(valueType: ValueType, layout: String): Nothing =
    throw new UnsupportedFeatureException(s"values of $valueType in a $layout page")
}
