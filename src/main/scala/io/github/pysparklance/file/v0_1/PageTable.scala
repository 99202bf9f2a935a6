// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.v0_1

import io.github.pysparklance.core.{Buffer, ByteRange, CorruptFileException}
import io.github.pysparklance.file.spi.FileTail

/** A page: the values of one field in one batch.
  *
  * @param position in the file; of var-binary pages the position of the offsets
  * @param numValues one more than rows for lists
  */
final private[v0_1] case class Page(position: Long, numValues: Long)

/** Where the pages of some fields are.
  *
  * {{{
  *   i64 position, i64 number of values      cell(field id, batch) = position + 16 ((id - minId) numBatches + batch)
  * }}}
  * Fields without pages, such as structs, and ids that no field has hold (0, 0), or nothing at the end of the table.
  *
  * Source: format page of the legacy format, "Page table".
  *
  * @param limit position in the file behind all pages
  */
final private[v0_1] class PageTable private (cells: Map[Int, Buffer], val limit: Long) {

  /** The page of a field that the table was read for. */
  def page(fieldId: Int, batch: Int): Page = {
    val row = cells(fieldId)
    val position = row.i64(batch * PageTable.cellBytes)
    val numValues = row.i64(batch * PageTable.cellBytes + 8)
    CorruptFileException.check(
      position >= 0 && position <= limit && numValues >= 0,
      s"a page of $numValues values at $position, the pages end at $limit"
    )
    Page(position, numValues)
  }
}

private[v0_1] object PageTable {
  private[v0_1] val cellBytes = 16

  /** Reads the rows of the table for some fields that have pages.
    *
    * @param position of the table in the file
    * @param minId the smallest id of the file's fields
    * @param limit see [[PageTable]]
    * @throws CorruptFileException when the table does not lie in the file
    */
  def read(
      tail: FileTail,
      position: Long,
      minId: Int,
      fieldIds: IndexedSeq[Int],
      numBatches: Int,
      limit: Long
  ): PageTable = tail.in(position) {
    val rowBytes = numBatches.toLong * cellBytes
    val end = tail.fileSize - Metadata.footerBytes
    val ranges = fieldIds.map { id =>
      val offset = (id.toLong - minId) * rowBytes
      CorruptFileException.check(
        id >= minId && offset <= end - position - rowBytes,
        s"the page table at $position has no row for field $id, the first is of field $minId"
      )
      ByteRange(position + offset, rowBytes)
    }
    new PageTable(fieldIds.zip(tail.read(ranges)).toMap, limit)
  }
}
