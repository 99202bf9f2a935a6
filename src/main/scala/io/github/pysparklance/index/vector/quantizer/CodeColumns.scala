// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.quantizer

import io.github.pysparklance.core._

/** Columns of index files as arrays. */
private[vector] object CodeColumns {

  /** Returns the items of a column of fixed-size lists without nulls.
    *
    * @param listSize number of items of a list
    * @param name name of the column, for messages
    * @return at least the items of the rows
    * @throws CorruptFileException if the column has another shape
    */
  def items(column: Column, listSize: Int, name: String): Values = {
    def mismatch(found: Column): Nothing = throw new CorruptFileException(
      s"the column $name does not have lists of $listSize numbers without nulls: it is a " +
        found.getClass.getSimpleName
    )
    val found = Column.plain(column) match {
      case LeafColumn(lists: FixedSizeListValues, validity) if isPlain(lists, listSize, validity) =>
        lists.items
      case FixedSizeListColumn(_, `listSize`, items, validity) if isFull(validity) =>
        Column.plain(items) match {
          case LeafColumn(numbers, itemValidity) if isFull(itemValidity) => numbers
          case other => mismatch(other)
        }
      case other => mismatch(other)
    }
    CorruptFileException.check(
      column.numRows.toLong * listSize <= found.numItems,
      s"the column $name has ${found.numItems} numbers for ${column.numRows} rows of $listSize"
    )
    found
  }

  private def isPlain(lists: FixedSizeListValues, listSize: Int, validity: Validity): Boolean =
    lists.dimension == listSize && isFull(validity) && isFull(lists.itemValidity)

  private def isFull(validity: Validity): Boolean = validity == null || !validity.hasNulls

  /** Appends the bytes of the lists of a column to an array. */
  def appendBytes(column: Column, listSize: Int, name: String, out: Array[Byte], at: Int): Unit =
    items(column, listSize, name) match {
      case v: ByteValues => System.arraycopy(v.array, 0, out, at, column.numRows * listSize)
      case other => mismatch(name, other)
    }

  /** Returns the values of a flat column without nulls. */
  private def values(column: Column, name: String): Values = Column.plain(column) match {
    case LeafColumn(v, validity) if isFull(validity) => v
    case other => mismatch(name, other)
  }

  /** Appends the numbers of a column without nulls to an array. */
  def appendFloats(column: Column, name: String, out: Array[Float], at: Int): Unit =
    values(column, name) match {
      case v: IntValues =>
        var i = 0
        while (i < column.numRows) {
          out(at + i) = java.lang.Float.intBitsToFloat(v.array(i))
          i += 1
        }
      case other => mismatch(name, other)
    }

  /** Appends the numbers of a column without nulls to an array. */
  def appendIds(column: Column, name: String, out: Array[Long], at: Int): Unit =
    values(column, name) match {
      case v: LongValues => System.arraycopy(v.array, 0, out, at, column.numRows)
      case other => mismatch(name, other)
    }

  /** Appends the unsigned numbers of a column without nulls to an array. */
  def appendInts(column: Column, name: String, out: Array[Int], at: Int): Unit =
    copyInts(column, 0, column.numRows, name, out, at)

  /** Copies unsigned numbers of a column without nulls. Numbers that are too large become -1. */
  def copyInts(
      column: Column,
      from: Int,
      numItems: Int,
      name: String,
      out: Array[Int],
      at: Int
  ): Unit = {
    CorruptFileException.check(
      from + numItems <= column.numRows,
      s"the column $name has ${column.numRows} numbers, not ${from + numItems}"
    )
    values(column, name) match {
      case v: IntValues => System.arraycopy(v.array, from, out, at, numItems)
      case v: LongValues =>
        var i = 0
        while (i < numItems) {
          val number = v.array(from + i)
          out(at + i) = if (number == number.toInt) number.toInt else -1
          i += 1
        }
      case other => mismatch(name, other)
    }
  }

  /** Returns the starts and the items of a column of lists without nulls. */
  def lists(column: Column, name: String): (Array[Int], Column) = column match {
    case ListColumn(_, offsets, items, validity) if isFull(validity) => (offsets, items)
    case other =>
      throw new CorruptFileException(
        s"the column $name has no lists: ${other.getClass.getSimpleName}"
      )
  }

  /** Copies a column without nulls as bytes, little endian.
    *
    * @param out receives the bytes, row by row, from position `at`
    */
  def copyBytes(column: Column, of: CodeColumn, out: Array[Byte], at: Int): Unit = {
    val found =
      if (of.listSize > 0) items(column, of.listSize, of.name) else values(column, of.name)
    val count = column.numRows * math.max(1, of.listSize)
    var i = 0
    (found, of.itemBytes) match {
      case (v: ByteValues, 1) => System.arraycopy(v.array, 0, out, at, count)
      case (v: ShortValues, 2) =>
        while (i < count) {
          Buffer.putShort(out, at + 2 * i, v.array(i))
          i += 1
        }
      case (v: IntValues, 4) =>
        while (i < count) {
          Buffer.putInt(out, at + 4 * i, v.array(i))
          i += 1
        }
      case (v: LongValues, 8) =>
        while (i < count) {
          Buffer.putLong(out, at + 8 * i, v.array(i))
          i += 1
        }
      case (other, _) => mismatch(of.name, other)
    }
  }

  /** Returns the column of some rows. Counterpart of [[copyBytes]].
    *
    * @param bytes row by row, little endian
    */
  def ofBytes(of: CodeColumn, bytes: Array[Byte], from: Int, numRows: Int): Column = {
    val count = numRows * math.max(1, of.listSize)
    val source = Buffer(bytes)
    val at = from * of.numBytes
    val values: Values = of.itemBytes match {
      case 1 =>
        val v = new ByteValues
        v.extend(count): Unit
        source.copyBytes(at, v.array, 0, count)
        v
      case 2 =>
        val v = new ShortValues
        v.extend(count): Unit
        source.copyShorts(at, v.array, 0, count)
        v
      case 4 =>
        val v = new IntValues
        v.extend(count): Unit
        source.copyInts(at, v.array, 0, count)
        v
      case _ =>
        val v = new LongValues
        v.extend(count): Unit
        source.copyLongs(at, v.array, 0, count)
        v
    }
    if (of.listSize == 0) LeafColumn(values, null)
    else {
      val lists = new FixedSizeListValues(of.listSize, values)
      lists.extend(numRows)
      LeafColumn(lists, null)
    }
  }

  /** Returns the size of an array for all codes of a partition.
    *
    * @throws UnsupportedFeatureException if the size exceeds the maximum array size
    */
  def arraySize(numRows: Int, perRow: Int): Int = {
    val size = numRows.toLong * perRow
    if (size > Values.maxArrayLength)
      throw new UnsupportedFeatureException(
        s"a partition of a vector index with $numRows rows of $perRow numbers: it must be built with " +
          "more partitions"
      )
    size.toInt
  }

  private def mismatch(name: String, found: Any): Nothing = throw new CorruptFileException(
    s"the column $name does not have the expected numbers: it has ${found.getClass.getSimpleName}"
  )
}
