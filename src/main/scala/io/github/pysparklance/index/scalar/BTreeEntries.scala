// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.scalar

import io.github.pysparklance.core._
import io.github.pysparklance.file.DescribedFile
import io.github.pysparklance.file.spi.RowReader
import io.github.pysparklance.index.sorting.SortedEntries
import io.github.pysparklance.index.spi._

/** Reads the entries of a BTREE segment for a merge, in ascending order of their keys.
  *
  * @param segment the pages of the segment
  * @param window keys to read
  */
final private[scalar] class BTreeEntries(
    source: SegmentSource,
    keyType: KeyType,
    segment: BTreeSegment,
    window: KeyWindow
) extends SortedEntries {
  private val pages = segment.pagesIn(window)
  private var file: DescribedFile = null
  private var name = ""
  private var reader: RowReader = null
  private var check: PageCheck = null
  private var keys: Keys = null
  private var ids: Int => Long = null
  private var at = -1
  private var rowNow = RowTransfer.none
  val key = new KeySlot

  def next(): Boolean = {
    rowNow = RowTransfer.none
    while (rowNow == RowTransfer.none && advance())
      if (window.contains(keys, at)) rowNow = source.rows(ids(at))
    rowNow != RowTransfer.none && {
      if (!isNull) keys.read(at, key)
      true
    }
  }

  private def advance(): Boolean = {
    at += 1
    keys != null && at < keys.numRows || readBatch()
  }

  private def readBatch(): Boolean = {
    var available = if (reader == null) 0 else reader.rowsAvailable
    while (available == 0 && hasNextPage) {
      openPage()
      available = reader.rowsAvailable
    }
    available > 0 && {
      val columns = reader.read(math.min(available, BTreeEntries.batchRows))
      keys = keyType.keys(columns(0))
      Place.in(Place(path = Some(file.path)))(check.add(keys))
      ids = Numbers.of(columns(1))
      at = 0
      true
    }
  }

  /** Checks the page that was read, and returns whether there is another one. */
  private def hasNextPage: Boolean = {
    if (check != null) Place.in(Place(path = Some(file.path)))(check.finish()): Unit
    check = null
    pages.hasNext
  }

  private def openPage(): Unit = {
    val page = pages.next()
    if (reader != null) reader.close()
    reader = null
    if (file == null || page.file != name) {
      if (file != null) file.close()
      file = null
      file = segment.open(source.files, page.file)
      name = page.file
    }
    val rows = segment.rowsOf(file, page)
    reader = file.read(IndexedSeq("values", "ids"), IndexedSeq(rows))
    check = new PageCheck(page)
  }

  def isNull: Boolean = keys.isNull(at)
  def row: Long = rowNow

  def close(): Unit =
    try if (reader != null) reader.close()
    finally if (file != null) file.close()
}

private object BTreeEntries {
  private val batchRows = 4096
}

/** A range of keys in index order, nulls first.
  *
  * @param from first key; `None` to start with the nulls
  * @param until exclusive upper bound; `None` for no bound
  */
final case class KeyWindow(from: Option[Key], until: Option[Key]) {
  private[scalar] def contains(keys: Keys, row: Int): Boolean =
    if (keys.isNull(row)) from.isEmpty
    else
      (from.isEmpty || keys.compare(row, from.get) >= 0) &&
      (until.isEmpty || keys.compare(row, until.get) < 0)
}

/** Creates windows. */
object KeyWindow {

  /** All keys, including null. */
  val all: KeyWindow = KeyWindow(None, None)

  /** Returns the windows between ascending keys. */
  def between(bounds: IndexedSeq[Key]): IndexedSeq[KeyWindow] = {
    val cuts = bounds.map(Some(_))
    (None +: cuts).zip(cuts :+ None).map { case (from, until) => KeyWindow(from, until) }
  }
}
