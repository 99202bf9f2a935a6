// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.spi

import io.github.pysparklance.core.{Buffer, RowRange}

/** A contiguous part of one buffer of a page.
  *
  * @param buffer position of the buffer in the page's list
  */
final case class PageRange(buffer: Int, offset: Long, length: Long)

/** A page whose description is parsed but whose bytes are not read: says which buffers it needs first. Pure.
  *
  * A page is read in three steps: the [[head]] buffers whole, then [[open]], then windows of rows in ascending order.
  */
trait PageDecoder {

  /** Rows in the page. */
  def numRows: Long

  /** Positions of the buffers to read whole before anything else: chunk table, dictionary, indices. */
  def head: IndexedSeq[Int]

  /** @param buffers the head buffers, in the order of [[head]]
    * @throws CorruptFileException when they contradict the page's description
    */
  def open(buffers: IndexedSeq[Buffer]): PageReader

  /** What is enough to read some rows only, where that is much less than the head.
    *
    * @param rows of the page, not empty
    * @throws CorruptFileException when the page's description contradicts itself
    */
  def partialHead(rows: RowRange): Option[PartialHead] = None
}

/** Stands in for the head of a page of which some rows are read. */
trait PartialHead {

  /** The bytes to read. */
  def range: PageRange

  /** @param bytes those of [[range]]
    * @return a reader for these rows and no others
    * @throws CorruptFileException when they contradict the page's description
    */
  def open(bytes: Buffer): PageReader
}

/** One page being read. Rows count from the page's first. Planning methods are pure; windows are handed over in
  * ascending order and may overlap in bytes, never in rows. Not thread-safe.
  */
trait PageReader {

  /** The end of the largest window from `fromRow` whose data take at most `maxBytes`; at least one row, at most
    * `untilRow`.
    */
  def windowEnd(fromRow: Long, untilRow: Long, maxBytes: Long): Long

  /** The bytes that hold the rows; None when the page needs none (constants, nulls). */
  def dataRange(rows: RowRange): Option[PageRange]

  /** Hands over the bytes of `dataRange(rows)`; windows that end at or before the next row read are dropped. */
  def addWindow(rows: RowRange, bytes: Buffer): Unit

  /** Whether bytes of a window may be looked at, here or through what [[read]] answers, after rows behind it were read.
    * Where not, their array is used again.
    */
  def keepsBytes: Boolean = true

  /** Decodes rows `[fromRow, fromRow + numRows)`, which lie within the windows handed over. The answer's arrays are
    * reused by the next call.
    */
  def read(fromRow: Long, numRows: Int): LeafBatch
}
