// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.v0_1

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.v0_1.{Dictionary, Offsets, Plain}

/** Buffers one field with all its descendants until its rows make a batch, and writes its pages.
  *
  * Values that this version cannot represent are rejected, not changed: nulls, except of strings,
  * binaries, and the null type; and empty strings in nullable fields, which would read as null.
  *
  * Source: format page of the legacy format, "Which fields have pages" and "Nested types". Hot
  * code: imperative.
  */
sealed abstract private[v0_1] class FieldBuffer(val field: Field) {

  /** Number of buffered slots: rows at the top level, items below a list. */
  def numSlots: Int

  /** Approximate size of the buffered slots in memory. */
  def sizeInBytes: Long

  /** Appends slots `[from, from + count)` of a column, whose arrays may be reused after the call.
    *
    * @throws UnsupportedFeatureException for values that would be read differently
    * @throws InvalidRequestException if the column's shape does not match the field
    */
  final def append(column: Column, from: Int, count: Int): Unit =
    Place.in(Place(column = Some(field.name)))(gather(column, from, count))

  protected def gather(column: Column, from: Int, count: Int): Unit

  /** Writes the buffered slots as pages, its own page before its descendants' pages, and starts
    * the next batch.
    */
  def flush(pages: PageSink): Unit

  protected def mismatch(column: Column): Nothing = throw new InvalidRequestException(
    s"type ${LogicalType.text(field.logicalType)} cannot hold a ${column.getClass.getSimpleName}"
  )

  protected def rejectNulls(column: Column, from: Int, count: Int): Unit =
    if (count > 0 && column.hasNulls) {
      val validity = column.validity
      var i = from
      while (i < from + count) {
        if (!validity.isValid(i)) reject("a null")
        i += 1
      }
    }

  protected def reject(what: String): Nothing = throw new UnsupportedFeatureException(
    s"$what in a field of type ${LogicalType.text(field.logicalType)}, which data files of version 0.1 cannot " +
      "distinguish from other values; replace it before the write, or use a later file version"
  )
}

private[v0_1] object FieldBuffer {

  /** Buffers the null type, whose pages have no bytes. */
  final class NullBuffer(field: Field) extends FieldBuffer(field) {
    private var count = 0
    def numSlots: Int = count
    def sizeInBytes: Long = 0L
    protected def gather(column: Column, from: Int, count: Int): Unit = this.count += count
    def flush(pages: PageSink): Unit = {
      pages.add(field.id, pages.position, count.toLong)
      count = 0
    }
  }

  /** Buffers fixed-width values.
    *
    * @param statistics null if the field has no statistics
    */
  final class PlainBuffer(field: Field, statistics: StatisticsBuilder) extends FieldBuffer(field) {
    private val valueType = field.valueType
    private val values = Values.allocate(valueType)

    def numSlots: Int = values.numItems
    def sizeInBytes: Long = values.sizeInBytes

    protected def gather(column: Column, from: Int, count: Int): Unit =
      gather(column, from, count, values)

    private def gather(column: Column, from: Int, count: Int, out: Values): Unit = {
      rejectNulls(column, from, count)
      (column, out) match {
        case (LeafColumn(more: DictionaryValues, _), _) =>
          var i = from
          while (i < from + count) {
            out.appendFrom(more.items, more.indices.array(i), 1)
            i += 1
          }
        case (LeafColumn(more: FixedSizeListValues, _), lists: FixedSizeListValues)
            if more.dimension == lists.dimension =>
          gatherItems(LeafColumn(more.items, more.itemValidity), from, count, lists)
        case (LeafColumn(more, _), _) if more.getClass == out.getClass =>
          out.appendFrom(more, from, count)
        case (ConstantColumn(value, _, _), _) if value.getClass == out.getClass =>
          value match {
            case list: FixedSizeListValues =>
              rejectNulls(LeafColumn(list.items, list.itemValidity), 0, list.dimension)
            case _ => ()
          }
          out.appendRepeated(value, 0, count)
        case (more: FixedSizeListColumn, lists: FixedSizeListValues)
            if more.dimension == lists.dimension =>
          gatherItems(more.items, from, count, lists)
        case (_: NullColumn, _) if count == 0 => ()
        case _ => mismatch(column)
      }
    }

    private def gatherItems(
        items: Column,
        from: Int,
        count: Int,
        out: FixedSizeListValues
    ): Unit = {
      val first = Math.multiplyExact(from, out.dimension)
      gather(items, first, Math.multiplyExact(count, out.dimension), out.items)
      out.extend(count)
    }

    def flush(pages: PageSink): Unit = {
      if (statistics != null) statistics.add(values)
      pages.write(field.id, Plain.encode(valueType, values), numSlots.toLong)
      values.clear()
    }
  }

  /** Buffers byte strings. Empty ones are null if the field is nullable. */
  final class VarBinaryBuffer(field: Field, statistics: StatisticsBuilder)
      extends FieldBuffer(field) {
    private val values = new BinaryValues

    def numSlots: Int = values.numItems
    def sizeInBytes: Long = values.sizeInBytes

    protected def gather(column: Column, from: Int, count: Int): Unit = {
      val at = values.numItems
      if (!field.nullable) rejectNulls(column, from, count)
      column match {
        case LeafColumn(_: DictionaryValues | _: BinaryValues, _) | _: ConstantColumn
            if column.hasNulls =>
          var i = from
          while (i < from + count) {
            if (column.isNull(i)) values.appendFiller(1) else gatherValid(column, i, 1)
            i += 1
          }
        case _: NullColumn => values.appendFiller(count)
        case _ => gatherValid(column, from, count)
      }
      if (field.nullable) rejectEmpty(column, at - from, from, count)
    }

    private def gatherValid(column: Column, from: Int, count: Int): Unit = column match {
      case LeafColumn(more: DictionaryValues, _) if more.items.isInstanceOf[BinaryValues] =>
        var i = from
        while (i < from + count) {
          values.appendFrom(more.items, more.indices.array(i), 1)
          i += 1
        }
      case LeafColumn(more: BinaryValues, _) => values.appendFrom(more, from, count)
      case ConstantColumn(value: BinaryValues, _, _) => values.appendRepeated(value, 0, count)
      case _ => mismatch(column)
    }

    private def rejectEmpty(column: Column, shift: Int, from: Int, count: Int): Unit = {
      val offsets = values.offsets
      var i = from
      while (i < from + count) {
        if (offsets(i + shift) == offsets(i + shift + 1) && !column.isNull(i))
          reject("an empty value")
        i += 1
      }
    }

    def flush(pages: PageSink): Unit = {
      if (statistics != null) statistics.add(values)
      pages.writeVarBinary(field.id, values)
      values.clear()
    }
  }

  /** Buffers values as keys into the dictionary of the field. A null refers to an item without
    * bytes.
    */
  final class DictionaryBuffer(field: Field, index: LogicalType.Integer, keys: Dictionary.Keys)
      extends FieldBuffer(field) {
    private val keyType = FixedWidth(index.bits)
    private val found = Values.allocate(keyType)

    /** The dictionary so far. */
    def items: Dictionary.Items = keys.items

    def numSlots: Int = found.numItems
    def sizeInBytes: Long = found.sizeInBytes

    protected def gather(column: Column, from: Int, count: Int): Unit = {
      var i = from
      while (i < from + count) {
        column match {
          case _ if column.isNull(i) => if (!keys.appendNull(found)) reject("a null")
          case LeafColumn(more: DictionaryValues, _) =>
            appendKey(more.items, more.indices.array(i))
          case LeafColumn(more, _) => appendKey(more, i)
          case ConstantColumn(value, _, _) => appendKey(value, 0)
          case _ => mismatch(column)
        }
        i += 1
      }
    }

    private def appendKey(values: Values, at: Int): Unit = {
      if (values.getClass != keys.items.values.getClass)
        throw new InvalidRequestException(
          s"type ${LogicalType.text(field.logicalType)} cannot hold ${values.getClass.getSimpleName}"
        )
      values match {
        case v: BinaryValues if v.offsets(at) == v.offsets(at + 1) => reject("an empty value")
        case _ => keys.append(values, at, found)
      }
    }

    def flush(pages: PageSink): Unit = {
      pages.write(field.id, Plain.encode(keyType, found), numSlots.toLong)
      found.clear()
    }
  }

  /** Buffers a struct, which has no page of its own. */
  final class StructBuffer(field: Field, val children: IndexedSeq[FieldBuffer])
      extends FieldBuffer(field) {
    def numSlots: Int = children.head.numSlots
    def sizeInBytes: Long = children.iterator.map(_.sizeInBytes).sum

    protected def gather(column: Column, from: Int, count: Int): Unit = {
      rejectNulls(column, from, count)
      column match {
        case StructColumn(_, columns, _) if columns.length == children.length =>
          children.indices.foreach(i => children(i).append(columns(i), from, count))
        case _: NullColumn if count == 0 => ()
        case _ => mismatch(column)
      }
    }

    def flush(pages: PageSink): Unit = children.foreach(_.flush(pages))
  }

  /** Buffers a list as offsets into the items of the same batch. */
  final class ListBuffer(field: Field, large: Boolean, val items: FieldBuffer)
      extends FieldBuffer(field) {
    private val ends = new IntValues // end of each slot's items

    def numSlots: Int = ends.numItems
    def sizeInBytes: Long = ends.sizeInBytes + items.sizeInBytes

    protected def gather(column: Column, from: Int, count: Int): Unit = {
      rejectNulls(column, from, count)
      column match {
        case ListColumn(_, offsets, columnItems, _) =>
          val first = offsets(from)
          val shift = items.numSlots - first
          items.append(columnItems, first, offsets(from + count) - first)
          val at = ends.extend(count)
          var i = 0
          while (i < count) {
            ends.array(at + i) = Math.addExact(offsets(from + i + 1), shift)
            i += 1
          }
        case _: NullColumn if count == 0 => ()
        case _ => mismatch(column)
      }
    }

    def flush(pages: PageSink): Unit = {
      val n = numSlots
      val offsets = new Array[Int](n + 1)
      System.arraycopy(ends.array, 0, offsets, 1, n)
      pages.write(field.id, Offsets.encode(offsets, n, large), n + 1L)
      items.flush(pages)
      ends.clear()
    }
  }
}
