// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.compression

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.proto.v2_1
import io.github.pysparklance.encoding.spi._
import io.github.pysparklance.encoding.value.{Messages, RawValues}

/** Contiguous fixed-width values. Source: message `Flat`, format page of the compressive encodings,
  * "Flat".
  *
  * {{{
  *   8 bits and more   | value 0 | value 1 | ...       bitsPerValue / 8 bytes each, little endian
  *   1 bit (boolean)   t f t t f f f t | t             8d 01: lowest bit first, a chunk starts on a byte
  * }}}
  * The fallback for every width, since 2.1. Full-zip pages store a boolean as a byte. Hot code:
  * imperative.
  */
object Flat {

  /** Maximum bytes of the values of one mini-block chunk, before padding. */
  private[compression] val maxChunkBytes = 8186

  /** Maximum number of values of one mini-block chunk. */
  private[compression] val maxChunkValues = 4096

  def miniBlock(message: v2_1.Flat, valueType: ValueType): MiniBlockDecoder =
    new MiniBlock(width(message, valueType))

  def fixedPerValue(message: v2_1.Flat, valueType: ValueType): FixedPerValueDecoder = {
    Messages.rejectLeafCompression("Flat", message.hasData)
    // a boolean takes a byte
    val stored = if (valueType == FixedWidth(1)) FixedWidth(8) else valueType
    new PerValue(Messages.fixedWidth("Flat", message.getBitsPerValue, stored))
  }

  def block(message: v2_1.Flat, valueType: ValueType): BlockDecoder =
    new Block(width(message, valueType))

  private def width(message: v2_1.Flat, valueType: ValueType): Int = {
    Messages.rejectLeafCompression("Flat", message.hasData)
    Messages.fixedWidth("Flat", message.getBitsPerValue, valueType)
  }

  final private class MiniBlock(bits: Int) extends MiniBlockDecoder {
    val numBuffers = 1

    def decode(buffers: Array[Buffer], numValues: Int, from: Int, count: Int, out: Values): Unit = {
      Messages.checkNumBuffers("Flat", buffers, 1)
      val buffer = buffers(0)
      Messages.checkSlice(numValues, from, count)
      Messages.checkLength(
        "Flat",
        buffer.length,
        numValues.toLong,
        RawValues.numBytes(numValues.toLong, bits)
      )
      RawValues.append(buffer.array, buffer.offset, bits, from, count, out)
    }
  }

  final private class PerValue(bits: Int) extends FixedPerValueDecoder {
    val bytesPerValue: Int = bits / 8

    def decode(bytes: Buffer, count: Int, out: Values): Unit = {
      val wanted = count.toLong * bytesPerValue
      CorruptFileException.check(
        wanted <= bytes.length,
        s"${bytes.length} bytes for $count values of $bytesPerValue bytes"
      )
      RawValues.append(bytes.array, bytes.offset, bits, 0, count, out)
    }
  }

  final private class Block(bits: Int) extends BlockDecoder {
    def decode(block: Buffer, numValues: Int, out: Values): Unit = {
      Messages.checkLength(
        "Flat",
        block.length,
        numValues.toLong,
        RawValues.numBytes(numValues.toLong, bits)
      )
      RawValues.append(block.array, block.offset, bits, 0, numValues, out)
    }
  }

  /** Returns the number of values in all chunks but the last: the largest power of two within the
    * limits of bytes and values.
    *
    * @throws UnsupportedFeatureException if two values exceed a chunk
    */
  def chunkValues(bitsPerValue: Long): Int = {
    if (!fitsChunk(bitsPerValue))
      throw new UnsupportedFeatureException(
        s"values of ${bitsPerValue / 8} bytes in a mini-block page"
      )
    var n = fewestChunkValues(bitsPerValue)
    while (2 * chunkBytes(n, bitsPerValue) < maxChunkBytes && 2 * n <= maxChunkValues) n *= 2
    n
  }

  /** Whether a chunk can hold the minimum number of values. */
  def fitsChunk(bitsPerValue: Long): Boolean =
    chunkBytes(fewestChunkValues(bitsPerValue), bitsPerValue) < maxChunkBytes

  private def fewestChunkValues(bitsPerValue: Long): Int = if (bitsPerValue % 8 == 0) 2 else 8

  private def chunkBytes(numValues: Int, bitsPerValue: Long): Long =
    (numValues * bitsPerValue + 7) / 8

  /** Maximum bytes of chunks that will be compressed. Larger chunks compress better. */
  private val maxCompressibleBytes = 16384

  /** Returns the number of values in a chunk that will be compressed. */
  private[encoding] def compressibleChunkValues(bitsPerValue: Int): Int =
    math.max(
      2,
      math.min(maxChunkValues, Integer.highestOneBit(maxCompressibleBytes * 8 / bitsPerValue))
    )

  /** Encodes all values in plain chunks, which share one array. */
  def encodeMiniBlock(values: Values, bitsPerValue: Int): CompressedMiniBlock =
    encodeMiniBlock(values, bitsPerValue, chunkValues(bitsPerValue.toLong))

  /** Encodes all values in plain chunks of `perChunk` values. */
  def encodeMiniBlock(values: Values, bitsPerValue: Int, perChunk: Int): CompressedMiniBlock = {
    val numItems = values.numItems
    val chunkBytes = RawValues.numBytes(perChunk.toLong, bitsPerValue).toInt
    val bytes = plainBytes(values, bitsPerValue)
    val chunks = Vector.newBuilder[MiniBlockChunk]
    var from = 0
    var at = 0
    while (from < numItems) {
      val n = math.min(perChunk, numItems - from)
      val length = math.min(chunkBytes, bytes.length - at)
      chunks += MiniBlockChunk(n, Vector(new Buffer(bytes, at, length)))
      from += n
      at += length
    }
    CompressedMiniBlock(Messages.flat(bitsPerValue), chunks.result())
  }

  def encodeBlock(values: Values, bitsPerValue: Int): CompressedBlock =
    CompressedBlock(Messages.flat(bitsPerValue), Buffer(plainBytes(values, bitsPerValue)))

  /** Encodes values for full-zip pages. Booleans take one byte each. */
  def encodePerValue(values: Values, bitsPerValue: Int): CompressedFixedValues = {
    val bits = if (bitsPerValue == 1) 8 else bitsPerValue
    CompressedFixedValues(Messages.flat(bits), bits / 8, Buffer(plainBytes(values, bits)))
  }

  private[compression] def plainBytes(values: Values, bitsPerValue: Int): Array[Byte] = {
    val bytes =
      new Array[Byte](Messages.arrayLength(RawValues.numBytes(
        values.numItems.toLong,
        bitsPerValue
      )))
    RawValues.copy(values, bitsPerValue, 0, values.numItems, bytes, 0)
    bytes
  }
}
