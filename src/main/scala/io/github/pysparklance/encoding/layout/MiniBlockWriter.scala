// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.layout

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.spi._

/** Combines the compressed values of a page with its levels into chunks. Hot code: imperative.
  *
  * A chunk's levels end right after its last value. Later levels without a value belong to the next
  * chunk, or to the last chunk if there is no next. Source: format page of the structural
  * encodings, "How levels are cut into chunks".
  */
final private[layout] class MiniBlockWriter(
    page: LeafPage,
    repDef: RepDef,
    values: CompressedMiniBlock,
    chooser: EncoderChooser
) {
  private val numChunks = values.chunks.length
  private val numBuffers = values.chunks.head.buffers.length
  private val hasLargeChunk = chooser.version.hasLargeChunk
  private val sizeBytes = if (hasLargeChunk) 4 else 2

  val repetition: Option[LevelEncoder] =
    Option(page.repetition).map(chooser.levels(_, page.numLevels))
  val definition: Option[LevelEncoder] =
    Option(page.definition).map(chooser.levels(_, page.numLevels))
  private val hasLevels = repetition.isDefined || definition.isDefined

  private val firstLevel: Array[Int] = cutLevels()
  private val repBlocks: Array[Buffer] = blocks(repetition, page.repetition)
  private val defBlocks: Array[Buffer] = blocks(definition, page.definition)
  private val headerSize = pad(
    2 + repetition.size * 2 + definition.size * 2 + numBuffers * sizeBytes
  )
  private val sizes: Array[Long] = Array.tabulate(numChunks)(chunkSize)

  /** Whether every chunk can hold its values and levels. */
  val fits: Boolean = {
    val maxSize = if (hasLargeChunk) MiniBlockWriter.maxLargeChunk else MiniBlockWriter.maxChunk
    (0 until numChunks).forall { i =>
      sizes(i) <= maxSize && levelsFit(repBlocks, i) && levelsFit(defBlocks, i) &&
      (!hasLevels || firstLevel(i + 1) - firstLevel(i) <= 0xffff)
    }
  }

  /** The chunk words. */
  def words: Buffer = {
    val bytes = new Array[Byte](numChunks * sizeBytes)
    var i = 0
    while (i < numChunks) {
      val log2 =
        if (i == numChunks - 1) 0 else Integer.numberOfTrailingZeros(values.chunks(i).numValues)
      val word = (((sizes(i) >> 3) - 1) << 4 | log2).toInt
      if (hasLargeChunk) Buffer.putInt(bytes, i * 4, word)
      else Buffer.putShort(bytes, i * 2, word.toShort)
      i += 1
    }
    Buffer(bytes)
  }

  /** The chunks, contiguous. */
  def data: Buffer = {
    val total = sizes.sum
    if (total > Values.maxArrayLength)
      throw new UnsupportedFeatureException(s"a page of $total bytes; write fewer rows per page")
    val out = new Array[Byte](total.toInt)
    var at = 0
    var i = 0
    while (i < numChunks) {
      writeChunk(i, out, at)
      at += sizes(i).toInt
      i += 1
    }
    Buffer(out)
  }

  /** The repetition index of pages with lists: rows that end in each chunk, and levels after its
    * last row start.
    */
  def index: Option[Buffer] = if (!repDef.hasLists) None
  else {
    val ends = new Array[Long](numChunks)
    val partial = new Array[Long](numChunks)
    var i = 0
    while (i < numChunks) {
      val first = firstLevel(i)
      val until = firstLevel(i + 1)
      val isLast = i == numChunks - 1
      val beginsRow = page.repetition(first) == repDef.maxRep
      if (i > 0 && beginsRow) {
        ends(i - 1) += 1
        partial(i - 1) = 0
      }
      var lastStart = first
      var l = first + 1
      while (l < until) {
        if (page.repetition(l) == repDef.maxRep) {
          ends(i) += 1
          lastStart = l
        }
        l += 1
      }
      if (isLast) ends(i) += 1 else partial(i) = (until - lastStart).toLong
      i += 1
    }
    val bytes = new Array[Byte](numChunks * 16)
    i = 0
    while (i < numChunks) {
      Buffer.putLong(bytes, i * 16, ends(i))
      Buffer.putLong(bytes, i * 16 + 8, partial(i))
      i += 1
    }
    Some(Buffer(bytes))
  }

  private def cutLevels(): Array[Int] = {
    val first = new Array[Int](numChunks + 1)
    val allVisible = page.numLevels == page.values.numItems
    var level = 0
    var i = 0
    while (i < numChunks - 1) {
      val numValues = values.chunks(i).numValues
      if (allVisible) level += numValues
      else {
        var left = numValues
        while (left > 0) {
          if (page.definition(level) <= repDef.maxVisible) left -= 1
          level += 1
        }
      }
      first(i + 1) = level
      i += 1
    }
    first(numChunks) = page.numLevels
    first
  }

  private def blocks(encoder: Option[LevelEncoder], levels: Array[Short]): Array[Buffer] =
    encoder match {
      case Some(e) =>
        Array.tabulate(numChunks)(i =>
          e.encode(levels, firstLevel(i), firstLevel(i + 1) - firstLevel(i))
        )
      case None => null
    }

  private def levelsFit(blocks: Array[Buffer], chunk: Int): Boolean =
    blocks == null || blocks(chunk).length <= 0xffff

  private def chunkSize(chunk: Int): Long = {
    var size = headerSize.toLong
    if (repBlocks != null) size += pad(repBlocks(chunk).length)
    if (defBlocks != null) size += pad(defBlocks(chunk).length)
    val buffers = values.chunks(chunk).buffers
    var b = 0
    while (b < numBuffers) {
      size += pad(buffers(b).length)
      b += 1
    }
    size
  }

  private def writeChunk(chunk: Int, out: Array[Byte], start: Int): Unit = {
    val buffers = values.chunks(chunk).buffers
    val numLevels = if (hasLevels) firstLevel(chunk + 1) - firstLevel(chunk) else 0
    var at = start
    Buffer.putShort(out, at, numLevels.toShort)
    at += 2
    if (repBlocks != null) {
      Buffer.putShort(out, at, repBlocks(chunk).length.toShort)
      at += 2
    }
    if (defBlocks != null) {
      Buffer.putShort(out, at, defBlocks(chunk).length.toShort)
      at += 2
    }
    var b = 0
    while (b < numBuffers) {
      if (hasLargeChunk) Buffer.putInt(out, at, buffers(b).length)
      else Buffer.putShort(out, at, buffers(b).length.toShort)
      at += sizeBytes
      b += 1
    }
    at = fill(out, at, start)
    if (repBlocks != null) at = copy(repBlocks(chunk), out, at, start)
    if (defBlocks != null) at = copy(defBlocks(chunk), out, at, start)
    b = 0
    while (b < numBuffers) {
      at = copy(buffers(b), out, at, start)
      b += 1
    }
  }

  private def copy(from: Buffer, out: Array[Byte], at: Int, start: Int): Int = {
    System.arraycopy(from.array, from.offset, out, at, from.length)
    fill(out, at + from.length, start)
  }

  /** Pads to a multiple of 8 from the chunk's start. Returns the end of the padding. */
  private def fill(out: Array[Byte], at: Int, start: Int): Int = {
    val end = start + pad(at - start)
    var i = at
    while (i < end) {
      out(i) = MiniBlockWriter.fillByte
      i += 1
    }
    end
  }

  private def pad(size: Int): Int = (size + 7) & ~7
}

private[layout] object MiniBlockWriter {
  val fillByte: Byte = 0xfe.toByte

  /** Maximum bytes of a chunk that a u16 word can express. */
  val maxChunk: Long = 32768L

  /** Maximum bytes of a chunk that a u32 word can express. */
  val maxLargeChunk: Long = 1L << 31
}
