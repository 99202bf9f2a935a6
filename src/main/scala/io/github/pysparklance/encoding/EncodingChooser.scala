// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.compression._
import io.github.pysparklance.encoding.layout.planar.PlanarForm
import io.github.pysparklance.encoding.spi._

/** Chooses the compression of a page from the statistics of its values. Picks the shortest of the
  * encodings that decode fast and are legal in the file version, unless the column requests
  * another.
  *
  * Source: format page of the compressive encodings, "Writer decision tables". Differs from the
  * reference in two points. A dictionary is judged by the size of its bit-packed indices instead of
  * four bytes per index, and a general-purpose compressor is used wherever it saves much.
  *
  * @param options requested by the column
  * @param members requested by the members of a packed struct
  */
final class EncodingChooser(
    val version: EncodingVersion,
    options: EncodingOptions = EncodingOptions.default,
    members: IndexedSeq[EncodingOptions] = IndexedSeq.empty
) extends EncoderChooser {

  /** A dictionary costs a lookup per value, so it must shrink the page to this share. */
  private val dictionaryRatio = 0.8

  val form: PageForm =
    if (version == EncodingVersion.V2_3) new PlanarForm(this) else PageForm.Layouts

  private val isV2_1 = version == EncodingVersion.V2_1
  private val numbers = new NumberChooser(options)
  private val strings = new StringChooser(options, version)

  def structural: Option[StructuralEncoding] = options.structural

  def miniBlock(values: Values, valueType: ValueType): CompressedMiniBlock =
    (values, valueType) match {
      case (v: BinaryValues, VariableWidth(offsetBits)) => strings.miniBlock(v, offsetBits)
      case (_, FixedWidth(bits)) => numbers.miniBlock(values, bits)
      case (v: FixedSizeListValues, _) => FixedSizeList.encodeMiniBlock(v, valueType)
      case (v: PackedStructValues, PackedStructType(children)) =>
        PackedStruct.encodeMiniBlock(v, children)
      case _ => reject(valueType, "mini-block")
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
      PageDictionary.build(values, options.dictDivisor, options.dictMaxBytes).filter(
        pays(_, values)
      ).map { found =>
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
    options.dictSizeRatio match {
      case Some(ratio) => withDictionary <= values.sizeInBytes * ratio
      case None =>
        val without = values match {
          case v: LongValues => numbers.lightBytes(v, 64)
          case v => v.sizeInBytes
        }
        withDictionary <= without * dictionaryRatio
    }
  }

  def dictionaryItems(items: Values, valueType: ValueType): CompressedBlock =
    itemsBlock(items, valueType)

  private def itemsBlock(items: Values, valueType: ValueType): CompressedBlock = {
    val plain = (items, valueType) match {
      case (v: BinaryValues, VariableWidth(offsetBits)) => Variable.encodeBlock(v, offsetBits)
      case (_, FixedWidth(bits)) => Flat.encodeBlock(items, bits)
      case _ => reject(valueType, "dictionary")
    }
    if (isV2_1) plain
    else
      options.dictValues match {
        case Some(CompressionRequest.General(scheme)) => General.encodeBlock(plain, scheme)
        case Some(_) => plain
        case None =>
          val compressed = General.encodeBlockLz4(plain)
          if (compressed.bytes.length < plain.bytes.length) compressed else plain
      }
  }

  def fixedPerValue(values: Values, valueType: ValueType): CompressedFixedValues =
    (values, valueType) match {
      case (_, FixedWidth(bits)) => Flat.encodePerValue(values, bits)
      case (v: FixedSizeListValues, _) => FixedSizeList.encodePerValue(v, valueType)
      case _ => reject(valueType, "full-zip")
    }

  def variablePerValue(values: Values, valueType: ValueType): CompressedVariableValues =
    (values, valueType) match {
      case (v: BinaryValues, VariableWidth(offsetBits)) => strings.perValue(v, offsetBits)
      case (v: PackedStructValues, PackedStructType(types)) =>
        VariablePackedStruct.encode(v, types, member)
      case _ => reject(valueType, "full-zip")
    }

  def beatsConstant(values: Values, item: Int, numRows: Int): Boolean = values match {
    case v: BinaryValues => strings.beatsConstant(v, item, numRows)
    case _ => false
  }

  private def member(i: Int): EncodingChooser =
    new EncodingChooser(version, members.lift(i).getOrElse(EncodingOptions.default))

  def levels(levels: Array[Short], numLevels: Int): LevelEncoder =
    LevelEncoders.choose(
      levels,
      numLevels,
      allowsRuns = !isV2_1,
      allowsLongRuns = version == EncodingVersion.V2_3
    )

  private def reject(valueType: ValueType, layout: String): Nothing =
    throw new UnsupportedFeatureException(s"values of $valueType in a $layout page")
}
