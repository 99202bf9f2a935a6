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
  final def read(block: Int, into: PostingBlock): Unit = {
    readDocs(block, into)
    readFrequencies(block, into)
  }

  /** Reads the documents of a block. The frequencies can be read later.
    *
    * @throws CorruptFileException if the bytes are damaged
    */
  def readDocs(block: Int, into: PostingBlock): Unit

  /** Reads the frequencies of the block that [[readDocs]] read last, unless they are read already.
    *
    * @throws CorruptFileException if the bytes are damaged
    */
  def readFrequencies(block: Int, into: PostingBlock): Unit

  def hasPositions: Boolean

  /** Reads the positions of a block. Only if [[hasPositions]].
    *
    * @param of block that [[readDocs]] or [[read]] returned
    */
  def readPositions(block: Int, of: PostingBlock, into: PositionBlock): Unit

  /** The score bounds of the blocks, as pairs of a frequency and a length; `None` if the index does
    * not have them.
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
  def length(i: Int): Int = offsets(i + 1) - offsets(i)
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

  // Whether a block was checked. Several threads may check the same block.
  private val isChecked = new Array[Boolean](numBlocks)

  def readDocs(block: Int, into: PostingBlock): Unit = {
    val in = blocks.cursor(block)
    in.at += format.scoreBytes
    into.size = sizeOf(block)
    if (into.size == format.blockSize) unpackDocs(in, into.docs)
    else if (format.hasVarintTail) {
      var doc = 0
      var i = 0
      while (i < into.size) {
        doc += in.leb()
        into.docs(i) = doc
        i += 1
      }
    } else readFixed(in, into.size, into.docs)
    into.frequenciesAt = in.at
    if (!isChecked(block)) {
      checkOrder(block, into)
      isChecked(block) = true
    }
  }

  private def unpackDocs(in: ByteCursor, docs: Array[Int]): Unit = {
    val first = in.i32()
    val deltaBits = in.u8()
    val at = in.packed(deltaBits, format.lanes)
    BitUnpacking.unpack(blocks.bytes, at, deltaBits, format.lanes, docs, 0)
    docs(0) = first
    var doc = first
    var i = 1
    while (i < format.blockSize) {
      doc += docs(i)
      docs(i) = doc
      i += 1
    }
  }

  def readFrequencies(block: Int, into: PostingBlock): Unit = if (into.frequenciesAt >= 0) {
    val in = blocks.cursor(block)
    in.at = into.frequenciesAt
    if (into.size == format.blockSize) unpackFrequencies(in, into.frequencies)
    else if (format.hasVarintTail) {
      var i = 0
      while (i < into.size) {
        into.frequencies(i) = in.leb()
        i += 1
      }
    } else readFixed(in, into.size, into.frequencies)
    if (in.at != in.end)
      throw new CorruptFileException(s"a posting block with ${in.end - in.at} extra bytes")
    into.frequenciesAt = -1
  }

  private def unpackFrequencies(in: ByteCursor, frequencies: Array[Int]): Unit = {
    val bits = in.u8()
    val numExceptions = if (format.blockSize == 256) in.u8() else 0
    val at = in.packed(bits, format.lanes)
    BitUnpacking.unpack(blocks.bytes, at, bits, format.lanes, frequencies, 0)
    var i = 0
    while (i < numExceptions) {
      val index = in.u8()
      frequencies(index) |= in.leb() << bits
      i += 1
    }
  }

  private def readFixed(in: ByteCursor, size: Int, out: Array[Int]): Unit = {
    var i = 0
    while (i < size) {
      out(i) = in.i32()
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
    readFrequencies(block, of)
    into.reset(of, positions.get.maxPositions(block))
    positions.get.read(block, block * format.blockSize, of, into)
  }

  def sizeInBytes: Long = blocks.sizeInBytes + 5L * numBlocks + 128L +
    impacts.fold(0L)(_.sizeInBytes) + positions.fold(0L)(_.sizeInBytes)
}
