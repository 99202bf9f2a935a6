// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.compression

import scala.util.Using

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.proto.v2_1
import io.github.pysparklance.encoding.spi._
import io.github.pysparklance.encoding.value.Messages

/** LZ4 or zstd around another encoding. Source: message `General`, format page of the compressive
  * encodings, "General"; see `CompressedBuffers` for the bytes.
  *
  * {{{
  *   mini-block   buffer 0 of each chunk is compressed independently, other buffers belong to the inner encoding
  *   per value    each value is compressed independently; an empty value takes no bytes
  *   block        the whole block
  * }}}
  * The writer compresses dictionary items since 2.2, numbers and strings if that saves much, and
  * columns whose metadata request it. Since 2.1.
  */
object General {

  /** @param choose finds the decoder of the inner encoding */
  def miniBlock(
      message: v2_1.General,
      valueType: ValueType,
      choose: DecoderChooser
  ): MiniBlockDecoder =
    new MiniBlock(
      CompressedBuffers.decompressor(message.getCompression),
      choose.miniBlock(message.getValues, valueType),
      bitsPerValue(valueType)
    )

  def perValue(
      message: v2_1.General,
      valueType: ValueType,
      choose: DecoderChooser
  ): VariablePerValueDecoder =
    new PerValue(
      CompressedBuffers.decompressor(message.getCompression),
      choose.variablePerValue(message.getValues, valueType)
    )

  def block(message: v2_1.General, valueType: ValueType, choose: DecoderChooser): BlockDecoder =
    new Block(
      CompressedBuffers.decompressor(message.getCompression),
      choose.block(message.getValues, valueType),
      bitsPerValue(valueType)
    )

  /** Returns the bits of a plain value including its bitmaps, or -1 for values of any length. */
  private def bitsPerValue(valueType: ValueType): Long = valueType match {
    case FixedWidth(bits) => bits.toLong
    case VariableWidth(_) => -1
    case FixedSizeListType(dimension, items) =>
      val bits = bitsPerValue(items)
      if (bits < 0) -1 else Math.multiplyExact(dimension.toLong, bits + 1) + 8
    case PackedStructType(children) =>
      val bits = children.map(bitsPerValue)
      if (bits.exists(_ < 0)) -1 else bits.sum
  }

  /** Returns the maximum plain bytes of `numValues` values in any inner encoding. Allows for
    * padding to blocks of 1,024 and for headers of run lengths.
    */
  private def maxPlain(numValues: Int, bits: Long): Long =
    if (bits < 0) Long.MaxValue
    else Math.multiplyExact(math.max(numValues.toLong, 1024L), (bits + 7) / 8 + 4) + 64

  final private class MiniBlock(
      decompressor: CompressedBuffers.Decompressor,
      inner: MiniBlockDecoder,
      bits: Long
  ) extends MiniBlockDecoder {
    val numBuffers: Int = inner.numBuffers
    private val plain = new Array[Buffer](numBuffers)
    // The decompressed chunk and the end of the values read from it. Later reads of the chunk need
    // no second decompression. The chunk is identified by its buffer, not by its array, because an
    // outer General decompresses all chunks to the same array.
    private var chunk: Buffer = _
    private var readUntil = 0

    def decode(buffers: Array[Buffer], numValues: Int, from: Int, count: Int, out: Values): Unit = {
      Messages.checkNumBuffers("General", buffers, numBuffers)
      val first = buffers(0)
      val goesOn = from > 0 && from >= readUntil && (first eq chunk)
      System.arraycopy(buffers, 1, plain, 1, numBuffers - 1)
      if (!goesOn) {
        chunk = null
        plain(0) = decompressor.decompress(first, maxPlain(numValues, bits))
        chunk = first
      }
      readUntil = from + count
      inner.decode(plain, numValues, from, count, out)
    }
  }

  final private class PerValue(
      decompressor: CompressedBuffers.Decompressor,
      inner: VariablePerValueDecoder
  ) extends VariablePerValueDecoder {
    def decode(array: Array[Byte], offset: Int, length: Int, out: Values): Unit =
      if (length == 0) inner.decode(array, offset, 0, out)
      else {
        val plain = decompressor.decompress(new Buffer(array, offset, length), Long.MaxValue)
        inner.decode(plain.array, plain.offset, plain.length, out)
      }
  }

  final private class Block(
      decompressor: CompressedBuffers.Decompressor,
      inner: BlockDecoder,
      bits: Long
  ) extends BlockDecoder {
    def decode(block: Buffer, numValues: Int, out: Values): Unit =
      inner.decode(decompressor.decompress(block, maxPlain(numValues, bits)), numValues, out)
  }

  /** Number of chunks in a sample. */
  private val sampleChunks = 8

  /** Compresses the first buffer of each chunk independently. */
  def encodeMiniBlock(plain: CompressedMiniBlock, scheme: GeneralScheme): CompressedMiniBlock =
    Using.resource(CompressedBuffers.compressor(scheme)) { compressor =>
      CompressedMiniBlock(
        Messages.general(compressor.message, plain.encoding),
        compress(plain.chunks, compressor)
      )
    }

  /** Estimates the compressed size of `plain` from a few chunks, as a fraction of its bytes with
    * padding. Returns 1 for an empty page.
    */
  def estimateShare(plain: CompressedMiniBlock, scheme: GeneralScheme): Double = {
    val numChunks = plain.chunks.length
    val sample = CompressedMiniBlock(
      plain.encoding,
      (0 until math.min(numChunks, sampleChunks)).map(i =>
        plain.chunks((i.toLong * numChunks / sampleChunks).toInt)
      )
    )
    if (sample.sizeInBytes == 0) 1.0
    else encodeMiniBlock(sample, scheme).sizeInBytes.toDouble / sample.sizeInBytes
  }

  /** Compresses all chunks into one array, so that none keeps its maximum size allocated. */
  private def compress(
      chunks: IndexedSeq[MiniBlockChunk],
      compressor: CompressedBuffers.Compressor
  ): IndexedSeq[MiniBlockChunk] = {
    var out = new Array[Byte](Messages.arrayLength(chunks.iterator.map(
      _.buffers.head.length.toLong
    ).sum / 2))
    val ends = new Array[Int](chunks.length + 1)
    var i = 0
    while (i < chunks.length) {
      val in = chunks(i).buffers.head
      val at = ends(i)
      val most = at + compressor.maxLength(in.length)
      if (most > out.length)
        out = java.util.Arrays.copyOf(out, Values.grownCapacity(out.length, most))
      ends(i + 1) = compressor.compress(in.array, in.offset, in.length, out, at)
      i += 1
    }
    chunks.indices.map { i =>
      val first = new Buffer(out, ends(i), ends(i + 1) - ends(i))
      chunks(i).copy(buffers = first +: chunks(i).buffers.tail)
    }
  }

  /** Compresses a block, even if that does not make it shorter. */
  def encodeBlock(block: CompressedBlock, scheme: GeneralScheme): CompressedBlock =
    Using.resource(CompressedBuffers.compressor(scheme)) { compressor =>
      CompressedBlock(
        Messages.general(compressor.message, block.encoding),
        compressor.compress(block.bytes)
      )
    }

  /** Compresses a block with LZ4, even if that does not make it shorter. */
  def encodeBlockLz4(block: CompressedBlock): CompressedBlock =
    encodeBlock(block, GeneralScheme.Lz4)

  /** Compresses a block with zstd, even if that does not make it shorter. */
  def encodeBlockZstd(block: CompressedBlock): CompressedBlock =
    encodeBlock(block, GeneralScheme.Zstd(0))

  /** Compresses values one by one for full-zip pages. Empty values stay empty. */
  def encodePerValue(
      values: BinaryValues,
      offsetBits: Int,
      scheme: GeneralScheme
  ): CompressedVariableValues =
    Using.resource(CompressedBuffers.compressor(scheme)) { compressor =>
      val out = new BinaryValues
      out.reserve(values.numItems)
      out.reserveBytes(values.numBytes / 2L)
      var end = 0
      var i = 0
      while (i < values.numItems) {
        val from = values.offsets(i)
        val length = values.offsets(i + 1) - from
        if (length > 0) {
          out.reserveBytes(end, compressor.maxLength(length))
          end = compressor.compress(values.bytes, from, length, out.bytes, end)
        }
        out.offsets(i + 1) = end
        i += 1
      }
      out.extend(values.numItems)
      CompressedVariableValues(
        Messages.general(compressor.message, Variable.message(offsetBits)),
        offsetBits,
        out
      )
    }
}
