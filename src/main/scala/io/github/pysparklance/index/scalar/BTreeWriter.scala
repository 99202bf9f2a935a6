// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.scalar

import scala.collection.mutable

import io.github.pysparklance.core._
import io.github.pysparklance.file.DescribedFileWriter
import io.github.pysparklance.index.sorting.SortedEntries
import io.github.pysparklance.index.spi._

/** A page of a BTREE index.
  *
  * @param min key of the first row; `None` if it is null
  * @param max key of the last row; `None` if it is null
  */
final case class BTreePage(min: Option[Key], max: Option[Key], nullCount: Int)

/** A file of pages.
  *
  * @param id id of its range; `None` if the segment has a single file
  */
final case class BTreePages(id: Option[Long], pages: IndexedSeq[BTreePage])

/** Writes the pages of a BTREE index, or of a range of it. Not thread-safe. Hot code. Keeps one
  * page in memory.
  *
  * @param id id of the range; `None` if there is one range
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
  private var nulls = 0

  /** Writes all entries. */
  def write(entries: SortedEntries): BTreePages = {
    while (entries.next()) {
      if (entries.isNull) {
        keys.appendNull()
        nulls += 1
      } else keys.append(entries.key)
      ids.append(entries.row)
      if (keys.numRows == pageRows) flush()
    }
    flush()
    into.finish(name, file)
    BTreePages(id, pages.toIndexedSeq)
  }

  private def flush(): Unit = if (keys.numRows > 0) {
    file.write(IndexedSeq(keys.column, LeafColumn(ids, null)), keys.numRows)
    val its = keyType.keys(keys.column)
    pages += BTreePage(its.find(0), its.find(its.numRows - 1), nulls)
    keys.clear()
    ids.clear()
    nulls = 0
  }

  def close(): Unit = file.close()
}
