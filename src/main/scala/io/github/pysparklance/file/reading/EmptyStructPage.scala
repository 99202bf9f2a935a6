// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.reading

import io.github.pysparklance.core.{Buffer, RowRange}
import io.github.pysparklance.encoding.spi._

/** A page of a struct without members. All its rows are valid structs, regardless of the page's
  * content.
  *
  * Source: format page of the structural encodings, "Other special types".
  */
final private[file] class EmptyStructPage(val numRows: Long) extends PageDecoder with PageReader {
  def head: IndexedSeq[Int] = IndexedSeq.empty
  def open(buffers: IndexedSeq[Buffer]): PageReader = this
  def windowEnd(fromRow: Long, untilRow: Long, maxBytes: Long): Long = untilRow
  def dataRange(rows: RowRange): Option[PageRange] = None
  def addWindow(rows: RowRange, bytes: Buffer): Unit = ()

  /** Returns a batch without layers and values. */
  def read(fromRow: Long, numRows: Int): LeafBatch =
    LeafBatch(numRows, IndexedSeq.empty, NullLeaf(numRows))
}
