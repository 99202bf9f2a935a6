// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

// Hot code.
package io.github.pysparklance.spark.columns

import org.apache.spark.sql.catalyst.expressions.SpecializedGetters
import org.apache.spark.sql.catalyst.util.ArrayData

import io.github.pysparklance.core._
import io.github.pysparklance.spark.shim.SparkShim

/** Appends structs. */
final private[columns] class StructBuilder(field: Field, children: IndexedSeq[ColumnBuilder])
    extends ColumnBuilder {
  private val members = children.toArray

  protected def nullable: Boolean = field.nullable

  protected def appendValue(from: SpecializedGetters, at: Int): Unit = {
    val row = from.getStruct(at, members.length)
    var i = 0
    while (i < members.length) {
      members(i).append(row, i)
      i += 1
    }
  }

  protected def appendFiller(n: Int): Unit = members.foreach(_.appendNulls(n))

  def column: Column = StructColumn(rows, children.map(_.column), validity)

  override def clear(): Unit = { super.clear(); members.foreach(_.clear()) }

  def sizeInBytes: Long = children.iterator.map(_.sizeInBytes).sum
}

/** End offsets of the lists of a batch. */
final private class ListOffsets {
  var array: Array[Int] = new Array[Int](64)
  private var lists = 0

  def append(end: Int): Unit = {
    lists += 1
    if (lists == array.length)
      array = java.util.Arrays.copyOf(array, Values.grownCapacity(array.length, lists + 1L))
    array(lists) = end
  }

  def appendEmpty(n: Int): Unit = {
    var i = 0
    while (i < n) {
      append(array(lists))
      i += 1
    }
  }

  def clear(): Unit = lists = 0
}

/** Appends arrays. */
final private[columns] class ListBuilder(field: Field, items: ColumnBuilder) extends ColumnBuilder {
  private val offsets = new ListOffsets

  protected def nullable: Boolean = field.nullable

  protected def appendValue(from: SpecializedGetters, at: Int): Unit = {
    items.appendAll(from.getArray(at))
    offsets.append(items.rows)
  }

  protected def appendFiller(n: Int): Unit = offsets.appendEmpty(n)

  def column: Column = ListColumn(rows, offsets.array, items.column, validity)

  override def clear(): Unit = { super.clear(); offsets.clear(); items.clear() }

  def sizeInBytes: Long = rows * 4L + items.sizeInBytes
}

/** Appends maps. */
final private[columns] class MapBuilder(field: Field, keys: ColumnBuilder, values: ColumnBuilder)
    extends ColumnBuilder {
  private val offsets = new ListOffsets

  protected def nullable: Boolean = field.nullable

  protected def appendValue(from: SpecializedGetters, at: Int): Unit = {
    val map = from.getMap(at)
    keys.appendAll(map.keyArray())
    values.appendAll(map.valueArray())
    offsets.append(keys.rows)
  }

  protected def appendFiller(n: Int): Unit = offsets.appendEmpty(n)

  def column: Column = {
    val entries = StructColumn(keys.rows, IndexedSeq(keys.column, values.column), null)
    ListColumn(rows, offsets.array, entries, validity)
  }

  override def clear(): Unit = {
    super.clear()
    offsets.clear()
    keys.clear()
    values.clear()
  }

  def sizeInBytes: Long = rows * 4L + keys.sizeInBytes + values.sizeInBytes
}

/** Appends arrays with the dimension of the column. Each array is one value of the leaf. */
final private[columns] class FixedSizeListBuilder(
    field: Field,
    dimension: Int,
    items: LeafBuilder,
    lists: FixedSizeListValues
) extends LeafBuilder(field, lists) {

  def this(field: Field, dimension: Int, items: LeafBuilder) =
    this(field, dimension, items, new FixedSizeListValues(dimension, items.values))

  protected def appendValue(from: SpecializedGetters, at: Int): Unit = {
    val array: ArrayData = from.getArray(at)
    FixedSizeLists.checkLength(field, dimension, array)
    items.appendAll(array)
    lists.extend(1)
  }

  override protected def appendFiller(n: Int): Unit = {
    items.appendFillerItems(Math.multiplyExact(n, dimension))
    lists.extend(n)
  }

  override def settle(): Unit = {
    items.settle()
    lists.itemValidity = items.itemValidity
  }

  override def clear(): Unit = {
    items.clear()
    super.clear()
  }

  override def sizeInBytes: Long = items.sizeInBytes
}

/** Appends variants as two binaries. */
final private[columns] class VariantBuilder(field: Field) extends ColumnBuilder {
  private val values = new BinaryValues
  private val metadata = new BinaryValues

  protected def nullable: Boolean = field.nullable

  protected def appendValue(from: SpecializedGetters, at: Int): Unit = {
    val parts = SparkShim.variant(from, at)
    values.append(parts(0), 0, parts(0).length)
    metadata.append(parts(1), 0, parts(1).length)
  }

  protected def appendFiller(n: Int): Unit = {
    values.appendFiller(n)
    metadata.appendFiller(n)
  }

  def column: Column =
    StructColumn(rows, IndexedSeq(LeafColumn(values, null), LeafColumn(metadata, null)), validity)

  override def clear(): Unit = {
    super.clear()
    values.clear()
    metadata.clear()
  }

  def sizeInBytes: Long = values.sizeInBytes + metadata.sizeInBytes
}

/** Appends arrays of structs with the dimension of the column. */
final private[columns] class StructListBuilder(
    field: Field,
    dimension: Int,
    items: ColumnBuilder
) extends ColumnBuilder {
  protected def nullable: Boolean = field.nullable

  protected def appendValue(from: SpecializedGetters, at: Int): Unit = {
    val array: ArrayData = from.getArray(at)
    FixedSizeLists.checkLength(field, dimension, array)
    items.appendAll(array)
  }

  protected def appendFiller(n: Int): Unit = items.appendNulls(Math.multiplyExact(n, dimension))

  def column: Column = FixedSizeListColumn(rows, dimension, items.column, validity)

  override def clear(): Unit = {
    super.clear()
    items.clear()
  }

  def sizeInBytes: Long = items.sizeInBytes
}

private object FixedSizeLists {

  /** @throws InvalidRequestException if the array does not have the dimension of the column */
  def checkLength(field: Field, dimension: Int, array: ArrayData): Unit =
    if (array.numElements() != dimension)
      throw new InvalidRequestException(
        s"an array of ${array.numElements()} items in a vector column, whose arrays have $dimension items each",
        Place(column = Some(field.name))
      )
}
