// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.compression

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.proto.v2_1
import io.github.pysparklance.encoding.proto.v2_1.CompressiveEncoding
import io.github.pysparklance.encoding.spi._
import io.github.pysparklance.encoding.value.Messages

/** Run-length encoding. Source: message `Rle`, format page of the compressive encodings, "RLE".
  *
  * {{{
  *   mini-block   buffer 0  values    k x T/8 bytes   | 07000000 | 07000000 | 09000000 |
  *                buffer 1  lengths   k x R/8 bytes   | ff       | 2d       | 14       |     300 sevens, 20 nines
  *   block        u64 bytes of values | values | lengths
  * }}}
  * Lengths count items and are at least 1. Runs longer than 2^R - 1 are split. Runs end with their
  * chunk. If the last run of a mini-block chunk is too long, it is cut, because older writers did
  * not; in a block it is corrupt. T is 8, 16, 32, or 64. R is 8 when written, up to 32 when read.
  * Used if shorter than plain and bit-packed values: since 2.1 in mini-blocks, since 2.2 in blocks.
  * Hot code: imperative.
  */
object Rle {
  private val longestRun = 255

  def miniBlock(
      message: v2_1.Rle,
      valueType: ValueType,
      children: RleChildren = RleChildren.Plain
  ): MiniBlockDecoder = {
    val (values, lengths) = childrenOf(message, valueType, children)
    new MiniBlock(values, lengths)
  }

  def block(
      message: v2_1.Rle,
      valueType: ValueType,
      children: RleChildren = RleChildren.Plain
  ): BlockDecoder = {
    val (values, lengths) = childrenOf(message, valueType, children)
    val impliesCount = values.bits == 16 && lengths.bits == 8 &&
      message.getValues.hasFlat && message.getRunLengths.hasFlat
    new Block(values, lengths, impliesCount)
  }

  private def childrenOf(
      message: v2_1.Rle,
      valueType: ValueType,
      children: RleChildren
  ): (RleChild, RleChild) = {
    val values = children.child("Rle values", message.getValues)
    Messages.integerWidth("Rle", values.bits.toLong, valueType): Unit
    val lengths = children.child("Rle run lengths", message.getRunLengths)
    CorruptFileException.check(
      lengths.bits == 8 || lengths.bits == 16 || lengths.bits == 32,
      s"Rle with run lengths of ${lengths.bits} bits"
    )
    CorruptFileException.check(
      !values.needsCount || !lengths.needsCount,
      "Rle whose children do not determine the number of runs"
    )
    (values, lengths)
  }

  final private class MiniBlock(values: RleChild, lengths: RleChild) extends MiniBlockDecoder {
    val numBuffers = 2
    private val runs = new RleRuns(values, lengths)

    def decode(buffers: Array[Buffer], numValues: Int, from: Int, count: Int, out: Values): Unit = {
      Messages.checkNumBuffers("Rle", buffers, 2)
      Messages.checkSlice(numValues, from, count)
      val total = runs.read(buffers(0), buffers(1), numValues)
      if (total < numValues)
        throw new CorruptFileException(
          s"Rle run lengths add up to $total items, expected $numValues"
        )
      runs.append(from, count, out)
    }
  }

  /** A decoder of blocks.
    *
    * @param impliesCount whether run lengths are trusted over the number of levels in a chunk
    *   header; only for the form of levels that release 6 wrote
    */
  final private class Block(values: RleChild, lengths: RleChild, impliesCount: Boolean)
      extends BlockDecoder {
    private val runs = new RleRuns(values, lengths)
    private var parsed: Buffer = null
    private var total = 0L

    override def impliedValues(block: Buffer): Long =
      if (!impliesCount || block.length == 0) -1L
      else {
        parse(block, 0)
        parsed = block
        total
      }

    private def parse(block: Buffer, numValues: Int): Unit = {
      val valueBytes = block.u63(0, "the bytes of the values of an Rle block")
      val values = block.slice(8, valueBytes)
      val lengths = block.slice(8 + valueBytes, block.length - 8 - valueBytes)
      total = runs.read(values, lengths, numValues)
    }

    def decode(block: Buffer, numValues: Int, out: Values): Unit =
      if (numValues > 0 || block.length > 0) {
        if (parsed ne block) parse(block, numValues)
        parsed = null
        if (total != numValues)
          throw new CorruptFileException(
            s"Rle run lengths add up to $total items, expected $numValues"
          )
        runs.append(0, numValues, out)
      }
  }

  /** Estimates the encoded bytes of the values, slightly too high, because it does not locate the
    * splits of long runs.
    *
    * @param bits bits of a value
    */
  def estimateBytes(values: Values, bits: Int): Long = {
    val splits = values.numItems / longestRun + values.numItems / Flat.maxChunkValues
    (numRuns(values) + splits) * (bits / 8 + 1)
  }

  /** Returns the number of runs of equal values. */
  def numRuns(values: Values): Long = {
    val n = values.numItems
    var changes = 0
    var i = 1
    // the sign bit of (x | -x) is set unless x is 0; avoids a branch
    values match {
      case v: IntValues =>
        val a = v.array
        while (i < n) {
          val x = a(i) ^ a(i - 1)
          changes += (x | -x) >>> 31
          i += 1
        }
      case v: LongValues =>
        val a = v.array
        while (i < n) {
          val x = a(i) ^ a(i - 1)
          changes += ((x | -x) >>> 63).toInt
          i += 1
        }
      case v: ShortValues =>
        val a = v.array
        while (i < n) {
          val x = a(i) ^ a(i - 1)
          changes += (x | -x) >>> 31
          i += 1
        }
      case v: ByteValues =>
        val a = v.array
        while (i < n) {
          val x = a(i) ^ a(i - 1)
          changes += (x | -x) >>> 31
          i += 1
        }
      case other =>
        throw new IllegalArgumentException(s"no integers: ${other.getClass.getSimpleName}")
    }
    math.min(n, changes + 1L)
  }

  /** Returns the end of the run that starts at `from`. */
  private def runEnd(values: Values, from: Int, until: Int): Int = {
    var i = from + 1
    values match {
      case v: IntValues =>
        val a = v.array
        val x = a(from)
        while (i < until && a(i) == x) i += 1
      case v: LongValues =>
        val a = v.array
        val x = a(from)
        while (i < until && a(i) == x) i += 1
      case v: ShortValues =>
        val a = v.array
        val x = a(from)
        while (i < until && a(i) == x) i += 1
      case v: ByteValues =>
        val a = v.array
        val x = a(from)
        while (i < until && a(i) == x) i += 1
      case other =>
        throw new IllegalArgumentException(s"no integers: ${other.getClass.getSimpleName}")
    }
    i
  }

  /** Encodes `values[from, until)` as run values and run lengths.
    *
    * @param lengthBits bits of a length: 8, or 16 since 2.3
    */
  private def encodeRuns(
      values: Values,
      bits: Int,
      from: Int,
      until: Int,
      lengthBits: Int
  ): (Array[Byte], Array[Byte]) = {
    val starts = Values.allocate(FixedWidth(bits))
    val lengths = new IntValues
    val longest = (1 << lengthBits) - 1
    var i = from
    while (i < until) {
      val end = runEnd(values, i, until)
      while (i < end) {
        val n = math.min(longest, end - i)
        starts.appendFrom(values, i, 1)
        lengths.append(n)
        i += n
      }
    }
    (Flat.plainBytes(starts, bits), lengthBytes(lengths, lengthBits))
  }

  private def lengthBytes(lengths: IntValues, lengthBits: Int): Array[Byte] = {
    val bytes = new Array[Byte](lengths.numItems * (lengthBits / 8))
    var i = 0
    while (i < lengths.numItems) {
      if (lengthBits == 8) bytes(i) = lengths.array(i).toByte
      else Buffer.putShort(bytes, i * 2, lengths.array(i).toShort)
      i += 1
    }
    bytes
  }

  /** Encodes all values in chunks. Each holds all remaining values, or the largest power of two
    * whose runs fit a chunk.
    */
  def encodeMiniBlock(values: Values, bits: Int): CompressedMiniBlock = {
    val chunks = Vector.newBuilder[MiniBlockChunk]
    var from = 0
    while (from < values.numItems) {
      val left = values.numItems - from
      var n = math.min(left, Flat.maxChunkValues)
      var (starts, lengths) = encodeRuns(values, bits, from, from + n, 8)
      while (starts.length + lengths.length > Flat.maxChunkBytes) {
        n = Integer.highestOneBit(n - 1)
        val shorter = encodeRuns(values, bits, from, from + n, 8)
        starts = shorter._1
        lengths = shorter._2
      }
      chunks += MiniBlockChunk(n, Vector(Buffer(starts), Buffer(lengths)))
      from += n
    }
    CompressedMiniBlock(message(bits), chunks.result())
  }

  /** Encodes `values[from, from + count)` as one block.
    *
    * @param lengthBits bits of a length: 8, or 16 since 2.3
    */
  def encodeBlock(values: Values, bits: Int, from: Int, count: Int, lengthBits: Int = 8): Buffer = {
    val (starts, lengths) = encodeRuns(values, bits, from, from + count, lengthBits)
    val bytes = new Array[Byte](Messages.arrayLength(8L + starts.length + lengths.length))
    Buffer.putLong(bytes, 0, starts.length.toLong)
    System.arraycopy(starts, 0, bytes, 8, starts.length)
    System.arraycopy(lengths, 0, bytes, 8 + starts.length, lengths.length)
    Buffer(bytes)
  }

  def message(bits: Int, lengthBits: Int = 8): CompressiveEncoding =
    CompressiveEncoding.newBuilder
      .setRle(
        v2_1.Rle.newBuilder
          .setValues(Messages.flat(bits))
          .setRunLengths(Messages.flat(lengthBits))
      )
      .build
}
