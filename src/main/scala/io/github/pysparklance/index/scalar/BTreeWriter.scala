// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.scalar

import scala.collection.mutable

import io.github.pysparklance.core._
import io.github.pysparklance.file.spi.RowReader
import io.github.pysparklance.file.{DescribedFile, DescribedFileWriter}
import io.github.pysparklance.index.spi._

/** A page of a BTREE index.
  *
  * @param min key of the first row; none: null
  * @param max key of the last row; none: null
  */
final case class BTreePage(min: Option[Key], max: Option[Key], nullCount: Int)

/** A file of pages.
  *
  * @param id of its range in a segment of several; none: the segment has this one file
  */
final case class BTreePages(id: Option[Long], pages: IndexedSeq[BTreePage])

/** Writes the pages of a BTREE index, or of a range of it, from entries that ascend by key, nulls first. Not
  * thread-safe. Hot code: one page in memory.
  *
  * @param id of the range; none: there is one range only
  */
final class BTreeWriter(
    logicalType: LogicalType,
    pageRows: Int,
    id: Option[Long],
    into: NewSegment
) extends AutoCloseable {
  private val keyType = KeyType.of(logicalType).get
  private val name = BTree.dataFile(id)
  private val file: DescribedFileWriter = into.create(name, BTree.dataFields(logicalType))
  private val keys = new KeyColumn(logicalType, keyType)
  private val ids = new LongValues
  private val pages = mutable.ArrayBuffer.empty[BTreePage]
  private var first = Option.empty[Key]
  private var last = Option.empty[Key]
  private var nulls = 0

  /** Appends an entry.
    *
    * @param key none: null
    */
  def append(key: Option[Key], row: Long): Unit = {
    if (keys.numRows == 0) first = key
    last = key
    if (key.isEmpty) nulls += 1
    keys.append(key)
    ids.append(row)
    if (keys.numRows == pageRows) flush()
  }

  private def flush(): Unit = if (keys.numRows > 0) {
    file.write(IndexedSeq(keys.column, LeafColumn(ids, null)), keys.numRows)
    pages += BTreePage(first, last, nulls)
    keys.clear()
    ids.clear()
    nulls = 0
  }

  def finish(): BTreePages = {
    flush()
    into.finish(name, file)
    BTreePages(id, pages.toIndexedSeq)
  }

  def close(): Unit = file.close()
}

/** Entries of a BTREE index, ascending. */
private[scalar] trait BTreeEntries extends AutoCloseable {

  /** Moves on; false at the end. */
  def next(): Boolean

  def key: Option[Key]

  def row: Long
}

private[scalar] object BTreeEntries {
  private val batchRows = 4096

  /** The entries of a segment that go into another one.
    *
    * @param pages files and rows of all pages, ascending
    */
  def read(source: SegmentSource, keyType: KeyType, pages: Seq[(String, RowRange)]): BTreeEntries =
    new SegmentEntries(source, keyType, pages.iterator)

  /** The entries of all. */
  def merged(inputs: Seq[BTreeEntries]): BTreeEntries = new MergedEntries(inputs)

  final private class SegmentEntries(
      source: SegmentSource,
      keyType: KeyType,
      pages: Iterator[(String, RowRange)]
  ) extends BTreeEntries {
    private var file: DescribedFile = null
    private var name = ""
    private var reader: RowReader = null
    private var keys: Keys = null
    private var ids: Int => Long = null
    private var at = -1
    private var rowNow = RowTransfer.none

    def next(): Boolean = {
      rowNow = RowTransfer.none
      while (rowNow == RowTransfer.none && advance()) rowNow = source.rows(ids(at))
      rowNow != RowTransfer.none
    }

    private def advance(): Boolean = {
      at += 1
      keys != null && at < keys.numRows || readBatch()
    }

    private def readBatch(): Boolean = {
      var available = if (reader == null) 0 else reader.rowsAvailable
      while (available == 0 && pages.hasNext) {
        openPage()
        available = reader.rowsAvailable
      }
      available > 0 && {
        val columns = reader.read(math.min(available, batchRows))
        keys = keyType.keys(columns(0))
        ids = Numbers.of(columns(1))
        at = 0
        true
      }
    }

    private def openPage(): Unit = {
      val (wanted, rows) = pages.next()
      if (reader != null) reader.close()
      reader = null
      if (file == null || wanted != name) {
        if (file != null) file.close()
        file = source.files.open(wanted)
        name = wanted
      }
      CorruptFileException.check(
        rows.from < file.numRows,
        s"a page at row ${rows.from} of a file of ${file.numRows} rows"
      )
      val present = RowRange(rows.from, math.min(rows.until, file.numRows))
      reader = file.read(IndexedSeq("values", "ids"), IndexedSeq(present))
    }

    def key: Option[Key] = Optional.unless(keys.isNull(at))(keys(at))
    def row: Long = rowNow

    def close(): Unit =
      try if (reader != null) reader.close()
      finally if (file != null) file.close()
  }

  final private class MergedEntries(inputs: Seq[BTreeEntries]) extends BTreeEntries {
    private val order: Ordering[BTreeEntries] = (a: BTreeEntries, b: BTreeEntries) => {
      val byKey = Postings.order.compare(a.key, b.key)
      if (byKey != 0) byKey else java.lang.Long.compareUnsigned(a.row, b.row)
    }
    private val heads = mutable.PriorityQueue.empty[BTreeEntries](order.reverse)
    inputs.foreach(advance)
    private var last: BTreeEntries = null

    private def advance(input: BTreeEntries): Unit = if (input.next()) heads.enqueue(input)

    def next(): Boolean = {
      if (last != null) advance(last)
      last = if (heads.isEmpty) null else heads.dequeue()
      last != null
    }

    def key: Option[Key] = last.key
    def row: Long = last.row
    def close(): Unit = inputs.foreach(_.close())
  }
}
