// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.compression

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.compression.bitpacking.{
  BitpackingKernel,
  OutOfLineBitpacking
}
import io.github.pysparklance.encoding.proto.v2_1
import io.github.pysparklance.encoding.proto.v2_1.CompressiveEncoding
import io.github.pysparklance.encoding.spi._
import io.github.pysparklance.encoding.value.Messages

/** `Variable` with offsets as a separate sequence. Source: message `Variable`, format page of the
  * compressive encodings, "Mini-block, generic offsets".
  *
  * {{{
  *   buffer 0   (n + 1) offsets from 0, unless their description is complete   Range{start 0, step 10}: no such buffer
  *   last       bytes                                                          values of 10 bytes each
  * }}}
  * Since 2.3; mini-block only. Hot code: imperative.
  */
private[encoding] object VariableSequence {

  def miniBlock(
      message: v2_1.Variable,
      valueType: ValueType,
      choose: DecoderChooser
  ): MiniBlockDecoder = {
    Variable.requireVariable(valueType)
    Messages.rejectLeafCompression("Variable", message.hasValues)
    val bits = Sequences.bitsOf(message.getOffsets)
    new MiniBlock(choose.sequence(message.getOffsets, bits), bits)
  }

  private val packedChunkValues = BitpackingKernel.blockValues

  /** Chunks of more bytes would make reading a single value too expensive. */
  private val mostPackedChunkBytes = 64L << 10

  /** Encodes equal lengths as evenly spaced offsets, and others as bit-packed differences. Returns
    * `None` if that cannot pay off.
    *
    * @param chunkBytes approximate bytes per chunk for values of equal length
    */
  def encodeMiniBlock(
      values: BinaryValues,
      offsetBits: Int,
      chunkBytes: Int
  ): Option[CompressedMiniBlock] = {
    val n = values.numItems
    val lengths = new IntValues
    lengths.extend(n): Unit
    var shortest = Int.MaxValue
    var longest = 0
    var i = 0
    while (i < n) {
      val length = values.offsets(i + 1) - values.offsets(i)
      lengths.array(i) = length
      shortest = math.min(shortest, length)
      longest = math.max(longest, length)
      i += 1
    }
    val width = 32 - Integer.numberOfLeadingZeros(longest)
    if (longest == 0) None
    else if (shortest == longest) Some(equal(values, offsetBits, longest, chunkBytes))
    else if (width >= 32 || values.numBytes.toLong * packedChunkValues / n > mostPackedChunkBytes)
      None
    else Some(packed(values, offsetBits, width, wide(lengths, offsetBits)))
  }

  private def equal(
      values: BinaryValues,
      offsetBits: Int,
      length: Int,
      chunkBytes: Int
  ): CompressedMiniBlock = {
    var perChunk = 2
    while (perChunk * 2L * length <= chunkBytes && perChunk * 2 <= Flat.maxChunkValues)
      perChunk *= 2
    val encoding = message(SequenceEncoder.range(offsetBits, 0L, length.toLong))
    CompressedMiniBlock(encoding, chunks(values, perChunk, (_, _) => IndexedSeq.empty))
  }

  private def packed(
      values: BinaryValues,
      offsetBits: Int,
      width: Int,
      lengths: Values
  ): CompressedMiniBlock = {
    val deltas = OutOfLineBitpacking.message(offsetBits, width)
    CompressedMiniBlock(
      message(SequenceEncoder.delta(offsetBits, 0L, deltas)),
      chunks(
        values,
        packedChunkValues,
        (from, count) =>
          IndexedSeq(OutOfLineBitpacking.encodeBlock(lengths, offsetBits, width, from, count))
      )
    )
  }

  private def wide(lengths: IntValues, offsetBits: Int): Values =
    if (offsetBits == 32) lengths
    else {
      val out = new LongValues
      out.extend(lengths.numItems): Unit
      var i = 0
      while (i < lengths.numItems) {
        out.array(i) = lengths.array(i).toLong
        i += 1
      }
      out
    }

  private def chunks(
      values: BinaryValues,
      perChunk: Int,
      offsets: (Int, Int) => IndexedSeq[Buffer]
  ): IndexedSeq[MiniBlockChunk] =
    (0 until values.numItems by perChunk).map { from =>
      val count = math.min(perChunk, values.numItems - from)
      val first = values.offsets(from)
      val bytes = new Buffer(values.bytes, first, values.offsets(from + count) - first)
      MiniBlockChunk(count, offsets(from, count) :+ bytes)
    }

  private def message(offsets: CompressiveEncoding): CompressiveEncoding =
    CompressiveEncoding.newBuilder
      .setVariable(v2_1.Variable.newBuilder.setOffsets(offsets))
      .build

  final private class MiniBlock(sequence: SequenceDecoder, bits: Int) extends MiniBlockDecoder {
    val numBuffers: Int = if (sequence.hasPayload) 2 else 1
    private val offsets = Values.allocate(FixedWidth(bits))
    private var narrow = Array.emptyIntArray
    // the chunk whose offsets are decoded: its bytes and its number of values
    private var chunk: Buffer = Buffer.empty
    private var chunkValues = -1

    def decode(buffers: Array[Buffer], numValues: Int, from: Int, count: Int, out: Values): Unit = {
      Messages.checkNumBuffers("Variable", buffers, numBuffers)
      Messages.checkSlice(numValues, from, count)
      val bytes = buffers(numBuffers - 1)
      val goesOn = from > 0 && chunkValues == numValues && (bytes.array eq chunk.array) &&
        bytes.offset == chunk.offset && bytes.length == chunk.length
      if (!goesOn) {
        chunkValues = -1
        load(if (sequence.hasPayload) buffers(0) else Buffer.empty, numValues, bytes.length)
        chunk = bytes
        chunkValues = numValues
      }
      append(bytes, from, count, out.asInstanceOf[BinaryValues])
    }

    private def load(payload: Buffer, numValues: Int, numBytes: Int): Unit = {
      offsets.clear()
      sequence.decode(payload, numValues + 1, offsets)
      offsets match {
        case v: IntValues => narrow = v.array
        case v: LongValues =>
          if (narrow.length <= numValues) narrow = new Array(numValues + 1)
          var i = 0
          while (i <= numValues) { // offsets above 2 GiB become -1
            narrow(i) = if ((v.array(i) >>> 31) == 0) v.array(i).toInt else -1
            i += 1
          }
        case other =>
          throw new CorruptFileException(s"offsets as ${other.getClass.getSimpleName}")
      }
      var falls = narrow(0)
      var i = 0
      while (i < numValues) {
        falls |= narrow(i + 1) | (narrow(i + 1) - narrow(i))
        i += 1
      }
      if (falls < 0 || narrow(0) != 0 || narrow(numValues) != numBytes)
        throw new CorruptFileException(
          s"offsets of $numValues values do not ascend from 0 to the $numBytes bytes of their chunk"
        )
    }

    private def append(bytes: Buffer, from: Int, count: Int, out: BinaryValues): Unit = {
      out.reserve(count)
      val base = out.numBytes
      val at = out.numItems
      val first = narrow(from)
      val numBytes = narrow(from + count) - first
      out.reserveBytes(base, numBytes.toLong)
      System.arraycopy(bytes.array, bytes.offset + first, out.bytes, base, numBytes)
      val shift = base - first
      var i = 1
      while (i <= count) {
        out.offsets(at + i) = narrow(from + i) + shift
        i += 1
      }
      out.extend(count)
    }
  }
}
