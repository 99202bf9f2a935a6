// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.layout.planar

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.layout.PageWindows
import io.github.pysparklance.encoding.spi._

/** A 2.3 page with a sparse structure. The structure is read completely, the values on demand. */
final private[planar] class SparsePage(structure: SparseStructure, values: SparseValues)
    extends PageDecoder {
  def numRows: Long = structure.numRows

  def head: IndexedSeq[Int] =
    values.head ++ (values.numBuffers until values.numBuffers + structure.numBuffers)

  def open(buffers: IndexedSeq[Buffer]): PageReader = {
    PageWindows.checkBuffers(buffers.length, head.length, "head of a sparse planar page")
    val (ofValues, ofStructure) = buffers.splitAt(values.head.length)
    val domains = structure.open(ofStructure)
    new SparseReader(domains, values.open(ofValues, domains), numRows)
  }
}

/** Reads rows of a sparse page. */
final private class SparseReader(domains: SparseDomains, values: SparseValuesReader, numRows: Long)
    extends PageReader {

  /** Returns the position of the first stored value of `row` or a later row. */
  private def position(row: Long): Long = values.position(domains.leafStart(row))

  def windowEnd(fromRow: Long, untilRow: Long, maxBytes: Long): Long = {
    val from = position(fromRow)
    val until = position(untilRow)
    val end = if (from < until) values.windowEnd(from, until, maxBytes) else until
    if (end >= until) untilRow
    else Search.last(fromRow + 1, untilRow)(position(_) <= end)
  }

  private def positions(rows: RowRange): RowRange = {
    PageWindows.checkRows(rows.from, rows.numRows, numRows)
    RowRange(position(rows.from), position(rows.until))
  }

  def dataRange(rows: RowRange): Option[PageRange] = {
    val stored = positions(rows)
    if (stored.isEmpty) None else values.dataRange(stored)
  }

  def addWindow(rows: RowRange, bytes: Buffer): Unit = {
    val stored = positions(rows)
    if (!stored.isEmpty) values.addWindow(stored, bytes)
  }

  def read(fromRow: Long, numRows: Int): LeafBatch = {
    PageWindows.checkRows(fromRow, numRows.toLong, this.numRows)
    val (layers, leaves) = domains.read(fromRow, fromRow + numRows)
    LeafBatch(numRows, layers, values.read(leaves.from, leaves.until))
  }
}
