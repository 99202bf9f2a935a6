// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.v0_1

import scala.collection.mutable

import io.github.pysparklance.core.{BinaryValues, Buffer}
import io.github.pysparklance.encoding.v0_1.VarBinary
import io.github.pysparklance.storage.spi.OutputFile

/** Writes pages in sequence and records the positions of each field's pages. See [[PageTable]]. */
final private[v0_1] class PageSink(output: OutputFile) {
  private val pages = mutable.HashMap.empty[Int, mutable.ArrayBuffer[Page]]

  /** Position of the next page. */
  def position: Long = output.position

  /** Records the next page of a field. */
  def add(fieldId: Int, position: Long, numValues: Long): Unit = {
    pages.getOrElseUpdate(fieldId, mutable.ArrayBuffer.empty) += Page(position, numValues)
    ()
  }

  /** Writes the next page of a field. */
  def write(fieldId: Int, page: Array[Byte], numValues: Long): Unit = {
    add(fieldId, position, numValues)
    output.write(page)
  }

  /** Writes the next page of a field of byte strings, whose bytes precede the page. */
  def writeVarBinary(fieldId: Int, values: BinaryValues): Unit =
    add(fieldId, varBinary(values), values.numItems.toLong)

  /** Writes byte strings that are not a page, and returns the position of their offsets. */
  def varBinary(values: BinaryValues): Long = {
    val offsets = VarBinary.encodeOffsets(values, position)
    output.write(values.bytes, 0, values.numBytes)
    val at = position
    output.write(offsets)
    at
  }

  /** Writes the table with a row for each id of `[minId, maxId]`, and returns its position. */
  def writeTable(minId: Int, maxId: Int, numBatches: Int): Long = {
    val at = position
    val row = new Array[Byte](Math.multiplyExact(numBatches, PageTable.cellBytes))
    (minId to maxId).foreach { id =>
      java.util.Arrays.fill(row, 0.toByte)
      pages.get(id).foreach { own =>
        own.indices.foreach { b =>
          Buffer.putLong(row, b * PageTable.cellBytes, own(b).position)
          Buffer.putLong(row, b * PageTable.cellBytes + 8, own(b).numValues)
        }
      }
      output.write(row)
    }
    at
  }
}
