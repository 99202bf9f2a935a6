// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.spi._
import io.github.pysparklance.file.spi.FieldProjection

/** Reads a top-level field of a 2.0 file. Every field down to the leaves has a column there: a struct one that only
  * counts rows, a list one with its offsets, whose items are the rows of the columns below.
  *
  * Source: format page of the encodings of 2.0, "Struct, list, blob: columns and pages".
  *
  * @param rows all that will be read
  */
final private class ArrayFieldReader(
    projection: FieldProjection,
    arrays: ArrayFields,
    rows: IndexedSeq[RowRange]
) extends FieldReader {
  private val root = arrays.node(projection)
  rows.foreach(root.want)

  /** Pages end where they want. */
  def batchEnd(row: Long): Long = Long.MaxValue

  def request(row: Long, numRows: Int): Boolean = root.request(numRows)

  def columns: IndexedSeq[ColumnScan] = IndexedSeq.empty

  def planAhead(): Unit = root.planAhead()

  def read(row: Long, numRows: Int): Column = root.read(numRows)
}

/** A field at any depth. Its values are read in the order in which they were wanted. */
sealed abstract private class ArrayNode {

  /** Adds values to read, behind all that were added before. */
  def want(values: RowRange): Unit

  /** As [[FieldReader.request]], for the next values. */
  def request(numValues: Int): Boolean

  /** Asks for bytes of values that come later, without waiting. */
  def planAhead(): Unit

  def read(numValues: Int): Column
}

/** A field that the file does not hold. */
final private class AbsentArray extends ArrayNode {
  def want(values: RowRange): Unit = ()
  def request(numValues: Int): Boolean = false
  def planAhead(): Unit = ()
  def read(numValues: Int): Column = NullColumn(numValues)
}

/** A struct, of which no slot is null. */
final private class StructArray(children: IndexedSeq[ArrayNode]) extends ArrayNode {
  def want(values: RowRange): Unit = children.foreach(_.want(values))

  def request(numValues: Int): Boolean =
    children.foldLeft(false)((again, child) => child.request(numValues) | again)

  def planAhead(): Unit = children.foreach(_.planAhead())

  def read(numValues: Int): Column = StructColumn(numValues, children.map(_.read(numValues)), null)
}

/** A field whose column holds its values. */
final private class LeafArray(valueType: ValueType, scan: ArrayScan) extends ArrayNode {
  private val plain = new NullableValues(Values.allocate(valueType))
  private val indices = new NullableValues(new IntValues)

  def want(values: RowRange): Unit = scan.want(values)
  def request(numValues: Int): Boolean = scan.request(numValues)
  def planAhead(): Unit = scan.planAhead()

  def read(numValues: Int): Column =
    if (scan.skipNulls(numValues)) NullColumn(numValues)
    else {
      indices.clear()
      val items = scan.readIndices(numValues, indices)
      if (items == null) {
        plain.clear()
        scan.read(numValues, plain)
        LeafColumns(plain.values, plain.validity)
      } else {
        val values = new DictionaryValues(indices.values.asInstanceOf[IntValues], items)
        values.extend(numValues)
        LeafColumn(values, indices.validity)
      }
    }
}

/** A list. Its offsets are read first, and tell which items are wanted.
  *
  * @param items the field below
  * @param makeScan makes the scan of the lengths of the lists, given what has to be told of each window
  */
final private class ListArray(
    items: ArrayNode,
    pages: IndexedSeq[PageMetadata],
    decoder: PageMetadata => ListDecoder,
    makeScan: ((PageMetadata, ArrayRead) => Unit) => ArrayScan
) extends ArrayNode {
  private val scan = makeScan(wantItems)
  private val lengths = new IntValues
  private val read = new NullableValues(lengths)
  private var offsets = new Array[Int](1)
  private var numPending = -1

  /** By page, the item of the column below at which its items begin. */
  private lazy val firstItems: Map[Int, Long] = {
    var next = 0L
    pages.iterator.map { page =>
      val first = next
      next = Math.addExact(next, decoder(page).numItems)
      page.number -> first
    }.toMap
  }

  private def wantItems(page: PageMetadata, lists: ArrayRead): Unit = {
    val inPage = lists.asInstanceOf[ListRead].items
    val first = firstItems(page.number)
    items.want(RowRange(Math.addExact(first, inPage.from), Math.addExact(first, inPage.until)))
  }

  def want(values: RowRange): Unit = scan.want(values)

  def request(numValues: Int): Boolean =
    if (numPending < 0 && scan.request(numValues)) true
    else {
      if (numPending < 0) readOffsets(numValues)
      items.request(offsets(numValues))
    }

  private def readOffsets(numValues: Int): Unit = {
    read.clear()
    scan.read(numValues, read)
    if (offsets.length <= numValues)
      offsets = new Array(Values.grownCapacity(offsets.length, numValues + 1L))
    var end = 0L
    var i = 0
    while (i < numValues) {
      end += lengths.array(i)
      i += 1
      offsets(i) = end.toInt
    }
    if (end > Int.MaxValue)
      throw new UnsupportedFeatureException(
        s"a batch of $numValues lists with $end items; read fewer rows at a time"
      )
    numPending = numValues
  }

  def planAhead(): Unit = {
    scan.planAhead()
    items.planAhead()
  }

  def read(numValues: Int): Column = {
    numPending = -1
    ListColumn(numValues, offsets, items.read(offsets(numValues)), read.validity)
  }
}

/** A string or binary of early releases: a list of bytes. */
final private class ByteListArray(lists: ListArray) extends ArrayNode {
  def want(values: RowRange): Unit = lists.want(values)
  def request(numValues: Int): Boolean = lists.request(numValues)
  def planAhead(): Unit = lists.planAhead()

  def read(numValues: Int): Column = lists.read(numValues) match {
    case ListColumn(_, offsets, items, validity) =>
      val values = new BinaryValues
      values.offsets = offsets
      values.bytes = items match {
        case LeafColumn(bytes: ByteValues, null) => bytes.array
        case none if none.numRows == 0 => Array.emptyByteArray
        case _ => throw new CorruptFileException("nulls among the bytes of a string")
      }
      values.extend(numValues)
      LeafColumn(values, validity)
    case other => other
  }
}
