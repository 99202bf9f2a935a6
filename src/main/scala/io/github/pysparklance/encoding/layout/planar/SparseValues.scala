// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.layout.planar

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.spi._

/** The values of a sparse page before its bytes are read. They own the first [[numBuffers]] buffers
  * of the page.
  */
private[planar] trait SparseValues {
  def numBuffers: Int

  /** Positions of the buffers to read completely before anything else. */
  def head: IndexedSeq[Int]

  /** Parses the head buffers.
    *
    * @param buffers buffers in the order of [[head]]
    */
  def open(buffers: IndexedSeq[Buffer], structure: SparseDomains): SparseValuesReader
}

/** Reads the values of a sparse page by slots of its leaf. */
private[planar] trait SparseValuesReader {

  /** Returns the position of `slot` among the separately stored values, in ascending order. Returns
    * 0 if there are none.
    */
  def position(slot: Long): Long

  /** Like the method of [[PageReader]], for non-empty ranges of positions. */
  def windowEnd(from: Long, until: Long, maxBytes: Long): Long
  def dataRange(positions: RowRange): Option[PageRange]
  def addWindow(positions: RowRange, bytes: Buffer): Unit

  /** Returns a value for each of the slots `[from, until)`, which fit one batch. */
  def read(from: Long, until: Long): LeafValues
}

/** Values stored in a page without nesting. */
abstract private[planar] class StoredSparseValues(page: PageReader) extends SparseValuesReader {
  def windowEnd(from: Long, until: Long, maxBytes: Long): Long =
    page.windowEnd(from, until, maxBytes)
  def dataRange(positions: RowRange): Option[PageRange] = page.dataRange(positions)
  def addWindow(positions: RowRange, bytes: Buffer): Unit = page.addWindow(positions, bytes)
}

/** Reads values that need no more bytes after the page is open. */
private[planar] trait BufferlessReader extends SparseValuesReader {
  def position(slot: Long): Long = 0
  def windowEnd(from: Long, until: Long, maxBytes: Long): Long = until
  def dataRange(positions: RowRange): Option[PageRange] = None
  def addWindow(positions: RowRange, bytes: Buffer): Unit = ()
}

/** Values without buffers. */
private[planar] trait BufferlessValues extends SparseValues with BufferlessReader {
  def numBuffers: Int = 0
  def head: IndexedSeq[Int] = IndexedSeq.empty
  def open(buffers: IndexedSeq[Buffer], structure: SparseDomains): SparseValuesReader = this
}
