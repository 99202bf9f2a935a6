// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.testkit

import io.github.pysparklance.core._

/** Columns as plain Scala values that `==` compares: null, `Seq` for lists and structs, numbers as
  * stored, and `Seq` of bytes for values of other widths.
  */
object ColumnRows {

  def apply(column: Column): IndexedSeq[Any] = {
    val slots = valid(column)
    (0 until column.numRows).map(i => if (column.isNull(i)) null else slots(i))
  }

  private def valid(column: Column): Int => Any = column match {
    case LeafColumn(v: DictionaryValues, _) =>
      val items = ValuesGenerators.contents(v.items).toIndexedSeq
      i => items(v.indices.array(i))
    case LeafColumn(lists: FixedSizeListValues, _) =>
      val items = apply(LeafColumn(lists.items, lists.itemValidity))
      i => items.slice(i * lists.dimension, (i + 1) * lists.dimension).toSeq
    case LeafColumn(v, _) =>
      val contents = ValuesGenerators.contents(v).toIndexedSeq
      i => contents(i)
    case ConstantColumn(value, _, _) =>
      val one = valid(LeafColumn(value, null))(0)
      _ => one
    case NullColumn(_) => _ => null
    case ListColumn(_, offsets, items, _) =>
      val all = apply(items)
      i => all.slice(offsets(i), offsets(i + 1)).toSeq
    case FixedSizeListColumn(_, dimension, items, _) =>
      val all = apply(items)
      i => all.slice(i * dimension, (i + 1) * dimension).toSeq
    case StructColumn(_, children, _) =>
      val all = children.map(apply)
      i => all.map(_(i)).toSeq
  }
}
