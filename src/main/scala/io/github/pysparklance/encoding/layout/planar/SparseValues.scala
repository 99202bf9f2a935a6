// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.layout.planar

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.spi._

/** The values of a sparse page before its bytes are read: the first [[numBuffers]] buffers of the page are theirs. */
private[planar] trait SparseValues {
  def numBuffers: Int

  /** Positions of the buffers to read whole before anything else. */
  def head: IndexedSeq[Int]

  /** @param buffers the head buffers, in the order of [[head]] */
  def open(buffers: IndexedSeq[Buffer], structure: SparseDomains): SparseValuesReader
}

/** The values of a sparse page being read, by slots of its leaf. */
private[planar] trait SparseValuesReader {

  /** Where `slot` lies among the values that are stored apart, in ascending order; 0 when none are. */
  def position(slot: Long): Long

  /** The methods of a [[PageReader]], for ranges of positions that are not empty. */
  def windowEnd(from: Long, until: Long, maxBytes: Long): Long
  def dataRange(positions: RowRange): Option[PageRange]
  def addWindow(positions: RowRange, bytes: Buffer): Unit

  /** A value for each of the slots `[from, until)`, which are no more than a batch can have. */
  def read(from: Long, until: Long): LeafValues
}

/** Values that a page without nesting holds. */
abstract private[planar] class StoredSparseValues(page: PageReader) extends SparseValuesReader {
  def windowEnd(from: Long, until: Long, maxBytes: Long): Long =
    page.windowEnd(from, until, maxBytes)
  def dataRange(positions: RowRange): Option[PageRange] = page.dataRange(positions)
  def addWindow(positions: RowRange, bytes: Buffer): Unit = page.addWindow(positions, bytes)
}

/** Values that need no bytes once the page is open. */
private[planar] trait BufferlessReader extends SparseValuesReader {
  def position(slot: Long): Long = 0
  def windowEnd(from: Long, until: Long, maxBytes: Long): Long = until
  def dataRange(positions: RowRange): Option[PageRange] = None
  def addWindow(positions: RowRange, bytes: Buffer): Unit = ()
}

/** Values that have no buffers at all. */
private[planar] trait BufferlessValues extends SparseValues with BufferlessReader {
  def numBuffers: Int = 0
  def head: IndexedSeq[Int] = IndexedSeq.empty
  def open(buffers: IndexedSeq[Buffer], structure: SparseDomains): SparseValuesReader = this
}
