// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.reading

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.spi._
import io.github.pysparklance.file.metadata.PageMetadata
import io.github.pysparklance.file.spi.FieldProjection

/** Reads a top-level field of a file of version 2.0. Every field at any depth has a column. The
  * column of a struct only counts rows, and that of a list contains offsets. The rows of the column
  * below a list are its items.
  *
  * Source: format page of the encodings of 2.0, "Struct, list, blob: columns and pages".
  *
  * @param rows all rows to read
  */
final private[file] class ArrayFieldReader(
    projection: FieldProjection,
    arrays: ArrayFields,
    rows: IndexedSeq[RowRange]
) extends FieldReader {
  private val root = arrays.node(projection)
  rows.foreach(root.want)

  /** A batch may continue beyond the end of a page. */
  def batchEnd(row: Long): Long = root.batchEnd(row)

  def request(row: Long, numRows: Int): Boolean = root.request(numRows)

  def columns: IndexedSeq[ColumnScan] = IndexedSeq.empty

  def planAhead(): Unit = root.planAhead()

  def read(row: Long, numRows: Int): Column = root.read(numRows)
}

/** A field at any depth. Its values are read in the order in which [[want]] requested them. */
sealed abstract private[file] class ArrayNode {

  /** Adds values to read, after all values added before. */
  def want(values: RowRange): Unit

  /** As [[FieldReader.batchEnd]], for values of this field, in ascending order. */
  def batchEnd(value: Long): Long

  /** As [[FieldReader.request]], for the next values. */
  def request(numValues: Int): Boolean

  /** Requests bytes of later values, without waiting. */
  def planAhead(): Unit

  def read(numValues: Int): Column
}

/** A field that the file does not contain. */
final private[file] class AbsentArray extends ArrayNode {
  def want(values: RowRange): Unit = ()
  def batchEnd(value: Long): Long = Long.MaxValue
  def request(numValues: Int): Boolean = false
  def planAhead(): Unit = ()
  def read(numValues: Int): Column = NullColumn(numValues)
}

/** A struct without nulls. */
final private[file] class StructArray(children: IndexedSeq[ArrayNode]) extends ArrayNode {
  def want(values: RowRange): Unit = children.foreach(_.want(values))

  /** Determined by the child with the earliest end, as in [[NestedFieldReader.batchEnd]]. */
  def batchEnd(value: Long): Long =
    children.foldLeft(Long.MaxValue)((end, child) => math.min(end, child.batchEnd(value)))

  def request(numValues: Int): Boolean =
    children.foldLeft(false)((again, child) => child.request(numValues) | again)

  def planAhead(): Unit = children.foreach(_.planAhead())

  def read(numValues: Int): Column = StructColumn(numValues, children.map(_.read(numValues)), null)
}

/** A field whose column contains its values. */
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

/** A list. Its offsets are read first, because they determine the items to read.
  *
  * @param items the child field
  * @param makeScan creates the scan of the list lengths, given a callback for the lists of each
  *   window
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

  /** First list of each page, and the first item of these lists in the column below. There is one
    * more item: the end of the items of the last page.
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

  /** Limited by the lengths of lists, and by items, assuming that the items of a page are
    * distributed evenly over its lists.
    */
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

  /** Returns about `whole * part / of`. Uses doubles, because the product may exceed a Long. */
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
        case _ => throw new CorruptFileException("a string contains null bytes")
      }
      values.extend(numValues)
      LeafColumn(values, validity)
    case other => other
  }
}
