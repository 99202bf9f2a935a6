// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.reading

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.spi._

/** Assembles the leaves of one top-level field. Every leaf repeats the nesting above it. So a
  * struct or list is taken from its first leaf in the file, and the other leaves must have the same
  * counts.
  *
  * Source: format page of the structural encodings, "Nesting -> layers".
  */
final private[file] class NestedColumn(field: Field) {
  import NestedColumn._

  private val root = build(field, 0, 0)

  /** Number of leaves of the field. */
  def numLeaves: Int = root.endLeaf

  /** Returns the column of one batch.
    *
    * @param leaves a batch for every leaf; null for leaves missing in the file
    * @throws CorruptFileException if the nesting of the leaves does not match the field, or they
    *   disagree
    */
  def assemble(leaves: Array[LeafBatch], numRows: Int): Column = root.assemble(leaves, numRows)
}

private[file] object NestedColumn {

  /** A field at `depth` in its tree, with the leaves `[firstLeaf, endLeaf)` at or below it. */
  sealed abstract class Node(val field: Field, val depth: Int, val firstLeaf: Int) {
    def endLeaf: Int

    /** Returns the column of the field with `numSlots` slots. */
    final def assemble(leaves: Array[LeafBatch], numSlots: Int): Column = {
      var i = firstLeaf
      while (i < endLeaf && leaves(i) == null) i += 1
      if (i == endLeaf) NullColumn(numSlots)
      else present(leaves, leafWithNesting(leaves, i), numSlots)
    }

    /** Returns the first present leaf that has the nesting of the field; `first` if there is none.
      */
    private def leafWithNesting(leaves: Array[LeafBatch], first: Int): Int = {
      var i = first
      while (i < endLeaf && (leaves(i) == null || lacksNesting(i))) i += 1
      if (i < endLeaf) i else first
    }

    /** Whether a leaf belongs to a struct without members, so that its page contains no nesting. */
    def lacksNesting(leaf: Int): Boolean

    /** Returns the column of the field, given that leaf `first` is present. */
    protected def present(leaves: Array[LeafBatch], first: Int, numSlots: Int): Column

    final protected def layer(batch: LeafBatch): Layer = {
      CorruptFileException.check(
        depth < batch.layers.length,
        s"the page has ${batch.layers.length} layers, but the field '${field.name}' is layer ${depth + 1}"
      )
      batch.layers(depth)
    }

    final protected def itemValidity(batch: LeafBatch, numSlots: Int): Validity =
      layer(batch) match {
        case ItemLayer(validity) =>
          if (validity != null) checkSlots(validity.numItems, numSlots)
          validity
        case _: ListLayer =>
          throw new CorruptFileException(
            s"the page has a list layer, but the field '${field.name}' is not a list"
          )
      }

    final protected def list(batch: LeafBatch, numSlots: Int): ListLayer = layer(batch) match {
      case list: ListLayer =>
        checkSlots(list.numSlots, numSlots)
        if (list.validity != null) checkSlots(list.validity.numItems, numSlots)
        list
      case _: ItemLayer =>
        throw new CorruptFileException(
          s"the page has no list layer, but the field '${field.name}' is a list"
        )
    }

    final protected def checkSlots(found: Int, expected: Int): Unit =
      if (found != expected)
        throw new CorruptFileException(
          s"$found slots of the field '${field.name}', expected $expected"
        )
  }

  private def build(field: Field, depth: Int, firstLeaf: Int): Node =
    if (field.isEmptyStruct) new EmptyStructNode(field, depth, firstLeaf)
    else if (field.isLeaf) new LeafNode(field, depth, firstLeaf)
    else
      field.logicalType match {
        case LogicalType.Struct =>
          var next = firstLeaf
          val children = field.children.map { child =>
            val node = build(child, depth + 1, next)
            next = node.endLeaf
            node
          }
          new StructNode(field, depth, firstLeaf, children)
        case LogicalType.List(_, _) | LogicalType.Map =>
          new ListNode(field, depth, firstLeaf, build(field.children.head, depth + 1, firstLeaf))
        case LogicalType.FixedSizeList(LogicalType.Struct, dimension) =>
          val items = build(field.children.head, depth + 1, firstLeaf)
          new FixedSizeListNode(field, depth, firstLeaf, dimension, items)
        case other => throw new UnsupportedFeatureException(s"reading ${LogicalType.text(other)}")
      }

  final private class StructNode(
      field: Field,
      depth: Int,
      firstLeaf: Int,
      children: IndexedSeq[Node]
  ) extends Node(field, depth, firstLeaf) {
    val endLeaf: Int = children.last.endLeaf

    def lacksNesting(leaf: Int): Boolean =
      children.find(leaf < _.endLeaf).exists(_.lacksNesting(leaf))

    protected def present(leaves: Array[LeafBatch], first: Int, numSlots: Int): Column = {
      // Structs without members cannot be written below nulls.
      val validity = if (lacksNesting(first)) null else itemValidity(leaves(first), numSlots)
      StructColumn(numSlots, children.map(_.assemble(leaves, numSlots)), validity)
    }
  }

  final private class ListNode(field: Field, depth: Int, firstLeaf: Int, items: Node)
      extends Node(field, depth, firstLeaf) {
    val endLeaf: Int = items.endLeaf

    def lacksNesting(leaf: Int): Boolean = items.lacksNesting(leaf)

    protected def present(leaves: Array[LeafBatch], first: Int, numSlots: Int): Column = {
      val shape = list(leaves(first), numSlots)
      val numItems = shape.offsets(numSlots)
      var i = first + 1
      while (i < endLeaf) {
        if (leaves(i) != null) checkSlots(list(leaves(i), numSlots).offsets(numSlots), numItems)
        i += 1
      }
      ListColumn(numSlots, shape.offsets, items.assemble(leaves, numItems), shape.validity)
    }
  }

  final private class FixedSizeListNode(
      field: Field,
      depth: Int,
      firstLeaf: Int,
      dimension: Int,
      items: Node
  ) extends Node(field, depth, firstLeaf) {
    val endLeaf: Int = items.endLeaf

    def lacksNesting(leaf: Int): Boolean = items.lacksNesting(leaf)

    protected def present(leaves: Array[LeafBatch], first: Int, numSlots: Int): Column = {
      val validity = if (lacksNesting(first)) null else itemValidity(leaves(first), numSlots)
      val numItems = Math.multiplyExact(numSlots, dimension)
      FixedSizeListColumn(numSlots, dimension, items.assemble(leaves, numItems), validity)
    }
  }

  /** The page of a struct without members has as many rows as the file, and no other content. */
  final private class EmptyStructNode(field: Field, depth: Int, firstLeaf: Int)
      extends Node(field, depth, firstLeaf) {
    val endLeaf: Int = firstLeaf + 1
    def lacksNesting(leaf: Int): Boolean = true

    protected def present(leaves: Array[LeafBatch], first: Int, numSlots: Int): Column =
      StructColumn(numSlots, IndexedSeq.empty, null)
  }

  final private class LeafNode(field: Field, depth: Int, firstLeaf: Int)
      extends Node(field, depth, firstLeaf) {
    val endLeaf: Int = firstLeaf + 1

    def lacksNesting(leaf: Int): Boolean = false

    protected def present(leaves: Array[LeafBatch], first: Int, numSlots: Int): Column = {
      val batch = leaves(first)
      CorruptFileException.check(
        batch.layers.length == depth + 1,
        s"the page has ${batch.layers.length} layers, but its column has ${depth + 1}"
      )
      checkSlots(batch.values.numItems, numSlots)
      val validity = itemValidity(batch, numSlots)
      batch.values match {
        case PlainLeaf(values) => LeafColumns(values, validity)
        case ConstantLeaf(value @ (_: FixedSizeListValues | _: PackedStructValues), n) =>
          val values = Values.allocate(field.valueType)
          values.appendRepeated(value, 0, n)
          LeafColumns(values, validity)
        case ConstantLeaf(value, n) => ConstantColumn(value, n, validity)
        case NullLeaf(n) => NullColumn(n)
      }
    }
  }
}
