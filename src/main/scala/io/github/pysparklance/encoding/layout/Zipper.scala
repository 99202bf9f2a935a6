// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.layout

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.spi.LeafPage

/** Encodes the entries of a full-zip page, see [[FullZipLayout]]. Hot code: imperative. */
final private[layout] class Zipper(page: LeafPage, repDef: RepDef, words: ControlWords) {
  private var out: Array[Byte] = Array.emptyByteArray
  private var size = 0
  private var rowOffsets: Array[Int] = null
  private var row = 0

  /** The zipped entries. */
  def data: Buffer = new Buffer(out, 0, size)

  /** The repetition index, if the page has one. */
  def index: Option[Buffer] = Option(rowOffsets).map { offsets =>
    val width = if (size <= 0xff) 1 else if (size <= 0xffff) 2 else 4
    val bytes = new Array[Byte](offsets.length * width)
    var i = 0
    while (i < offsets.length) {
      width match {
        case 1 => bytes(i) = offsets(i).toByte
        case 2 => Buffer.putShort(bytes, i * 2, offsets(i).toShort)
        case _ => Buffer.putInt(bytes, i * 4, offsets(i))
      }
      i += 1
    }
    Buffer(bytes)
  }

  /** Zips fixed-width values.
    *
    * @param values `bytesPerValue` bytes for every visible item
    */
  def zipFixed(values: Buffer, bytesPerValue: Int): Unit =
    if (words.numBytes == 0) {
      out = values.toBytes
      size = out.length
      if (repDef.hasLists) throw new IllegalStateException("lists have repetition levels")
    } else {
      allocate(values.length.toLong, repDef.hasLists)
      var value = values.offset
      var l = 0
      while (l < page.numLevels) {
        val d = startEntry(l)
        if (d <= repDef.maxVisible) {
          System.arraycopy(values.array, value, out, size, bytesPerValue)
          value += bytesPerValue
          size += bytesPerValue
        }
        l += 1
      }
      finish()
    }

  /** Zips variable-width values.
    *
    * @param values one for every visible item
    */
  def zipVariable(values: BinaryValues, lengthBytes: Int): Unit = {
    allocate(values.numBytes + values.numItems.toLong * lengthBytes, hasIndex = true)
    var value = 0
    var l = 0
    while (l < page.numLevels) {
      val d = startEntry(l)
      if (d <= repDef.maxVisible) {
        if (d == 0) {
          val from = values.offsets(value)
          val length = values.offsets(value + 1) - from
          if (lengthBytes == 4) Buffer.putInt(out, size, length)
          else Buffer.putLong(out, size, length.toLong)
          size += lengthBytes
          System.arraycopy(values.bytes, from, out, size, length)
          size += length
        }
        value += 1
      }
      l += 1
    }
    finish()
  }

  private def allocate(valueBytes: Long, hasIndex: Boolean): Unit = {
    val total = valueBytes + page.numLevels.toLong * words.numBytes
    if (total > Values.maxArrayLength)
      throw new UnsupportedFeatureException(s"a page of $total bytes; write fewer rows per page")
    out = new Array[Byte](total.toInt)
    if (hasIndex) rowOffsets = new Array[Int](page.numRows + 1)
  }

  /** Writes the control word of level `l`. Returns its definition level. */
  private def startEntry(l: Int): Int = {
    val rep = if (page.repetition == null) 0 else page.repetition(l).toInt
    val d = if (page.definition == null) 0 else page.definition(l).toInt
    if (rowOffsets != null && rep == repDef.maxRep) {
      rowOffsets(row) = size
      row += 1
    }
    words.write(rep, d, out, size)
    size += words.numBytes
    d
  }

  private def finish(): Unit = if (rowOffsets != null) rowOffsets(row) = size
}
