// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.layout.planar

import com.google.protobuf.ByteString

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.layout.{FullZipLayout, Levels, MiniBlockLayout, PageEncoder}
import io.github.pysparklance.encoding.proto.v2_1.{PageLayout, RepDefLayer}
import io.github.pysparklance.encoding.proto.v2_3
import io.github.pysparklance.encoding.spi._
import io.github.pysparklance.encoding.value.RawValues

/** Encodes pages of version 2.3 as release 14 of the reference does. Source: message
  * `PlanarLayout`; format page of the structural encodings, "Version 2.3".
  *
  * Most pages are dense: 2.2 layouts in another description. The following pages are sparse:
  * {{{
  *   pages without values, unless they are only null rows          dense pages cannot express them
  *   one number or boolean with nulls or lists                     positions are shorter than levels
  *   wide values, more than half of them null                      dense pages reserve room for nulls
  *   more than 65,535 rows with values in few of their lists
  *   columns that request it
  * }}}
  */
final private[encoding] class PlanarForm(chooser: EncoderChooser) extends PageForm {
  import PlanarForm._

  def page(numRows: Long, layout: PageLayout, buffers: IndexedSeq[Buffer]): EncodedPage =
    encoded(numRows, DensePlanes(layout), buffers)

  def own(page: LeafPage, leaf: Field): Option[EncodedPage] = {
    val firstValid = Levels.firstValid(page)
    if (firstValid < 0)
      if (page.layers == IndexedSeq(RepDefLayer.REPDEF_NULLABLE_ITEM)) None
      else Some(sparse(page, SparseWriter(page), noValues))
    else if (leaf.logicalType.isInstanceOf[LogicalType.Dictionary]) None
    else constant(page, leaf.valueType, firstValid).orElse(stored(page, leaf.valueType))
  }

  private def constant(
      page: LeafPage,
      valueType: ValueType,
      firstValid: Int
  ): Option[EncodedPage] = valueType match {
    case FixedWidth(bits) if bits <= maxScalarBits && Levels.allEqual(page, firstValid) =>
      val values = constantPlane(page.values, bits, firstValid)
      if (page.definition == null && page.repetition == null)
        Some(encoded(
          page.numRows.toLong,
          v2_3.PlanarLayout
            .newBuilder()
            .setStructure(DensePlanes.structure(java.util.Arrays.asList(page.layers: _*)))
            .setValues(values.plane)
            .build(),
          IndexedSeq.empty
        ))
      else {
        val structure = SparseWriter(page)
        if (structure.numBytes <= math.max(fewBytes, levelBytes(page)))
          Some(sparse(page, structure, values))
        else None
      }
    case _ => None
  }

  private def stored(page: LeafPage, valueType: ValueType): Option[EncodedPage] = {
    val hasStructure = page.repetition != null || page.definition != null
    val hasWide = valueType match {
      case FixedWidth(bits) => bits >= wideBits
      case FixedSizeListType(_, _) | VariableWidth(_) => isWide(page.values)
      case _ => false
    }
    val numSlots = page.values.numItems
    if (!hasStructure || numSlots == 0) None
    else if (
      chooser.structural.contains(StructuralEncoding.Sparse) &&
      !page.values.isInstanceOf[PackedStructValues]
    ) {
      val structure = SparseWriter(page)
      val values =
        if (isWide(page.values)) zipped(structure.valid(page.values, valueType), valueType)
        else chunked(page.values, valueType)
      Some(sparse(page, structure, values))
    } else if (hasWide) {
      val structure = SparseWriter(page)
      if (structure.numValid < numSlots / 2)
        Some(sparse(page, structure, zipped(structure.valid(page.values, valueType), valueType)))
      else None
    } else if (
      isMostlyEmpty(page) && !isWide(page.values) && !page.values.isInstanceOf[PackedStructValues]
    )
      Some(sparse(page, SparseWriter(page), chunked(page.values, valueType)))
    else None
  }

  private def isMostlyEmpty(page: LeafPage): Boolean =
    page.repetition != null && page.numRows > manyRows && page.values.numItems < page.numRows / 16

  private def chunked(values: Values, valueType: ValueType): PlanarValues = {
    val compressed = chooser.miniBlock(values, valueType)
    val flat = flatPage(values)
    val (layout, buffers) = MiniBlockLayout
      .encode(flat, compressed, None, chooser)
      .getOrElse(throw new IllegalStateException("a page without levels whose levels do not fit"))
    val dense = DensePlanes(layout).getValues.getChunked.toBuilder.clearLevels().clearNumItems()
    PlanarValues(v2_3.ValuePlane.newBuilder().setChunked(dense).build(), buffers)
  }

  private def zipped(values: Values, valueType: ValueType): PlanarValues = {
    val (layout, buffers) = FullZipLayout.encode(flatPage(values), valueType, chooser)
    val dense = DensePlanes(layout).getValues.getZipped.toBuilder.clearLevels()
    PlanarValues(v2_3.ValuePlane.newBuilder().setZipped(dense).build(), buffers)
  }

  private def sparse(
      page: LeafPage,
      structure: SparseWriter,
      values: PlanarValues
  ): EncodedPage = encoded(
    page.numRows.toLong,
    v2_3.PlanarLayout
      .newBuilder()
      .setStructure(v2_3.StructuralPlane.newBuilder().setSparse(structure.message))
      .setValues(values.plane)
      .build(),
    values.buffers ++ structure.buffers
  )

  private def encoded(
      numRows: Long,
      message: v2_3.PlanarLayout,
      buffers: IndexedSeq[Buffer]
  ): EncodedPage = EncodedPage(numRows, typeUrl, message.toByteArray, buffers)
}

private object PlanarForm {
  val typeUrl = "/lance.encodings23.PlanarLayout"

  /** Maximum width of a constant that the message can hold. */
  val maxScalarBits: Int = 32 * 8

  /** Values of at least this width are wide. */
  val wideBits: Int = 256 * 8

  /** Structures this short are used without comparing sizes. */
  val fewBytes: Long = 256L

  val manyRows: Int = 65535

  def isWide(values: Values): Boolean = PageEncoder.maxBytes(values) >= PageEncoder.fullZipBytes

  /** The values of a page with their buffers. */
  final case class PlanarValues(plane: v2_3.ValuePlane, buffers: IndexedSeq[Buffer])

  val noValues: PlanarValues = PlanarValues(
    v2_3.ValuePlane.newBuilder().setNone(v2_3.NoValues.getDefaultInstance).build(),
    IndexedSeq.empty
  )

  def constantPlane(values: Values, bits: Int, at: Int): PlanarValues = {
    val one = Values.allocate(FixedWidth(bits))
    one.appendFrom(values, at, 1)
    val scalar = chars(one, bits)
    PlanarValues(
      v2_3.ValuePlane
        .newBuilder()
        .setConstant(v2_3.ConstantValue.newBuilder().setScalar(scalar))
        .build(),
      IndexedSeq.empty
    )
  }

  private def chars(one: Values, bits: Int): ByteString = {
    val bytes = new Array[Byte]((bits + 7) / 8)
    RawValues.copy(one, math.max(8, bits), 0, 1, bytes, 0)
    ByteString.copyFrom(bytes)
  }

  /** Returns the values as a page without nulls and lists, one per row. */
  def flatPage(values: Values): LeafPage = LeafPage(
    values.numItems,
    IndexedSeq(RepDefLayer.REPDEF_ALL_VALID_ITEM),
    null,
    null,
    values.numItems,
    values
  )

  /** Returns the bytes of a page's levels when bit-packed. */
  def levelBytes(page: LeafPage): Long = {
    def bytes(levels: Array[Short]): Long =
      if (levels == null) 0L
      else page.numLevels.toLong * Levels.bitLength(Levels.max(levels, page.numLevels)) / 8
    bytes(page.repetition) + bytes(page.definition)
  }
}
