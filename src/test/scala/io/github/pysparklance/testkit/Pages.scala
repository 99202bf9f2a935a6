// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.testkit

import scala.util.Random

import com.google.protobuf.{Any => ProtobufAny, ByteString}

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.layout.LeafColumnWriter
import io.github.pysparklance.encoding.spi._
import io.github.pysparklance.encoding.{EncodingChooser, PageDecoders}

/** Writes columns to pages and reads them back, without files. */
object Pages {

  /** The paths from a top-level field to each of its leaves. */
  def paths(field: Field): IndexedSeq[IndexedSeq[Field]] =
    if (field.isLeaf) IndexedSeq(IndexedSeq(field))
    else field.children.flatMap(paths).map(field +: _)

  /** Pages of a column's rows `[from, from + count)`, written in batches of `batchRows`. */
  def write(
      path: IndexedSeq[Field],
      column: Column,
      version: EncodingVersion,
      from: Int,
      count: Int,
      batchRows: Int
  ): IndexedSeq[EncodedPage] = {
    val writer =
      new LeafColumnWriter(path, new EncodingChooser(version, EncodingOptions.ofLeaf(path)))
    var at = 0
    while (at < count) {
      val n = math.min(batchRows, count - at)
      writer.append(column, from + at, n)
      at += n
    }
    writer.flush()
  }

  /** Returns the decoder of a page, like the container. */
  def decoder(page: EncodedPage, valueType: ValueType, version: EncodingVersion): PageDecoder = {
    val any = ProtobufAny.newBuilder().setTypeUrl(
      page.typeUrl
    ).setValue(ByteString.copyFrom(page.encoding)).build()
    PageDecoders(
      any.toByteArray,
      page.numRows,
      page.buffers.map(_.length.toLong),
      valueType,
      version
    )
  }

  def open(page: EncodedPage, valueType: ValueType, version: EncodingVersion): PageReader = {
    val d = decoder(page, valueType, version)
    d.open(d.head.map(page.buffers))
  }

  /** Opens a page for some rows, with a partial head if the page supports that. */
  private def openPart(
      page: EncodedPage,
      valueType: ValueType,
      version: EncodingVersion,
      rows: Seq[RowRange]
  ): PageReader = {
    val d = decoder(page, valueType, version)
    val read = rows.filterNot(_.isEmpty)
    val partial =
      if (read.isEmpty) None else d.partialHead(RowRange(read.head.from, read.last.until))
    partial match {
      case None => d.open(d.head.map(page.buffers))
      case Some(p) => p.open(page.buffers(p.range.buffer).slice(p.range.offset, p.range.length))
    }
  }

  /** All rows of a page, in windows and reads of random sizes. */
  def readAll(
      page: EncodedPage,
      valueType: ValueType,
      version: EncodingVersion,
      random: Random
  ): IndexedSeq[Any] = {
    val reader = open(page, valueType, version)
    val out = IndexedSeq.newBuilder[Any]
    val longestRead = 1 + random.nextInt(math.max(1, page.numRows.toInt))
    val windowBytes = 1L << random.nextInt(20)
    var handed = 0L
    var row = 0L
    while (row < page.numRows)
      if (handed == row || (handed < page.numRows && random.nextBoolean())) {
        val end = reader.windowEnd(handed, page.numRows, windowBytes)
        addWindow(reader, page, RowRange(handed, end))
        handed = end
      } else {
        val n = math.min(handed - row, 1L + random.nextInt(longestRead)).toInt
        out ++= Cells.of(reader.read(row, n))
        row += n
      }
    out.result()
  }

  /** Reads some ascending ranges of rows, each in a separate window. */
  def readRanges(
      page: EncodedPage,
      valueType: ValueType,
      version: EncodingVersion,
      ranges: Seq[RowRange]
  ): IndexedSeq[Any] = {
    val reader = openPart(page, valueType, version, ranges)
    ranges.foreach(addWindow(reader, page, _))
    ranges.flatMap(r => Cells.of(reader.read(r.from, r.numRows.toInt))).toIndexedSeq
  }

  private def addWindow(reader: PageReader, page: EncodedPage, rows: RowRange): Unit = {
    val bytes = reader.dataRange(rows).map { r =>
      val part = page.buffers(r.buffer).slice(r.offset, r.length)
      val array = Array.fill[Byte](part.length + 13)(0x5a) // at an odd place of a larger array
      part.copyBytes(0, array, 7, part.length)
      new Buffer(array, 7, part.length)
    }
    reader.addWindow(rows, bytes.getOrElse(Buffer.empty))
  }
}
