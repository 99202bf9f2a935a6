// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.reading

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.spi._
import io.github.pysparklance.file.metadata.PageMetadata
import io.github.pysparklance.file.spi.FieldProjection

/** Reads a top-level field of a 2.0 file. Every field down to the leaves has a column there: a struct one that only
  * counts rows, a list one with its offsets, whose items are the rows of the columns below.
  *
  * Source: format page of the encodings of 2.0, "Struct, list, blob: columns and pages".
  *
  * @param rows all that will be read
  */
final private[file] class ArrayFieldReader(
    projection: FieldProjection,
    arrays: ArrayFields,
    rows: IndexedSeq[RowRange]
) extends FieldReader {
  private val root = arrays.node(projection)
  rows.foreach(root.want)

  /** A batch may go on behind the end of a page. */
  def batchEnd(row: Long): Long = root.batchEnd(row)

  def request(row: Long, numRows: Int): Boolean = root.request(numRows)

  def columns: IndexedSeq[ColumnScan] = IndexedSeq.empty

  def planAhead(): Unit = root.planAhead()

  def read(row: Long, numRows: Int): Column = root.read(numRows)
}

/** A field at any depth. Its values are read in the order in which they were wanted. */
sealed abstract private[file] class ArrayNode {

  /** Adds values to read, behind all that were added before. */
  def want(values: RowRange): Unit

  /** As [[FieldReader.batchEnd]], for a value that is one of the field's; in ascending order. */
  def batchEnd(value: Long): Long

  /** As [[FieldReader.request]], for the next values. */
  def request(numValues: Int): Boolean

  /** Asks for bytes of values that come later, without waiting. */
  def planAhead(): Unit

  def read(numValues: Int): Column
}

/** A field that the file does not hold. */
final private[file] class AbsentArray extends ArrayNode {
  def want(values: RowRange): Unit = ()
  def batchEnd(value: Long): Long = Long.MaxValue
  def request(numValues: Int): Boolean = false
  def planAhead(): Unit = ()
  def read(numValues: Int): Column = NullColumn(numValues)
}

/** A struct, of which no slot is null. */
final private[file] class StructArray(children: IndexedSeq[ArrayNode]) extends ArrayNode {
  def want(values: RowRange): Unit = children.foreach(_.want(values))

  /** By the longest child, as [[NestedFieldReader.batchEnd]]. */
  def batchEnd(value: Long): Long =
    children.foldLeft(Long.MaxValue)((end, child) => math.min(end, child.batchEnd(value)))

  def request(numValues: Int): Boolean =
    children.foldLeft(false)((again, child) => child.request(numValues) | again)

  def planAhead(): Unit = children.foreach(_.planAhead())

  def read(numValues: Int): Column = StructColumn(numValues, children.map(_.read(numValues)), null)
}

/** A field whose column holds its values. */
final private[file] class LeafArray(valueType: ValueType, scan: ArrayScan) extends ArrayNode {
  private val plain = new NullableValues(Values.allocate(valueType))
  private val indices = new NullableValues(new IntValues)

  def want(values: RowRange): Unit = scan.want(values)
  def batchEnd(value: Long): Long = scan.batchEnd(value)
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
final private[file] class ListArray(
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

  /** By page, the list at which it begins, and the item of the column below at which its items do; there is one item more,
    * where those of the last page end.
    */
  private val firstLists = pages.iterator.map(_.firstRow).toArray
  private lazy val firstItems: Array[Long] = pages.iterator.scanLeft(0L) { (first, page) =>
    scan.in(page)(Checked.add(first, decoder(page).numItems, "items of a list"))
  }.toArray

  private def wantItems(page: PageMetadata, lists: ArrayRead): Unit = {
    val inPage = lists.asInstanceOf[ListRead].items
    val first = firstItems(Search.lastAtMost(firstLists, page.firstRow))
    items.want(RowRange(
      Checked.add(first, inPage.from, "items of a list"),
      Checked.add(first, inPage.until, "items of a list")
    ))
  }

  /** By lengths of lists, and by items as if those of a page were spread evenly over its lists. */
  def batchEnd(value: Long): Long =
    if (pages.isEmpty || value >= pages.last.endRow) Long.MaxValue
    else math.min(scan.batchEnd(value), math.max(value + 1, listOf(items.batchEnd(itemOf(value)))))

  private def itemOf(list: Long): Long = {
    val i = Search.lastAtMost(firstLists, list)
    val numItems = firstItems(i + 1) - firstItems(i)
    firstItems(i) + ListArray.share(list - firstLists(i), pages(i).numRows, numItems)
  }

  private def listOf(item: Long): Long =
    if (item >= firstItems(pages.length)) Long.MaxValue
    else {
      val i = Search.lastAtMost(firstItems, item)
      val numItems = firstItems(i + 1) - firstItems(i)
      firstLists(i) + ListArray.share(item - firstItems(i), numItems, pages(i).numRows)
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

private[file] object ListArray {

  /** As much of `whole` as `part` is of `of`, about: the product may be too much for a Long. */
  private def share(part: Long, of: Long, whole: Long): Long =
    (part.toDouble * whole / of).toLong
}

/** A string or binary of early releases: a list of bytes. */
final private[file] class ByteListArray(lists: ListArray) extends ArrayNode {
  def want(values: RowRange): Unit = lists.want(values)
  def batchEnd(value: Long): Long = lists.batchEnd(value)
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
