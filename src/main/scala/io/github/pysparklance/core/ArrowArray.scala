// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.core

import java.nio.{ByteBuffer, ByteOrder, IntBuffer, LongBuffer, ShortBuffer}

/** A column in the memory layout of Apache Arrow, for engines that read Arrow buffers. Has the
  * parts of Arrow's C data interface.
  *
  * Where the layouts agree, buffers are read-only views of the column's arrays and valid as long as
  * these are (see [[Column]]). The parts listed under "copied" are copies. Numbers are in the byte
  * order of the machine.
  *
  * {{{
  *   column                                buffers                         children   copied
  *   numbers, dates, times, decimals,
  *     fixed-size binary                   validity, values
  *   boolean                               validity, values as bits                   values
  *   string, binary, JSON                  validity, 32-bit offsets, bytes
  *   list, map                             validity, 32-bit offsets        items
  *   fixed-size list                       validity                        items
  *   struct, packed struct                 validity                        members
  *   dictionary-encoded, any type          validity, 32-bit indices
  *   one value for all rows                validity, indices 0                        indices
  *   nulls only                            none
  * }}}
  * For the two kinds before the last, `dictionary` is set. For the last, the Arrow type is `null`.
  * A column of any type can have these forms, and the form can change from batch to batch. Offsets
  * of large types have 32 bits, too.
  *
  * @param length number of slots
  * @param nullCount number of null slots
  * @param buffers the validity is `None` if the column has no nulls
  * @param dictionary the values that the indices refer to; the index of a null slot is undefined
  */
final case class ArrowArray(
    length: Int,
    nullCount: Int,
    buffers: IndexedSeq[Option[java.nio.Buffer]],
    children: IndexedSeq[ArrowArray],
    dictionary: Option[ArrowArray]
)

object ArrowArray {

  /** Returns the column as an Arrow array.
    *
    * @param field the column's field, pruned to the children that the column has
    * @throws InvalidRequestException if the column does not have the field's shape
    */
  def of(column: Column, field: Field): ArrowArray = column match {
    case LeafColumn(values, validity) => leaf(values, values.numItems, validity, field)
    case ConstantColumn(value, numRows, validity) =>
      val indices = IntBuffer.allocate(numRows).asReadOnlyBuffer()
      indexed(numRows, validity, indices, leaf(value, 1, null, field))
    case NullColumn(numRows) =>
      ArrowArray(numRows, numRows, IndexedSeq.empty, IndexedSeq.empty, None)
    case ListColumn(numRows, offsets, items, validity) =>
      val buffer = ints(offsets, numRows + 1)
      nested(numRows, validity, IndexedSeq(buffer), IndexedSeq(of(items, child(field, 0))))
    case FixedSizeListColumn(numRows, _, items, validity) =>
      nested(numRows, validity, IndexedSeq.empty, IndexedSeq(of(items, itemOf(field))))
    case StructColumn(numRows, children, validity) =>
      val arrays = children.indices.map(i => of(children(i), child(field, i)))
      nested(numRows, validity, IndexedSeq.empty, arrays)
  }

  private def leaf(values: Values, n: Int, validity: Validity, field: Field): ArrowArray =
    values match {
      case DictionaryValues(indices, items) =>
        indexed(n, validity, ints(indices.array, n), leaf(items, items.numItems, null, field))
      case v: FixedSizeListValues =>
        val items = leaf(v.items, v.items.numItems, v.itemValidity, itemOf(field))
        nested(n, validity, IndexedSeq.empty, IndexedSeq(items))
      case v: PackedStructValues =>
        val members = v.children.indices.map { i =>
          leaf(v.children(i), n, null, child(field, i))
        }
        nested(n, validity, IndexedSeq.empty, members)
      case v: BinaryValues =>
        plain(n, validity, ints(v.offsets, n + 1), bytes(v.bytes, v.offsets(n)))
      case v: ByteValues =>
        plain(n, validity, if (isBoolean(field)) bits(v.array, n) else bytes(v.array, n))
      case v: ShortValues => plain(n, validity, ShortBuffer.wrap(v.array, 0, n).asReadOnlyBuffer())
      case v: IntValues => plain(n, validity, ints(v.array, n))
      case v: LongValues => plain(n, validity, LongBuffer.wrap(v.array, 0, n).asReadOnlyBuffer())
      case v: WideValues => plain(n, validity, bytes(v.bytes, n * v.bytesPerValue))
    }

  private def plain(n: Int, validity: Validity, buffers: java.nio.Buffer*): ArrowArray =
    nested(n, validity, buffers.toIndexedSeq, IndexedSeq.empty)

  private def nested(
      n: Int,
      validity: Validity,
      buffers: IndexedSeq[java.nio.Buffer],
      children: IndexedSeq[ArrowArray]
  ): ArrowArray = ArrowArray(
    n,
    if (validity == null) 0 else validity.numNulls,
    bitmap(validity) +: buffers.map(Option(_)),
    children,
    None
  )

  private def indexed(
      n: Int,
      validity: Validity,
      indices: java.nio.Buffer,
      items: ArrowArray
  ): ArrowArray = plain(n, validity, indices).copy(dictionary = Some(items))

  /** Arrow bitmaps have the same bit order. On big-endian machines the words are copied. */
  private def bitmap(validity: Validity): Option[java.nio.Buffer] =
    Optional.when(validity != null && validity.hasNulls) {
      val numWords = (validity.numItems + 63) >> 6
      val words = LongBuffer.wrap(validity.words, 0, numWords)
      if (ByteOrder.nativeOrder == ByteOrder.LITTLE_ENDIAN) words.asReadOnlyBuffer()
      else {
        val copy = ByteBuffer.allocate(numWords * 8).order(ByteOrder.LITTLE_ENDIAN)
        copy.asLongBuffer().put(words)
        copy.asReadOnlyBuffer()
      }
    }

  private def ints(array: Array[Int], n: Int): IntBuffer =
    IntBuffer.wrap(array, 0, n).asReadOnlyBuffer()

  private def bytes(array: Array[Byte], n: Int): ByteBuffer =
    ByteBuffer.wrap(array, 0, n).asReadOnlyBuffer()

  /** Packs one boolean per byte into one per bit, least significant bit first. */
  private def bits(values: Array[Byte], n: Int): ByteBuffer = {
    val out = new Array[Byte]((n + 7) >> 3)
    var i = 0
    while (i < n) {
      out(i >> 3) = (out(i >> 3) | values(i) << (i & 7)).toByte
      i += 1
    }
    ByteBuffer.wrap(out).asReadOnlyBuffer()
  }

  private def isBoolean(field: Field): Boolean = field.logicalType match {
    case LogicalType.Bool | LogicalType.Dictionary(LogicalType.Bool, _, _) => true
    case _ => false
  }

  private def child(field: Field, i: Int): Field =
    if (i < field.children.length) field.children(i)
    else
      throw new InvalidRequestException(
        s"the column has ${i + 1} children or more, expected ${field.children.length}",
        Place(column = Some(field.name))
      )

  /** The item field of a fixed-size list. The schema has a child field for it only if items are
    * structs.
    */
  private def itemOf(field: Field): Field = field.logicalType match {
    case LogicalType.FixedSizeList(item, _) if field.children.isEmpty =>
      Field(Field.Unassigned, "item", item, nullable = true)
    case _ => child(field, 0)
  }
}
