// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text.build

import io.github.pysparklance.core._
import io.github.pysparklance.index.postings.ByteSink
import io.github.pysparklance.index.spi.NewSegment
import io.github.pysparklance.index.text.search.{Bm25, TextStatistics}
import io.github.pysparklance.index.text.segment.LengthCode

/** The documents of a token, with the positions of the token.
  *
  * @param positions positions in all documents, ascending within a document; empty if not stored
  */
final private[build] class TermDocs {
  val docs: IntValues = new IntValues
  val frequencies: IntValues = new IntValues
  val positions: IntValues = new IntValues

  def clear(): Unit = {
    docs.clear()
    frequencies.clear()
    positions.clear()
  }
}

/** Encodes the posting lists of a partition, see `CompressedPostings` for the layout. Not
  * thread-safe. Hot code: imperative.
  *
  * @param lengths lengths of the documents of the partition
  */
final private[build] class PostingEncoder(format: SegmentFormat, lengths: Array[Int]) {
  import PostingEncoder._

  private val blockSize = format.blockSize
  private val statistics =
    TextStatistics(lengths.length.toLong, lengths.iterator.map(_.toLong).sum, Map.empty)
  private val bm25 = new Bm25(statistics)
  private val impactEncoder = new ImpactEncoder(lengths)
  private val lanes = blockSize / 32
  private val sink = new ByteSink
  private val packed = new Array[Int](256)

  // Columns of the posting file, with a row for each token.
  private val blocks = new Lists(new BinaryValues)
  private val maxScores = new IntValues
  private val numDocs = new IntValues
  private val impacts = new Lists(new BinaryValues)
  private val positions = PositionEncoder(format)

  /** The columns of the posting file. */
  val fields: IndexedSeq[Field] = IndexedSeq(
    Lists.field("_posting", LogicalType.Binary(large = true)),
    Field(0, "_max_score", LogicalType.Float, nullable = false),
    NewSegment.unsigned("_length", 32),
    Lists.field("_impacts", LogicalType.Binary(large = true))
  ) ++ positions.fields

  /** Number of tokens in [[columns]]. */
  def numTokens: Int = numDocs.numItems

  def columns: IndexedSeq[Column] = IndexedSeq(
    blocks.column,
    LeafColumn(maxScores, null),
    LeafColumn(numDocs, null),
    impacts.column
  ) ++ positions.columns

  def clear(): Unit = {
    Seq(blocks, impacts).foreach(_.clear())
    Seq(maxScores, numDocs).foreach(_.clear())
    positions.clear()
  }

  /** Number of bytes of the columns. */
  def numBytes: Long =
    blocks.items.numBytes.toLong + impacts.items.numBytes + positions.numBytes

  /** Adds a token. */
  def add(term: TermDocs): Unit = {
    val all = term.docs.numItems
    val idf = Bm25.idf(all.toLong, statistics.numDocs)
    var maxScore = 0f
    var from = 0
    while (from < all) {
      val size = math.min(blockSize, all - from)
      maxScore =
        math.max(maxScore, addBlock(term.docs.array, term.frequencies.array, from, size, idf))
      impactEncoder.add(term, from, size, impacts.items)
      from += size
    }
    from = 0
    while (from < all) {
      val size = math.min(groupBlocks * blockSize, all - from)
      impactEncoder.add(term, from, size, impacts.items)
      from += size
    }
    positions.add(term)
    blocks.end()
    impacts.end()
    maxScores.append(java.lang.Float.floatToRawIntBits(maxScore))
    numDocs.append(all)
  }

  /** Adds a block, and returns its highest score. */
  private def addBlock(
      docs: Array[Int],
      frequencies: Array[Int],
      from: Int,
      size: Int,
      idf: Float
  ): Float = {
    sink.clear()
    var highest = 0f
    var i = from
    while (i < from + size) {
      val norm = bm25.norm(scoredLength(docs(i)))
      highest = math.max(highest, idf * Bm25.factor(frequencies(i), norm))
      i += 1
    }
    if (blockSize == 128) sink.putInt(java.lang.Float.floatToRawIntBits(highest))
    if (size == blockSize) addFull(docs, frequencies, from)
    else if (format.hasVarintTail) addVarints(docs, frequencies, from, size)
    else {
      (from until from + size).foreach(i => sink.putInt(docs(i)))
      (from until from + size).foreach(i => sink.putInt(frequencies(i)))
    }
    blocks.items.append(sink.array, 0, sink.length)
    highest
  }

  private def addVarints(docs: Array[Int], frequencies: Array[Int], from: Int, size: Int): Unit = {
    var last = 0
    var i = from
    while (i < from + size) {
      sink.putVarint(docs(i) - last)
      last = docs(i)
      i += 1
    }
    i = from
    while (i < from + size) {
      sink.putVarint(frequencies(i))
      i += 1
    }
  }

  private def scoredLength(doc: Int): Int =
    if (blockSize == 128) lengths(doc) else LengthCode.decode(LengthCode.encode(lengths(doc)))

  private def addFull(docs: Array[Int], frequencies: Array[Int], from: Int): Unit = {
    BitPacking.packAscending(docs, from, lanes, packed, sink)
    System.arraycopy(frequencies, from, packed, 0, blockSize)
    if (blockSize == 128) BitPacking.packWithWidth(packed, lanes, sink) else addPatched()
  }

  /** Adds 256 frequencies, followed by the upper bits of a few large ones. */
  private def addPatched(): Unit = {
    val bits = patchedWidth
    val exceptions = (0 until blockSize).filter(i => BitPacking.widthOf(packed(i)) > bits)
    sink.putByte(bits)
    sink.putByte(exceptions.length)
    val upper = exceptions.map(i => packed(i) >>> bits)
    exceptions.foreach(i => packed(i) &= (1 << bits) - 1)
    BitPacking.pack(packed, bits, lanes, sink)
    exceptions.indices.foreach { e =>
      sink.putByte(exceptions(e))
      sink.putVarint(upper(e))
    }
  }

  /** Returns the width for which the frequencies take the fewest bytes. */
  private def patchedWidth: Int = {
    val counts = new Array[Int](33)
    (0 until blockSize).foreach(i => counts(BitPacking.widthOf(packed(i))) += 1)
    val most = (0 to 32).filter(counts(_) > 0).max
    (0 to most).minBy { bits =>
      val larger = (bits + 1 to 32).map(counts(_)).sum
      if (larger > maxExceptions) Int.MaxValue
      else bits * 32 + (bits + 1 to 32).map(w => counts(w) * (1 + (w - bits + 6) / 7)).sum
    }
  }
}

private object PostingEncoder {

  /** Number of blocks in a group with common impacts. */
  private val groupBlocks = 32

  /** Maximum number of frequencies of a block with more bits than the others. */
  private val maxExceptions = 31
}
