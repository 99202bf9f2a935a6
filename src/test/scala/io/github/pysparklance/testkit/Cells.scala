// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.testkit

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.spi._

/** Rows as plain values that `==` compares, along the path to one leaf: null, `Vector` for a list,
  * `Member` for a struct, and [[ValuesGenerators.contents]] of a leaf value.
  */
object Cells {
  final case class Member(cell: Any)

  /** Rows `[from, until)` of a top-level column. */
  def of(column: Column, path: Seq[Field], from: Int, until: Int): IndexedSeq[Any] = {
    val read = reader(column, path)
    (from until until).map(read)
  }

  private def reader(column: Column, path: Seq[Field]): Int => Any = {
    val valid: Int => Any = column match {
      case NullColumn(_) => _ => null
      case StructColumn(_, children, _) =>
        val child = reader(children(path.head.children.indexOf(path(1))), path.tail)
        slot => Member(child(slot))
      case ListColumn(_, offsets, items, _) =>
        val item = reader(items, path.tail)
        slot => (offsets(slot) until offsets(slot + 1)).map(item).toVector
      case ConstantColumn(value, _, _) =>
        val one = ValuesGenerators.contents(value).head
        _ => one
      case LeafColumn(values, _) =>
        val all = ValuesGenerators.contents(values).toVector
        all(_)
      case FixedSizeListColumn(_, dimension, items, _) =>
        val item = fixedSizeItems(items)
        slot => (slot * dimension until (slot + 1) * dimension).map(item)
    }
    slot => if (column.isNull(slot)) null else valid(slot)
  }

  private def fixedSizeItems(items: Column): Int => Option[Any] = {
    val read = reader(items, Seq.empty)
    slot => Option(read(slot))
  }

  /** The check of the file layer for every batch, because damaged levels can disagree.
    */
  private def checkSlots(batch: LeafBatch): Unit = {
    def same(found: Int, slots: Int): Unit =
      CorruptFileException.check(found == slots, s"$found slots, expected $slots")
    val slots = batch.layers.foldLeft(batch.numRows) {
      case (slots, ItemLayer(validity)) =>
        if (validity != null) same(validity.numItems, slots)
        slots
      case (slots, ListLayer(numSlots, offsets, validity)) =>
        same(numSlots, slots)
        if (validity != null) same(validity.numItems, slots)
        offsets(numSlots)
    }
    same(batch.values.numItems, slots)
  }

  /** All rows of a batch.
    *
    * @throws CorruptFileException if its layers disagree
    */
  def of(batch: LeafBatch): IndexedSeq[Any] = {
    checkSlots(batch)
    val leaf: Int => Any = batch.values match {
      case PlainLeaf(values) =>
        val all = ValuesGenerators.contents(values).toVector
        all(_)
      case ConstantLeaf(value, numItems) =>
        val one = ValuesGenerators.contents(value).head
        slot =>
          if (slot < numItems) one else throw new IndexOutOfBoundsException(s"$slot of $numItems")
      case NullLeaf(_) => _ => null
    }
    val read = batch.layers.zipWithIndex.foldRight(leaf) { case ((layer, i), below) =>
      layer match {
        case ItemLayer(validity) =>
          val isLeaf = i == batch.layers.length - 1
          slot =>
            if (validity != null && !validity.isValid(slot)) null
            else if (isLeaf) below(slot)
            else Member(below(slot))
        case ListLayer(numSlots, offsets, validity) =>
          slot =>
            if (slot >= numSlots) throw new IndexOutOfBoundsException(s"$slot of $numSlots")
            else if (validity != null && !validity.isValid(slot)) null
            else (offsets(slot) until offsets(slot + 1)).map(below).toVector
      }
    }
    (0 until batch.numRows).map(read)
  }
}
