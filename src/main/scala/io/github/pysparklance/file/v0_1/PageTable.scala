// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.v0_1

import io.github.pysparklance.core.{Buffer, ByteRange, CorruptFileException}
import io.github.pysparklance.file.spi.FileTail

/** A page: the values of one field in one batch.
  *
  * @param position position in the file; for var-binary pages, the position of the offsets
  * @param numValues number of values; for lists, one more than the number of rows
  */
final private[v0_1] case class Page(position: Long, numValues: Long)

/** The positions of the pages of some fields.
  *
  * {{{
  *   i64 position, i64 number of values      cell(field id, batch) = position + 16 ((id - minId) numBatches + batch)
  * }}}
  * The cells of fields without pages, such as structs, and of unused ids are (0, 0), or missing at
  * the end of the table.
  *
  * Source: format page of the legacy format, "Page table".
  *
  * @param limit end of all pages in the file
  */
final private[v0_1] class PageTable private (cells: Map[Int, Buffer], val limit: Long) {

  /** Returns the page of a field that the table was read for. */
  def page(fieldId: Int, batch: Int): Page = {
    val row = cells(fieldId)
    val position = row.i64(batch * PageTable.cellBytes)
    val numValues = row.i64(batch * PageTable.cellBytes + 8)
    CorruptFileException.check(
      position >= 0 && position <= limit && numValues >= 0,
      s"a page of $numValues values at $position exceeds the end of the pages at $limit"
    )
    Page(position, numValues)
  }
}

private[v0_1] object PageTable {
  private[v0_1] val cellBytes = 16

  /** Reads the rows of the table for some fields that have pages.
    *
    * @param position position of the table in the file
    * @param minId the smallest field id of the file
    * @param limit see [[PageTable]]
    * @throws CorruptFileException if the table exceeds the file
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
        s"the page table at $position has no row for field $id; its first field is $minId"
      )
      ByteRange(position + offset, rowBytes)
    }
    new PageTable(fieldIds.zip(tail.read(ranges)).toMap, limit)
  }
}
