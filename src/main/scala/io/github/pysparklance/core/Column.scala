// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.core

/** A column of one batch in memory, nested like its type.
  *
  * Arrays belong to the reader or writer that produced the batch. They are overwritten by its next
  * batch, so consumers must copy values that they keep. Consumers must not modify them.
  */
sealed trait Column {

  /** Number of slots: rows of a top-level column, items of a column below a list. */
  def numRows: Int

  /** The valid slots; null if all are valid. */
  def validity: Validity

  /** Approximate bytes in memory. */
  def sizeInBytes: Long

  final protected def validityBytes: Long = if (validity == null) 0L else numRows / 8L

  final def hasNulls: Boolean = validity != null && validity.hasNulls

  final def isNull(row: Int): Boolean = validity != null && !validity.isValid(row)
}

object Column {

  /** Returns a leaf column with one value per slot: looks up dictionary-encoded values and repeats
    * constants. Returns other columns unchanged. The values of nulls are undefined.
    */
  def plain(column: Column): Column = column match {
    case LeafColumn(d: DictionaryValues, validity) => LeafColumn(lookedUp(d, validity), validity)
    case ConstantColumn(value, numRows, validity) =>
      val all = Values.emptyLike(value)
      all.appendRepeated(value, 0, numRows)
      LeafColumn(all, validity)
    case other => other
  }

  private def lookedUp(d: DictionaryValues, validity: Validity): Values = {
    val all = Values.emptyLike(d.items)
    all.reserve(d.numItems)
    var i = 0
    while (i < d.numItems) {
      if (validity == null || validity.isValid(i)) all.appendFrom(d.items, d.indices.array(i), 1)
      else all.appendFiller(1)
      i += 1
    }
    all
  }
}

/** Leaf values: numbers, strings, decimals, and packed structs. */
final case class LeafColumn(values: Values, validity: Validity) extends Column {
  def numRows: Int = values.numItems
  def sizeInBytes: Long = values.sizeInBytes + validityBytes
}

/** The same value in every slot. `value` has exactly one item. */
final case class ConstantColumn(value: Values, numRows: Int, validity: Validity) extends Column {
  def sizeInBytes: Long = value.sizeInBytes + validityBytes
}

/** Nulls only: a column that no data file has, or a page of nulls. */
final case class NullColumn(numRows: Int) extends Column {
  lazy val validity: Validity = {
    val v = new Validity
    v.appendNulls(numRows)
    v
  }
  def sizeInBytes: Long = numRows / 8L
}

/** Slot i holds `items[offsets(i), offsets(i + 1))`; `offsets` has at least `numRows + 1` entries.
  */
final case class ListColumn(numRows: Int, offsets: Array[Int], items: Column, validity: Validity)
    extends Column {
  def sizeInBytes: Long = items.sizeInBytes + (numRows + 1) * 4L + validityBytes
}

/** Slot i holds `items[i * dimension, (i + 1) * dimension)`, even if it is null. */
final case class FixedSizeListColumn(
    numRows: Int,
    dimension: Int,
    items: Column,
    validity: Validity
) extends Column {
  def sizeInBytes: Long = items.sizeInBytes + validityBytes
}

/** A struct. Maps are [[ListColumn]]s of structs with two members. */
final case class StructColumn(numRows: Int, children: IndexedSeq[Column], validity: Validity)
    extends Column {
  def sizeInBytes: Long = children.iterator.map(_.sizeInBytes).sum + validityBytes
}
