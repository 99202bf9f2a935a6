// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.v2_0

import io.github.pysparklance.core._

/** Collects the values of one 2.0 column until they are encoded as a page. Hot code: copies whole
  * ranges.
  */
final private[encoding] class GatheredValues(field: Field) {
  val values: Values = Values.allocate(field.valueType)
  private val nulls = new Validity

  def numValues: Int = nulls.numItems

  /** The validity of all values; null if all are valid. */
  def validity: Validity = if (nulls.hasNulls) nulls else null

  /** Approximate bytes of the values in memory. */
  def sizeInBytes: Long = values.sizeInBytes

  def clear(): Unit = {
    values.clear()
    nulls.clear()
  }

  /** Appends slots `[from, from + count)`.
    *
    * @throws InvalidRequestException if the column does not have the field's shape
    * @throws UnsupportedFeatureException for nulls that a 2.0 page cannot hold
    */
  def append(column: Column, from: Int, count: Int): Unit = {
    appendValues(column, from, count, values)
    column match {
      case _: NullColumn => nulls.appendNulls(count)
      case c if c.hasNulls => nulls.appendFrom(c.validity, from, count)
      case _ => nulls.appendValid(count)
    }
  }

  private def appendValues(column: Column, from: Int, count: Int, out: Values): Unit =
    (column, out) match {
      case (LeafColumn(more: DictionaryValues, validity), _) =>
        appendItems(more, validity, from, count, out)
      case (LeafColumn(more, _), _) if isAlike(more, out) => out.appendFrom(more, from, count)
      case (ConstantColumn(value, _, _), _) if isAlike(value, out) =>
        out.appendRepeated(value, 0, count)
      case (_: NullColumn, _) => out.appendFiller(count)
      case (list: FixedSizeListColumn, lists: FixedSizeListValues)
          if list.dimension == lists.dimension =>
        appendLists(list, from, count, lists)
      case (struct: StructColumn, packed: PackedStructValues)
          if struct.children.length == packed.children.length =>
        struct.children.zip(packed.children).foreach { case (child, to) =>
          appendValues(child, from, count, to)
        }
        packed.extend(count)
      case _ => mismatch(column)
    }

  private def isAlike(more: Values, out: Values): Boolean = (more, out) match {
    case (a: WideValues, b: WideValues) => a.bytesPerValue == b.bytesPerValue
    case (a: FixedSizeListValues, b: FixedSizeListValues) =>
      a.dimension == b.dimension && isAlike(a.items, b.items)
    case (a: PackedStructValues, b: PackedStructValues) =>
      a.children.length == b.children.length && a.children.indices.forall(i =>
        isAlike(a.children(i), b.children(i))
      )
    case (a, b) => a.getClass == b.getClass
  }

  private def appendItems(
      more: DictionaryValues,
      validity: Validity,
      from: Int,
      count: Int,
      out: Values
  ): Unit = {
    if (!isAlike(more.items, out)) mismatch(LeafColumn(more, validity))
    var i = from
    while (i < from + count) {
      if (validity != null && !validity.isValid(i)) out.appendFiller(1)
      else out.appendFrom(more.items, more.indices.array(i), 1)
      i += 1
    }
  }

  private def appendLists(
      list: FixedSizeListColumn,
      from: Int,
      count: Int,
      out: FixedSizeListValues
  ): Unit = {
    val first = Math.multiplyExact(from, list.dimension)
    val numItems = Math.multiplyExact(count, list.dimension)
    if (list.items.hasNulls)
      out.ensureItemValidity().appendFrom(list.items.validity, first, numItems)
    else if (out.itemValidity != null) out.itemValidity.appendValid(numItems)
    appendValues(list.items, first, numItems, out.items)
    out.extend(count)
  }

  private def mismatch(column: Column): Nothing = throw new InvalidRequestException(
    s"a column of type ${LogicalType.text(field.logicalType)} cannot hold a " +
      column.getClass.getSimpleName
  )
}
