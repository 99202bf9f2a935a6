// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.core

import java.nio.{ByteBuffer, ByteOrder, IntBuffer, LongBuffer, ShortBuffer}

/** A column in the memory layout of Apache Arrow, with the parts that Arrow's C data interface has: for engines that read
  * Arrow buffers.
  *
  * Buffers are read-only views of the arrays of the column where both layouts agree, and as long as these are valid: see
  * [[Column]]. Other parts are copied. Numbers are in the byte order of the machine.
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
  *   values of a dictionary, of any type   validity, 32-bit indices
  *   one value for all rows                validity, indices 0                        indices
  *   nulls only                            none
  * }}}
  * An array of the last kind has the type `null`, and `dictionary` is set in the two before: consumers must expect that of
  * columns of every type, and batch by batch. Offsets of the large variants of types have 32 bits as well.
  *
  * @param length number of slots
  * @param nullCount number of nulls among them
  * @param buffers `None` for the validity of a column without nulls
  * @param dictionary the values that indices refer to; an index under a null may be anything
  */
final case class ArrowArray(
    length: Int,
    nullCount: Int,
    buffers: IndexedSeq[Option[java.nio.Buffer]],
    children: IndexedSeq[ArrowArray],
    dictionary: Option[ArrowArray]
)

object ArrowArray {

  /** The column as an Arrow array.
    *
    * @param field of the column, cut down to the children that the column has
    * @throws InvalidRequestException if the column has another shape than the field
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

  /** The words have Arrow's order of bits; on machines of the other byte order they are copied. */
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

  /** One bit for each boolean, the lowest first. */
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
        s"a column with ${i + 1} children or more where ${field.children.length} are expected",
        Place(column = Some(field.name))
      )

  /** The item of a fixed-size list, which has a child field only if it is a struct. */
  private def itemOf(field: Field): Field = field.logicalType match {
    case LogicalType.FixedSizeList(item, _) if field.children.isEmpty =>
      Field(Field.Unassigned, "item", item, nullable = true)
    case _ => child(field, 0)
  }
}
