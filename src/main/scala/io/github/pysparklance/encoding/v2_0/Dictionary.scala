// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.v2_0

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.compression.PageDictionary
import io.github.pysparklance.encoding.proto.{v2_0 => pb}
import io.github.pysparklance.encoding.spi._

/** Indices into the distinct values of a page. Source: message `Dictionary`, encodings_v2_0.proto.
  *
  * {{{
  *   indices   numValues integers of the width they declare  items   num_dictionary_items values, read completely
  *
  *   column of strings      0 is null, k is items(k - 1)
  *   column of dictionaries k is items(k), which may be null
  * }}}
  * Only the column's type determines which of the two applies. The writer uses the first form for
  * strings with at most 255 distinct values. Hot code.
  */
object Dictionary {

  def decoder(
      message: pb.Dictionary,
      numValues: Long,
      valueType: ValueType,
      chooser: ArrayChooser
  ): ArrayDecoder = {
    val numItems = Integer.toUnsignedLong(message.getNumDictionaryItems)
    val bits = Trees.integerBits(message.getIndices)
    val items = chooser.decoder(message.getItems, numItems, valueType)
    // items without bytes are not materialized, because nothing confirms their number
    val kept = if (items.isAllNulls) math.min(numItems, 1L) else numItems
    CorruptFileException.check(
      kept <= (if (items.takesBytes) Int.MaxValue.toLong else mostWithoutBytes),
      s"Dictionary of $numItems items"
    )
    new Node(
      chooser.decoder(message.getIndices, numValues, FixedWidth(bits)),
      bits,
      items,
      kept.toInt,
      numItems,
      Values.allocate(valueType),
      if (chooser.isDictionary) 0 else 1
    )
  }

  private val mostWithoutBytes = 1L << 16

  /** A decoder of indices.
    *
    * @param firstIndex index of the first item
    */
  final private class Node(
      indices: ArrayDecoder,
      bits: Int,
      itemNode: ArrayDecoder,
      keptItems: Int,
      numItems: Long,
      val items: Values,
      firstIndex: Int
  ) extends DictionaryDecoder {
    private var itemNulls: Validity = null

    val buffers: IndexedSeq[Int] = indices.buffers ++ itemNode.buffers
    override def head: IndexedSeq[Int] = indices.head ++ itemNode.buffers
    def bitsPerValue: Long = indices.bitsPerValue
    def yieldsNulls: Boolean = true

    override def open(buffers: Array[Buffer]): Unit = {
      indices.open(buffers)
      itemNode.open(buffers)
      val read = new NullableValues(items)
      if (keptItems > 0) Trees.decodeWhole(itemNode, keptItems, buffers, read)
      itemNulls = read.validity
    }

    def read(values: RowRange): DictionaryRead =
      new Read(indices.read(values), bits, items, itemNulls, numItems, firstIndex)
  }

  final private class Read(
      indices: ArrayRead,
      bits: Int,
      items: Values,
      itemNulls: Validity,
      numItems: Long,
      firstIndex: Int
  ) extends DictionaryRead {
    private val narrow = Values.allocate(FixedWidth(bits))
    private val scratch = new NullableValues(new IntValues)

    def needs: IndexedSeq[PageRange] = indices.needs
    def isLast: Boolean = indices.isLast
    def supply(bytes: IndexedSeq[Buffer]): Unit = indices.supply(bytes)

    def decode(numValues: Int, out: NullableValues): Unit = {
      scratch.clear()
      decodeIndices(numValues, scratch)
      val positions = scratch.values.asInstanceOf[IntValues].array
      val before = out.values.numItems
      val nulls = scratch.validity
      if (nulls != null) out.nullsUpTo(before).appendFrom(nulls, 0, numValues)
      (out.values, items) match {
        case (to: BinaryValues, from: BinaryValues) => gather(from, positions, numValues, nulls, to)
        case (to, from) =>
          var i = 0
          while (i < numValues) {
            if (nulls != null && !nulls.isValid(i)) to.appendFiller(1)
            else to.appendFrom(from, positions(i), 1)
            i += 1
          }
      }
    }

    private def gather(
        from: BinaryValues,
        positions: Array[Int],
        numValues: Int,
        nulls: Validity,
        to: BinaryValues
    ): Unit = {
      to.reserve(numValues)
      var i = 0
      while (i < numValues) {
        if (nulls != null && !nulls.isValid(i)) to.appendFiller(1)
        else {
          val item = positions(i)
          val at = from.offsets(item)
          to.append(from.bytes, at, from.offsets(item + 1) - at)
        }
        i += 1
      }
    }

    def decodeIndices(numValues: Int, out: NullableValues): Unit = {
      narrow.clear()
      val read = new NullableValues(narrow)
      indices.decode(numValues, read)
      CorruptFileException.check(!read.nulls.hasNulls, "Dictionary with null indices")
      val positions = out.values.asInstanceOf[IntValues]
      val before = positions.numItems
      val to = positions.extend(numValues)
      widen(numValues, positions.array, to)
      val lowest = positionsFrom(positions.array, to, numValues)
      if (lowest < 0 || itemNulls != null)
        appendNulls(positions.array, to, numValues, out.nullsUpTo(before))
    }

    /** Copies the indices. Indices that do not fit become -1. */
    private def widen(numValues: Int, out: Array[Int], to: Int): Unit = {
      var i = 0
      narrow match {
        case v: ByteValues =>
          while (i < numValues) { out(to + i) = v.array(i) & 0xff; i += 1 }
        case v: ShortValues =>
          while (i < numValues) { out(to + i) = v.array(i) & 0xffff; i += 1 }
        case v: IntValues => System.arraycopy(v.array, 0, out, to, numValues)
        case v: LongValues =>
          while (i < numValues) {
            val index = v.array(i)
            out(to + i) = if (index < 0 || index > Int.MaxValue) -1 else index.toInt
            i += 1
          }
        case other => throw new CorruptFileException(s"indices as ${other.getClass.getSimpleName}")
      }
    }

    /** Converts indices to positions of items, with -1 for null. Returns a negative number if there
      * is a null.
      */
    private def positionsFrom(a: Array[Int], from: Int, numValues: Int): Int = {
      val end = from + numValues
      var least = 0
      var i = from
      while (i < end) {
        val index = a(i)
        if (index < 0 || index - firstIndex >= numItems)
          throw new CorruptFileException(
            s"Dictionary index ${Integer.toUnsignedString(index)} exceeds $numItems items"
          )
        a(i) = index - firstIndex
        least |= index - firstIndex
        i += 1
      }
      least
    }

    private def appendNulls(a: Array[Int], from: Int, numValues: Int, nulls: Validity): Unit = {
      nulls.reserve(numValues)
      val allNull = itemNulls != null && items.numItems < numItems
      var i = from
      while (i < from + numValues) {
        val position = a(i)
        nulls.append(
          position >= 0 && !allNull && (itemNulls == null || itemNulls.isValid(position))
        )
        i += 1
      }
    }
  }

  /** Maximum items in a page of strings: an index has one byte, and 0 is null. */
  private val mostStrings = 255

  /** Fewer strings do not get a dictionary. */
  private val fewestValues = 100

  /** Encodes strings with a dictionary if they have few distinct values and that takes fewer bytes.
    *
    * @param validity null if all values are valid
    * @param items adds the distinct strings and returns their encoding
    */
  def encodeStrings(values: BinaryValues, validity: Validity, buffers: PageBuffers)(
      items: BinaryValues => pb.ArrayEncoding
  ): Option[pb.ArrayEncoding] =
    if (values.numItems < fewestValues) None
    else
      StringItems.of(values, validity, mostStrings).filter(pays(_, values)).map { found =>
        val indices = Flat.encode(found.indices, 8, buffers)
        message(Nullable.noNulls(indices), items(found.items), found.items.numItems)
      }

  private def pays(found: StringItems, values: BinaryValues): Boolean =
    found.indices.numItems + found.items.numBytes + found.items.numItems * 8L <
      values.numBytes + values.numItems * 8L

  /** Encodes a column of a dictionary type. Its indices have the type's width, and null is one of
    * the items.
    *
    * @param validity null if all values are valid
    * @param items adds the distinct values and returns their encoding
    * @throws InvalidRequestException if the indices cannot represent all items
    */
  def encodeTyped(
      values: Values,
      validity: Validity,
      valueType: ValueType,
      index: LogicalType,
      buffers: PageBuffers
  )(items: (Values, Validity) => pb.ArrayEncoding): pb.ArrayEncoding = {
    val hasNulls = validity != null && validity.hasNulls
    val found =
      PageDictionary.of(if (hasNulls) valid(values, validity, valueType) else values, valueType)
    val numItems = found.items.numItems + (if (hasNulls) 1 else 0)
    val bits = indexBits(index, numItems)
    val indices =
      if (hasNulls) spread(found.indices, validity, found.items.numItems) else found.indices
    val itemValidity = if (hasNulls) Validity.allValid(numItems - 1) else null
    if (hasNulls) {
      itemValidity.append(valid = false)
      found.items.appendFiller(1)
    }
    val node = Flat.encode(narrowed(indices, bits), bits, buffers)
    message(Nullable.noNulls(node), items(found.items, itemValidity), numItems)
  }

  private def valid(values: Values, validity: Validity, valueType: ValueType): Values = {
    val out = Values.allocate(valueType)
    var i = 0
    while (i < values.numItems) {
      val first = i
      while (i < values.numItems && validity.isValid(i)) i += 1
      if (i > first) out.appendFrom(values, first, i - first)
      while (i < values.numItems && !validity.isValid(i)) i += 1
    }
    out
  }

  /** Expands the indices of the valid values to all values. */
  private def spread(indices: IntValues, validity: Validity, nullIndex: Int): IntValues = {
    val out = new IntValues
    out.extend(validity.numItems): Unit
    var next = 0
    var i = 0
    while (i < validity.numItems) {
      if (validity.isValid(i)) {
        out.array(i) = indices.array(next)
        next += 1
      } else out.array(i) = nullIndex
      i += 1
    }
    out
  }

  private def indexBits(index: LogicalType, numItems: Int): Int = index match {
    case LogicalType.Integer(bits, signed) =>
      val most = 1L << math.min(31, if (signed) bits - 1 else bits)
      if (numItems > most)
        throw new InvalidRequestException(
          s"a page of $numItems distinct values, including null, exceeds indices of " +
            s"${LogicalType.text(index)}, which allow $most"
        )
      bits
    case other =>
      throw new UnsupportedFeatureException(s"dictionary indices of ${LogicalType.text(other)}")
  }

  private def narrowed(indices: IntValues, bits: Int): Values = {
    val n = indices.numItems
    val in = indices.array
    var i = 0
    bits match {
      case 8 =>
        val out = new ByteValues
        out.extend(n): Unit
        while (i < n) { out.array(i) = in(i).toByte; i += 1 }
        out
      case 16 =>
        val out = new ShortValues
        out.extend(n): Unit
        while (i < n) { out.array(i) = in(i).toShort; i += 1 }
        out
      case 64 =>
        val out = new LongValues
        out.extend(n): Unit
        while (i < n) { out.array(i) = in(i).toLong; i += 1 }
        out
      case _ => indices
    }
  }

  private[v2_0] def message(
      indices: pb.ArrayEncoding,
      items: pb.ArrayEncoding,
      numItems: Int
  ): pb.ArrayEncoding =
    pb.ArrayEncoding.newBuilder().setDictionary(
      pb.Dictionary.newBuilder().setIndices(indices).setItems(items).setNumDictionaryItems(numItems)
    ).build()
}
