// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.layout

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.spi._

/** Reads rows of a page whose levels are completely in memory and which has no data buffer.
  *
  * @param value one item; null for all-null pages
  * @param repetition null without lists
  * @param definition null if the page has none
  */
final private[layout] class ConstantReader(
    repDef: RepDef,
    numRows: Long,
    value: Values,
    repetition: Array[Short],
    definition: Array[Short],
    numLevels: Int
) extends PageReader {
  private val layers = new LayerBuilder(repDef)
  private val rep = new ShortValues
  private val defs = new ShortValues
  private var nextRow = 0L
  private var nextLevel = 0

  def windowEnd(fromRow: Long, untilRow: Long, maxBytes: Long): Long = untilRow

  def dataRange(rows: RowRange): Option[PageRange] = None

  def addWindow(rows: RowRange, bytes: Buffer): Unit = ()

  def read(fromRow: Long, numRows: Int): LeafBatch = {
    PageWindows.checkRows(fromRow, numRows, this.numRows)
    if (repetition == null) readItems(fromRow, numRows) else readLists(fromRow, numRows)
  }

  private def readItems(fromRow: Long, numRows: Int): LeafBatch = {
    layers.clear()
    if (definition != null) layers.appendItems(definition, fromRow.toInt, fromRow.toInt + numRows)
    else layers.appendValid(numRows)
    batch(numRows, layers.items, numRows)
  }

  private def readLists(fromRow: Long, numRows: Int): LeafBatch = {
    if (fromRow < nextRow) {
      nextRow = 0
      nextLevel = 0
    }
    val from = skip(nextLevel, fromRow - nextRow)
    val until = skip(from, numRows.toLong)
    nextRow = fromRow + numRows
    nextLevel = until
    rep.clear()
    val repAt = rep.extend(until - from)
    System.arraycopy(repetition, from, rep.array, repAt, until - from)
    val definitions =
      if (definition == null) null
      else {
        defs.clear()
        val defAt = defs.extend(until - from)
        System.arraycopy(definition, from, defs.array, defAt, until - from)
        defs.array
      }
    val nested = layers.lists(numRows, rep.array, definitions, until - from)
    batch(numRows, nested, repDef.countVisible(definition, from, until))
  }

  /** Returns the level at which the row begins that is `numRows` rows after the one at `level`. */
  private def skip(level: Int, numRows: Long): Int = {
    var i = level
    var left = numRows
    while (left > 0 && i < numLevels) {
      i += 1
      while (i < numLevels && repetition(i) != repDef.maxRep) i += 1
      left -= 1
    }
    i
  }

  private def batch(numRows: Int, nested: IndexedSeq[Layer], numItems: Int): LeafBatch = {
    if (value != null) LeafBatch(numRows, nested, ConstantLeaf(value, numItems))
    else {
      val leaf = new Validity
      leaf.appendNulls(numItems)
      LeafBatch(numRows, nested.init :+ ItemLayer(leaf), NullLeaf(numItems))
    }
  }
}
