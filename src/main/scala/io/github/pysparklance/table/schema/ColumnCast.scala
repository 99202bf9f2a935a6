// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.schema

import io.github.pysparklance.core._

/** Converts a column to other types at some leaves.
  *
  * @param before and `after` have the same nesting; leaves with the same id are not changed
  */
final private[table] class ColumnCast(before: Field, after: Field) {

  /** @throws InvalidRequestException if a non-null value does not fit the new type */
  def apply(column: Column): Column =
    Place.in(Place(column = Some(before.name)))(ColumnCast.cast(before, after, column))
}

private object ColumnCast {

  private def isSame(before: Field, after: Field): Boolean =
    before.id == after.id && before.logicalType == after.logicalType &&
      before.children.length == after.children.length &&
      before.children.zip(after.children).forall { case (b, a) => isSame(b, a) }

  private def cast(before: Field, after: Field, column: Column): Column =
    if (isSame(before, after)) column
    else
      column match {
        case nulls: NullColumn => nulls
        case s: StructColumn =>
          s.copy(children = s.children.indices.map { i =>
            cast(before.children(i), after.children(i), s.children(i))
          })
        case l: ListColumn =>
          l.copy(items = cast(before.children.head, after.children.head, l.items))
        case l: FixedSizeListColumn =>
          l.copy(items = cast(item(before), item(after), l.items))
        case ConstantColumn(value, numRows, validity) =>
          val one = LeafCast(before.logicalType, after.logicalType)(value, null)
          ConstantColumn(one, numRows, validity)
        case _ =>
          val plain = new ColumnAsPlain(before)(column)
          val values = LeafCast(before.logicalType, after.logicalType)(plain.values, plain.validity)
          LeafColumn(values, plain.validity)
      }

  private def item(list: Field): Field = list.logicalType match {
    case LogicalType.FixedSizeList(t, _) if list.children.isEmpty =>
      Field(list.id, "item", t, nullable = true)
    case _ => list.children.head
  }

  /** Resolves dictionary-encoded values. */
  final private class ColumnAsPlain(field: Field) {
    def apply(column: Column): LeafColumn = column match {
      case c @ LeafColumn(v, _) if !v.isInstanceOf[DictionaryValues] => c
      case other =>
        val buffer = ColumnBuffer(field)
        buffer.append(other, 0, other.numRows)
        buffer.column match {
          case c: LeafColumn => c
          case c => throw new InvalidRequestException(s"a ${c.getClass.getSimpleName} as a leaf")
        }
    }
  }
}
