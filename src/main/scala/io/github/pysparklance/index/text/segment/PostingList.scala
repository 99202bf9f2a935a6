// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text.segment

import io.github.pysparklance.core.CorruptFileException
import io.github.pysparklance.index.cache.IndexCache

/** The documents with a token in a partition, in blocks. Immutable. */
private[text] trait PostingList extends IndexCache.Part {

  /** Number of documents with the token. */
  def numDocs: Int

  def numBlocks: Int

  /** Returns the first document of a block. */
  def firstDoc(block: Int): Int

  /** Reads a block.
    *
    * @throws CorruptFileException if the bytes are damaged
    */
  def read(block: Int, into: PostingBlock): Unit

  def hasPositions: Boolean

  /** Reads the positions of a block. Only if [[hasPositions]].
    *
    * @param of block that [[read]] returned
    */
  def readPositions(block: Int, of: PostingBlock, into: PositionBlock): Unit

  /** The score bounds of the blocks, as pairs of a frequency and a length; `None` if the index does not
    * have them.
    */
  def impacts: Option[Impacts]
}

/** The encoding of the posting lists of a partition.
  *
  * @param blockSize number of documents of a full block: 128 or 256
  * @param hasVarintTail whether the last block is encoded in numbers of variable length
  * @param numDocs number of documents of the partition
  */
final private[segment] case class PostingFormat(
    blockSize: Int,
    hasVarintTail: Boolean,
    numDocs: Int
) {

  /** Blocks of 128 documents start with their highest score, which depends on the statistics of the
    * writer and is not used.
    */
  def scoreBytes: Int = if (blockSize == 128) 4 else 0

  def lanes: Int = blockSize / 32
}

/** Concatenated byte strings. String `i` is `bytes[offsets(i), offsets(i + 1))`. */
final private[segment] class ByteStrings(val bytes: Array[Byte], val offsets: Array[Int]) {
  def size: Int = offsets.length - 1
  def cursor(i: Int): ByteCursor = new ByteCursor(bytes, offsets(i), offsets(i + 1))
  def sizeInBytes: Long = bytes.length + 4L * offsets.length
}

/** A posting list in the format of partitions.
  *
  * {{{
  *   full block of 128   f32 score | u32 first document | u8 w | 128 deltas of w bits, the first 0
  *                       | u8 v | 128 frequencies of v bits
  *   full block of 256   u32 first document | u8 w | 256 deltas | u8 v | u8 e | 256 frequencies
  *                       | e times: u8 index, LEB128 bits from v on
  *   last block of n     [f32 score if blocks have 128 documents]
  *                       fixed: n u32 documents | n u32 frequencies
  *                       varint: n LEB128 deltas, the first absolute | n LEB128 frequencies
  * }}}
  *
  * Source: format page of indices, "Postings". Hot code: imperative.
  */
final private[segment] class CompressedPostings(
    format: PostingFormat,
    val numDocs: Int,
    blocks: ByteStrings,
    val impacts: Option[Impacts],
    positions: Option[StoredPositions]
) extends PostingList {
  CorruptFileException.check(
    numDocs >= 0 && numDocs <= format.numDocs &&
      blocks.size == (numDocs.toLong + format.blockSize - 1) / format.blockSize,
    s"a posting list of $numDocs documents in ${blocks.size} blocks, of a partition with ${format.numDocs} documents"
  )
  impacts.foreach(_.check(numBlocks))
  positions.foreach(_.check(numDocs, numBlocks))

  def numBlocks: Int = blocks.size

  private val firstDocs: Array[Int] = Array.tabulate(numBlocks) { b =>
    val in = blocks.cursor(b)
    in.need(format.scoreBytes)
    in.at += format.scoreBytes
    if (sizeOf(b) == format.blockSize || !format.hasVarintTail) in.i32() else in.leb()
  }
  (1 until numBlocks).foreach { b =>
    CorruptFileException.check(firstDocs(b) > firstDocs(b - 1), "posting blocks out of order")
  }
  CorruptFileException.check(
    numBlocks == 0 || firstDocs(0) >= 0 && firstDocs.last < format.numDocs,
    "a posting block of documents that the partition does not have"
  )

  def firstDoc(block: Int): Int = firstDocs(block)

  private def sizeOf(block: Int): Int =
    math.min(format.blockSize, numDocs - block * format.blockSize)

  def read(block: Int, into: PostingBlock): Unit = {
    val in = blocks.cursor(block)
    in.at += format.scoreBytes
    into.size = sizeOf(block)
    if (into.size == format.blockSize) readFull(in, into)
    else if (format.hasVarintTail) readVarints(in, into)
    else readFixed(in, into)
    if (in.at != in.end)
      throw new CorruptFileException(s"a posting block with ${in.end - in.at} extra bytes")
    checkOrder(block, into)
  }

  private def readFull(in: ByteCursor, into: PostingBlock): Unit = {
    val lanes = format.lanes
    val docs = into.docs
    val first = in.i32()
    val deltaBits = in.u8()
    BitUnpacking.unpack(blocks.bytes, in.packed(deltaBits, lanes), deltaBits, lanes, docs, 0)
    docs(0) = first
    var i = 1
    while (i < into.size) {
      docs(i) += docs(i - 1)
      i += 1
    }
    val frequencyBits = in.u8()
    val numExceptions = if (format.blockSize == 256) in.u8() else 0
    val at = in.packed(frequencyBits, lanes)
    BitUnpacking.unpack(blocks.bytes, at, frequencyBits, lanes, into.frequencies, 0)
    i = 0
    while (i < numExceptions) {
      val index = in.u8()
      into.frequencies(index) |= in.leb() << frequencyBits
      i += 1
    }
  }

  private def readVarints(in: ByteCursor, into: PostingBlock): Unit = {
    var doc = 0
    var i = 0
    while (i < into.size) {
      doc += in.leb()
      into.docs(i) = doc
      i += 1
    }
    i = 0
    while (i < into.size) {
      into.frequencies(i) = in.leb()
      i += 1
    }
  }

  private def readFixed(in: ByteCursor, into: PostingBlock): Unit = {
    var i = 0
    while (i < into.size) {
      into.docs(i) = in.i32()
      i += 1
    }
    i = 0
    while (i < into.size) {
      into.frequencies(i) = in.i32()
      i += 1
    }
  }

  private def checkOrder(block: Int, read: PostingBlock): Unit = {
    val docs = read.docs
    val end = if (block + 1 < numBlocks) firstDocs(block + 1) else format.numDocs
    var isOrdered = docs(read.size - 1) < end
    var i = 1
    while (i < read.size) {
      isOrdered &= docs(i) > docs(i - 1)
      i += 1
    }
    if (!isOrdered || docs(0) < 0)
      throw new CorruptFileException("the documents of a posting block are not in order")
  }

  def hasPositions: Boolean = positions.isDefined

  def readPositions(block: Int, of: PostingBlock, into: PositionBlock): Unit = {
    into.reset(of)
    positions.get.read(block, block * format.blockSize, of, into)
  }

  def sizeInBytes: Long = blocks.sizeInBytes + 4L * numBlocks + 128L +
    impacts.fold(0L)(_.sizeInBytes) + positions.fold(0L)(_.sizeInBytes)
}
