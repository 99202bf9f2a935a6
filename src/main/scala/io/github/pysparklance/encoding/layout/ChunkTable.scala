// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.layout

import io.github.pysparklance.core.{Buffer, CorruptFileException, Search}

/** The chunks of a mini-block page, with the positions of their bytes, values, and rows.
  *
  * Source: format page of the structural encodings, "Chunk metadata" and "Repetition index".
  *
  * {{{
  *   word of a chunk (u16 in 2.1, u32 in 2.2)   bits 0..3 log2 of its values, bits 4.. size / 8 - 1
  *   repetition index, depth + 1 u64 a chunk    rows that end in it | levels after the last row start, 0 at a row's end
  * }}}
  * The last chunk has the remaining values; its bits 0..3 are ignored. Each array has one more
  * entry than there are chunks.
  *
  * @param offsets bytes before the chunk in the data buffer
  * @param firstValue values before the chunk
  * @param firstRow rows that start before the chunk
  * @param trailer whether the chunk's last row continues in the next chunk; null without lists
  */
final private[layout] class ChunkTable(
    val offsets: Array[Long],
    val firstValue: Array[Long],
    val firstRow: Array[Long],
    val trailer: Array[Boolean],
    uniformLog2: Int
) {
  val numChunks: Int = offsets.length - 1

  def numValues(chunk: Int): Int = (firstValue(chunk + 1) - firstValue(chunk)).toInt

  def started(chunk: Int): Int = (firstRow(chunk + 1) - firstRow(chunk)).toInt

  /** Whether the chunk begins inside a row. */
  def preamble(chunk: Int): Boolean = chunk > 0 && trailer != null && trailer(chunk - 1)

  /** Returns the chunk in which `row` starts. */
  def chunkOf(row: Long): Int =
    if (uniformLog2 > 0) math.min(row >> uniformLog2, numChunks - 1L).toInt
    else Search.lastAtMost(firstRow, row)

  /** Returns the chunk that contains the end of row `untilRow - 1`. */
  def lastChunkOf(untilRow: Long): Int = {
    var chunk = chunkOf(untilRow - 1)
    if (trailer != null)
      while (firstRow(chunk + 1) == untilRow && trailer(chunk) && chunk < numChunks - 1) chunk += 1
    chunk
  }

  /** Returns the number of rows that end in chunks up to the last one that ends at or before data
    * byte `end`.
    */
  def rowsWithin(end: Long): Long = {
    val chunks = Search.lastAtMost(offsets, end)
    if (chunks == 0) 0L
    else firstRow(chunks) - (if (trailer != null && trailer(chunks - 1)) 1 else 0)
  }
}

private[layout] object ChunkTable {
  val maxChunkValues = 32768

  /** Parses and checks the table of a page.
    *
    * @param words the chunk words
    * @param hasLargeChunk whether they are u32
    * @param numItems visible items of the page
    * @param dataSize bytes of the data buffer
    * @param numRows rows of the page
    * @param index the repetition index and its u64 per chunk; `None` without lists
    * @throws CorruptFileException if the numbers are inconsistent
    */
  def parse(
      words: Buffer,
      hasLargeChunk: Boolean,
      numItems: Long,
      dataSize: Long,
      numRows: Long,
      index: Option[(Buffer, Int)]
  ): ChunkTable = {
    val wordBytes = if (hasLargeChunk) 4 else 2
    CorruptFileException.check(
      words.length >= wordBytes && words.length % wordBytes == 0,
      s"chunk table of ${words.length} bytes"
    )
    val numChunks = words.length / wordBytes
    val offsets = new Array[Long](numChunks + 1)
    val firstValue = new Array[Long](numChunks + 1)
    var uniform = 0
    var i = 0
    while (i < numChunks) {
      val word = if (hasLargeChunk) words.u32(i * 4) else words.u16(i * 2).toLong
      offsets(i + 1) = offsets(i) + (((word >>> 4) + 1) << 3)
      val log2 = (word & 15).toInt
      if (i < numChunks - 1) {
        if (log2 == 0) throw new CorruptFileException(s"chunk $i of $numChunks has one value")
        if (i == 0) uniform = log2 else if (log2 != uniform) uniform = -1
        firstValue(i + 1) = firstValue(i) + (1L << log2)
      }
      i += 1
    }
    CorruptFileException.check(
      offsets(numChunks) == dataSize,
      s"chunks of ${offsets(numChunks)} bytes in a buffer of $dataSize"
    )
    val rest = numItems - firstValue(numChunks - 1)
    CorruptFileException.check(
      rest >= 0 && rest <= maxChunkValues,
      s"$numItems items in $numChunks chunks, ${firstValue(numChunks - 1)} before the last"
    )
    firstValue(numChunks) = numItems
    index match {
      case Some((buffer, stride)) =>
        withIndex(offsets, firstValue, buffer, stride, numRows)
      case None =>
        CorruptFileException.check(
          numItems == numRows,
          s"$numItems items in a page of $numRows rows without lists"
        )
        new ChunkTable(offsets, firstValue, firstValue, null, if (numChunks == 1) 0 else uniform)
    }
  }

  private def withIndex(
      offsets: Array[Long],
      firstValue: Array[Long],
      index: Buffer,
      stride: Int,
      numRows: Long
  ): ChunkTable = {
    val numChunks = offsets.length - 1
    CorruptFileException.check(
      index.length == numChunks * stride * 8L,
      s"repetition index of ${index.length} bytes for $numChunks chunks"
    )
    val firstRow = new Array[Long](numChunks + 1)
    val trailer = new Array[Boolean](numChunks)
    var i = 0
    while (i < numChunks) {
      val ends = index.i64(i * stride * 8)
      trailer(i) = index.i64(i * stride * 8 + 8) != 0
      val started =
        ends + (if (trailer(i)) 1 else 0) - (if (i > 0 && trailer(i - 1)) 1 else 0)
      if (ends < 0 || started < 0 || started > numRows - firstRow(i))
        throw new CorruptFileException(
          s"repetition index: ${java.lang.Long.toUnsignedString(ends)} rows end in chunk $i of a page of $numRows rows"
        )
      firstRow(i + 1) = firstRow(i) + started
      i += 1
    }
    CorruptFileException.check(
      firstRow(numChunks) == numRows && !trailer(numChunks - 1),
      s"repetition index of ${firstRow(numChunks)} rows for a page of $numRows"
    )
    new ChunkTable(offsets, firstValue, firstRow, trailer, 0)
  }
}
