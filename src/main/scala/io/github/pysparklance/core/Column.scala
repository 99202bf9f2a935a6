// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.core

/** A column of one batch in memory, nested as its type is.
  *
  * Arrays belong to the reader or writer that made the batch. They are valid until its next batch: then they are
  * overwritten. Consumers read them and do not write into them. Who needs values for longer copies them.
  */
sealed trait Column {

  /** Slots of this column: rows at the top, items below a list. */
  def numRows: Int

  /** Which slots are valid; null when all are. */
  def validity: Validity

  /** Bytes that the column takes in memory, about. */
  def sizeInBytes: Long

  final protected def validityBytes: Long = if (validity == null) 0L else numRows / 8L

  final def hasNulls: Boolean = validity != null && validity.hasNulls

  final def isNull(row: Int): Boolean = validity != null && !validity.isValid(row)
}

/** Values without structure: numbers, strings, decimals; also a whole packed struct. */
final case class LeafColumn(values: Values, validity: Validity) extends Column {
  def numRows: Int = values.numItems
  def sizeInBytes: Long = values.sizeInBytes + validityBytes
}

/** One value for every slot; `value` holds exactly one item. */
final case class ConstantColumn(value: Values, numRows: Int, validity: Validity) extends Column {
  def sizeInBytes: Long = value.sizeInBytes + validityBytes
}

/** Every slot null: a column no data file holds, or a page of nulls. */
final case class NullColumn(numRows: Int) extends Column {
  lazy val validity: Validity = {
    val v = new Validity
    v.appendNulls(numRows)
    v
  }
  def sizeInBytes: Long = numRows / 8L
}

/** Slot i holds `items[offsets(i), offsets(i + 1))`; `offsets` has at least `numRows + 1` entries. */
final case class ListColumn(numRows: Int, offsets: Array[Int], items: Column, validity: Validity)
    extends Column {
  def sizeInBytes: Long = items.sizeInBytes + (numRows + 1) * 4L + validityBytes
}

/** Slot i holds `items[i * dimension, (i + 1) * dimension)`, also when it is null. */
final case class FixedSizeListColumn(
    numRows: Int,
    dimension: Int,
    items: Column,
    validity: Validity
) extends Column {
  def sizeInBytes: Long = items.sizeInBytes + validityBytes
}

/** A map is a [[ListColumn]] of a two-field struct. */
final case class StructColumn(numRows: Int, children: IndexedSeq[Column], validity: Validity)
    extends Column {
  def sizeInBytes: Long = children.iterator.map(_.sizeInBytes).sum + validityBytes
}
