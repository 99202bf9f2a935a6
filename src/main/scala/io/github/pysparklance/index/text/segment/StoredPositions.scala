// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text.segment

import io.github.pysparklance.core.CorruptFileException

/** The positions of a token in its documents. Hot code: imperative.
  *
  * Source: format page of indices, "Positions".
  */
private[segment] trait StoredPositions {

  /** @throws CorruptFileException if the number of parts differs from the posting list */
  def check(numDocs: Int, numBlocks: Int): Unit

  /** Returns the maximum number of positions in the bytes of a block. */
  def maxPositions(block: Int): Long

  /** Reads the positions of a block.
    *
    * @param firstEntry number of entries of the posting list before the block
    * @param into receives the positions; already contains the starts of the documents
    */
  def read(block: Int, firstEntry: Int, of: PostingBlock, into: PositionBlock): Unit

  def sizeInBytes: Long
}

private object StoredPositions {

  /** Number of positions that are packed together. */
  val groupSize = 128

  /** Bytes of the head of such a group, which may have no other bytes. */
  val headBytes = 5
}

/** Positions in a stream for each block, as deltas. The first position of a document is absolute.
  *
  * {{{
  *   packed    groups of 128: u8 w | 128 deltas of w bits, in 4 lanes | the rest: LEB128
  *   varint    LEB128
  * }}}
  */
final private[segment] class SharedPositions(streams: ByteStrings, isPacked: Boolean)
    extends StoredPositions {

  def check(numDocs: Int, numBlocks: Int): Unit = CorruptFileException.check(
    streams.size == numBlocks,
    s"positions of ${streams.size} blocks in a posting list of $numBlocks blocks"
  )

  /** A packed group has at least the byte of its width. */
  def maxPositions(block: Int): Long =
    streams.length(block).toLong * (if (isPacked) StoredPositions.groupSize else 1)

  def read(block: Int, firstEntry: Int, of: PostingBlock, into: PositionBlock): Unit = {
    val in = streams.cursor(block)
    val values = into.values
    val total = into.starts(of.size)
    var at = 0
    if (isPacked)
      while (total - at >= StoredPositions.groupSize) {
        val width = in.u8()
        BitUnpacking.unpack(streams.bytes, in.packed(width, 4), width, 4, values, at)
        at += StoredPositions.groupSize
      }
    while (at < total) {
      values(at) = in.leb()
      at += 1
    }
    if (in.at != in.end)
      throw new CorruptFileException("positions of a posting block have extra bytes")
    var doc = 0
    while (doc < of.size) {
      var i = into.starts(doc) + 1
      while (i < into.starts(doc + 1)) {
        values(i) += values(i - 1)
        i += 1
      }
      doc += 1
    }
  }

  def sizeInBytes: Long = streams.sizeInBytes
}

/** Positions that are stored separately for each document, as in format version 1.
  *
  * {{{
  *   u32 count | for 128 positions each: u32 first | u8 w | 128 deltas of w bits, in 4 lanes
  *             | the rest: u32 each
  * }}}
  *
  * @param parts parts of all documents
  * @param firstParts number of the first part of each document, followed by the number of parts
  */
final private[segment] class DocumentPositions(parts: ByteStrings, firstParts: Array[Int])
    extends StoredPositions {

  def check(numDocs: Int, numBlocks: Int): Unit = CorruptFileException.check(
    firstParts.length - 1 == numDocs,
    s"positions of ${firstParts.length - 1} documents in a posting list of $numDocs documents"
  )

  def maxPositions(block: Int): Long =
    parts.bytes.length.toLong * StoredPositions.groupSize / StoredPositions.headBytes

  def read(block: Int, firstEntry: Int, of: PostingBlock, into: PositionBlock): Unit = {
    val values = into.values
    var doc = 0
    while (doc < of.size) {
      var part = firstParts(firstEntry + doc)
      val end = firstParts(firstEntry + doc + 1)
      var at = into.starts(doc)
      val until = into.starts(doc + 1)
      CorruptFileException.check(
        part < end && parts.cursor(part).i32() == until - at,
        "a document has other positions than its frequency says"
      )
      part += 1
      while (at < until) {
        CorruptFileException.check(part < end, "a document lacks positions")
        val in = parts.cursor(part)
        if (until - at >= StoredPositions.groupSize) {
          val first = in.i32()
          val width = in.u8()
          BitUnpacking.unpack(parts.bytes, in.packed(width, 4), width, 4, values, at)
          values(at) = first
          val groupEnd = at + StoredPositions.groupSize
          at += 1
          while (at < groupEnd) {
            values(at) += values(at - 1)
            at += 1
          }
        } else
          while (at < until) {
            values(at) = in.i32()
            at += 1
          }
        part += 1
      }
      doc += 1
    }
  }

  def sizeInBytes: Long = parts.sizeInBytes + 4L * firstParts.length
}
