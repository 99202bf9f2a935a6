// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.v2_0

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.proto.{v2_0 => pb}
import io.github.pysparklance.encoding.spi._
import io.github.pysparklance.encoding.value.RawValues

/** Fixed-width structs, stored row by row. Source: message `PackedStruct`, encodings_v2_0.proto.
  *
  * {{{
  *   {a: i32, b: i64, c: u8}   00000000 0000000000000000 00 | 01000000 ...      no padding
  * }}}
  * Members have whole bytes, or are fixed-size lists of such. They cannot be null. The column's
  * type determines the widths. `inner` repeats them, with buffers that are ignored. Hot code.
  */
object PackedStruct {

  def decoder(
      message: pb.PackedStruct,
      numValues: Long,
      valueType: ValueType,
      chooser: ArrayChooser
  ): ArrayDecoder = valueType match {
    case PackedStructType(children) =>
      CorruptFileException.check(
        message.getInnerCount == children.length,
        s"PackedStruct of ${message.getInnerCount} fields, expected ${children.length}"
      )
      children.indices.foreach(i => checkInner(message.getInner(i), children(i)))
      val position = chooser.position(message.getBuffer)
      new Node(position, chooser.sizeBytes(position), children.map(new Member(_)), numValues)
    case other => throw Trees.contradiction("PackedStruct", other)
  }

  private def checkInner(encoding: pb.ArrayEncoding, valueType: ValueType): Unit = {
    val inner = Trees.withoutNoNulls(encoding)
    (valueType, inner.getArrayEncodingCase) match {
      case (FixedWidth(bits), pb.ArrayEncoding.ArrayEncodingCase.FLAT)
          if inner.getFlat.getBitsPerValue == bits && bits % 8 == 0 && bits > 0 =>
        ()
      case (FixedSizeListType(n, items), pb.ArrayEncoding.ArrayEncodingCase.FIXED_SIZE_LIST)
          if inner.getFixedSizeList.getDimension == n && n > 0 =>
        checkInner(inner.getFixedSizeList.getItems, items)
      case (other, _) => throw Trees.contradiction(s"${Trees.name(inner)} in a PackedStruct", other)
    }
  }

  /** A member of each row. */
  final private class Member(valueType: ValueType) {
    private val (itemBits, itemsPerRow) = Member.shape(valueType, 1L)
    val numBytes: Int =
      Checked.int(Checked.multiply(itemBits / 8L, itemsPerRow, "bytes of a row"), "bytes of a row")
    private var gathered = Array.emptyByteArray

    /** Appends `count` values, starting at `from`, one every `stride` bytes. */
    def append(in: Array[Byte], from: Int, stride: Int, count: Int, out: Values): Unit = {
      val wanted = Math.multiplyExact(count, numBytes)
      if (gathered.length < wanted) gathered = new Array(wanted)
      val width = numBytes
      var i = 0
      var at = from
      var to = 0
      if (width <= 16)
        while (i < count) {
          var k = 0
          while (k < width) {
            gathered(to + k) = in(at + k)
            k += 1
          }
          at += stride
          to += width
          i += 1
        }
      else
        while (i < count) {
          System.arraycopy(in, at, gathered, to, width)
          at += stride
          to += width
          i += 1
        }
      Member.appendItems(gathered, itemBits, count, out)
    }
  }

  private object Member {

    def shape(valueType: ValueType, itemsPerRow: Long): (Int, Long) = valueType match {
      case FixedWidth(bits) => (bits, itemsPerRow)
      case FixedSizeListType(n, items) =>
        shape(items, Checked.multiply(itemsPerRow, n.toLong, "items of a row"))
      case other => throw Trees.contradiction("PackedStruct", other)
    }

    def appendItems(in: Array[Byte], itemBits: Int, count: Int, out: Values): Unit = out match {
      case lists: FixedSizeListValues =>
        appendItems(in, itemBits, Math.multiplyExact(count, lists.dimension), lists.items)
        lists.extend(count)
      case items => RawValues.append(in, 0, itemBits, 0, count, items)
    }
  }

  final private class Node(
      position: Int,
      sizeBytes: Long,
      members: IndexedSeq[Member],
      numValues: Long
  ) extends ArrayDecoder {
    private val stride =
      Checked.int(members.iterator.map(_.numBytes.toLong).sum, "bytes of a struct")
    CorruptFileException.check(
      stride > 0 && numValues <= sizeBytes / stride,
      s"PackedStruct of $sizeBytes bytes for $numValues rows of $stride bytes"
    )

    val buffers: IndexedSeq[Int] = IndexedSeq(position)
    def bitsPerValue: Long = stride * 8L
    def yieldsNulls: Boolean = false

    def read(values: RowRange): ArrayRead =
      new Read(PageRange(position, values.from * stride, values.numRows * stride), stride, members)
  }

  final private class Read(range: PageRange, stride: Int, members: IndexedSeq[Member])
      extends ArrayRead {
    private var buffer: Buffer = if (range.length == 0) Buffer.empty else null
    private var at = 0

    def needs: IndexedSeq[PageRange] = if (buffer == null) IndexedSeq(range) else IndexedSeq.empty
    def isLast: Boolean = true
    def supply(bytes: IndexedSeq[Buffer]): Unit = buffer = bytes.head

    def decode(numValues: Int, out: NullableValues): Unit = {
      val structs = out.values.asInstanceOf[PackedStructValues]
      val rows = buffer.slice(at.toLong * stride, numValues.toLong * stride)
      var from = rows.offset
      var i = 0
      while (i < members.length) {
        members(i).append(rows.array, from, stride, numValues, structs.children(i))
        from += members(i).numBytes
        i += 1
      }
      structs.extend(numValues)
      at += numValues
    }
  }

  /** Encodes a page of structs. Members have whole bytes, or are fixed-size lists of such. */
  def encode(
      values: PackedStructValues,
      memberTypes: IndexedSeq[ValueType],
      buffers: PageBuffers
  ): pb.ArrayEncoding = {
    val n = values.numItems
    val widths = memberTypes.map(bytesOf)
    val stride = widths.sum
    val rows = new Array[Byte](Math.toIntExact(n.toLong * stride))
    var at = 0
    memberTypes.indices.foreach { m =>
      scatter(values.children(m), memberTypes(m), widths(m), n, rows, at, stride)
      at += widths(m)
    }
    val message = pb.PackedStruct.newBuilder().setBuffer(buffers.add(Buffer(rows)))
    memberTypes.foreach(t => message.addInner(inner(t)))
    pb.ArrayEncoding.newBuilder().setPackedStruct(message).build()
  }

  /** Returns the bytes of a member in one row; 0 if it cannot be packed. */
  def bytesOf(valueType: ValueType): Int = valueType match {
    case FixedWidth(bits) if bits % 8 == 0 => bits / 8
    case FixedSizeListType(n, items) => Math.multiplyExact(n, bytesOf(items))
    case _ => 0
  }

  private def inner(valueType: ValueType): pb.ArrayEncoding = Nullable.noNulls(valueType match {
    case FixedSizeListType(n, items) => FixedSizeList.encode(n, inner(items))
    case FixedWidth(bits) => Flat.message(bits, pb.Buffer.getDefaultInstance, None)
    case other => throw new UnsupportedFeatureException(s"$other in a packed struct")
  })

  /** Writes one member of all rows, starting at `from`. */
  private def scatter(
      values: Values,
      valueType: ValueType,
      width: Int,
      numRows: Int,
      rows: Array[Byte],
      from: Int,
      stride: Int
  ): Unit = {
    val gathered = new Array[Byte](Math.multiplyExact(numRows, width))
    copyItems(values, valueType, gathered)
    var i = 0
    var at = 0
    var to = from
    while (i < numRows) {
      System.arraycopy(gathered, at, rows, to, width)
      at += width
      to += stride
      i += 1
    }
  }

  private def copyItems(values: Values, valueType: ValueType, out: Array[Byte]): Unit =
    (values, valueType) match {
      case (lists: FixedSizeListValues, FixedSizeListType(_, items)) =>
        copyItems(lists.items, items, out)
      case (items, FixedWidth(bits)) =>
        RawValues.copy(items, bits, 0, items.numItems, out, 0)
      case (_, other) => throw new UnsupportedFeatureException(s"$other in a packed struct")
    }
}
