// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.layout

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.compression.{FixedSizeList, Flat}
import io.github.pysparklance.encoding.proto.v2_1.PageLayout
import io.github.pysparklance.encoding.spi._

/** Chooses the layout of a page and encodes it.
  *
  * Source: format page of the structural encodings, "Layout choice per page".
  *
  * @param leaf the field of the pages' values
  */
final private[layout] class PageEncoder(leaf: Field, chooser: EncoderChooser) {
  private val valueType = leaf.valueType
  private val isBlobPage = leaf.isBlob && !leaf.isBlobV2
  private val isZipped = valueType match {
    case packed: PackedStructType => !PageEncoder.hasFixedWidth(packed)
    case _ => false
  }

  /** Returns the page, or several pages if a chunk cannot hold the levels of its lists. */
  def encode(page: LeafPage): IndexedSeq[EncodedPage] =
    if (leaf.isEmptyStruct) one(page, EmptyStructs.encode(page, leaf))
    else if (isBlobPage) one(page, BlobLayout.encode(page, chooser))
    else chooser.form.own(page, leaf).fold(encodeLayout(page))(IndexedSeq(_))

  private def encodeLayout(page: LeafPage): IndexedSeq[EncodedPage] = {
    val firstValid = Levels.firstValid(page)
    if (firstValid < 0) one(page, ConstantLayout.encodeNulls(page, chooser))
    else
      leaf.logicalType match {
        case LogicalType.Dictionary(_, index, _) =>
          val dictionary = DictionaryPages.encode(page, leaf, chooser)
          miniBlock(page, DictionaryPages.indices(dictionary, index, chooser), Some(dictionary))
        case _ => encodeValues(page, firstValid)
      }
  }

  private def encodeValues(page: LeafPage, firstValid: Int): IndexedSeq[EncodedPage] =
    if (isConstant(page, firstValid))
      one(page, ConstantLayout.encodeValue(page, valueType, firstValid))
    else if (isZipped) one(page, FullZipLayout.encode(page, valueType, chooser))
    else
      chooser.dictionary(page.values, valueType) match {
        case Some(dictionary) =>
          val indices = chooser.miniBlock(dictionary.indices, FixedWidth(32))
          miniBlock(page, indices, Some(dictionary))
        case None if prefersMiniBlock(page.values) =>
          miniBlock(page, chooser.miniBlock(page.values, valueType), None)
        case None => one(page, FullZipLayout.encode(page, valueType, chooser))
      }

  /** Packed structs of fixed width are zipped only since 2.3. */
  private def prefersMiniBlock(values: Values): Boolean =
    values.isInstanceOf[PackedStructValues] ||
      (chooser.structural match {
        case Some(StructuralEncoding.MiniBlock) => fitsChunks(values)
        case Some(StructuralEncoding.FullZip) => false
        case _ => PageEncoder.maxBytes(values) < PageEncoder.fullZipBytes
      })

  /** Whether chunks can hold the values. Strings that are too long are detected later, when they
    * are split into chunks.
    */
  private def fitsChunks(values: Values): Boolean = (values, valueType) match {
    case (_, FixedWidth(bits)) => Flat.fitsChunk(bits.toLong)
    case (v: FixedSizeListValues, _) => Flat.fitsChunk(FixedSizeList.chunkBits(v, valueType))
    case _ => true
  }

  /** Levels of constant pages are not compressed, so a mini-block page with many levels is smaller.
    */
  private def isConstant(page: LeafPage, firstValid: Int): Boolean = {
    val few = (page.repetition == null && page.definition == null) ||
      page.numLevels <= PageEncoder.maxConstantLevels
    val plain = valueType match {
      case FixedWidth(_) | VariableWidth(_) => true
      case _ => false
    }
    chooser.version == EncodingVersion.V2_2 && few && plain &&
    Levels.allEqual(page, firstValid) && !isLongConstant(page, firstValid)
  }

  /** Whether compressed values are smaller than one long uncompressed value. Only for values that
    * chunks cannot hold.
    */
  private def isLongConstant(page: LeafPage, firstValid: Int): Boolean =
    !chooser.structural.contains(StructuralEncoding.MiniBlock) &&
      chooser.beatsConstant(page.values, firstValid, page.values.numItems)

  /** Splits pages whose chunks are too long. If a single row is too long, falls back to full-zip.
    */
  private def miniBlock(
      page: LeafPage,
      values: CompressedMiniBlock,
      dictionary: Option[CompressedDictionary]
  ): IndexedSeq[EncodedPage] =
    MiniBlockLayout.encode(page, values, dictionary, chooser) match {
      case Some(encoded) => one(page, encoded)
      case None if page.repetition != null && page.numRows > 1 =>
        val (head, tail) = Levels.halve(page, valueType)
        encode(head) ++ encode(tail)
      case None => one(page, FullZipLayout.encode(page, valueType, chooser))
    }

  private def one(
      page: LeafPage,
      encoded: (PageLayout, IndexedSeq[Buffer])
  ): IndexedSeq[EncodedPage] =
    IndexedSeq(chooser.form.page(page.numRows.toLong, encoded._1, encoded._2))
}

private[layout] object PageEncoder {

  /** Values of at least this many bytes are zipped. */
  val fullZipBytes = 256

  val maxConstantLevels = 4096

  /** Whether every member of a packed struct has a fixed width. */
  def hasFixedWidth(packed: PackedStructType): Boolean = packed.children.forall {
    case FixedWidth(_) => true
    case _ => false
  }

  /** Returns the bytes of the longest value. */
  def maxBytes(values: Values): Int = values match {
    case _: ByteValues => 1
    case _: ShortValues => 2
    case _: IntValues => 4
    case _: LongValues => 8
    case v: WideValues => v.bytesPerValue
    case v: FixedSizeListValues => Math.multiplyExact(v.dimension, maxBytes(v.items))
    case v: PackedStructValues => v.children.map(maxBytes).sum
    case v: DictionaryValues => maxBytes(v.items)
    case v: BinaryValues =>
      var longest = 0
      var i = 0
      while (i < v.numItems) {
        longest = math.max(longest, v.offsets(i + 1) - v.offsets(i))
        i += 1
      }
      longest
  }
}
