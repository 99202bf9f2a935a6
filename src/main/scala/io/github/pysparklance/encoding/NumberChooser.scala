// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.compression._
import io.github.pysparklance.encoding.compression.bitpacking.{BitpackingKernel, InlineBitpacking}
import io.github.pysparklance.encoding.spi._
import io.github.pysparklance.encoding.value.RawValues

/** Chooses the encoding of mini-block pages of fixed-width values.
  *
  * {{{
  *   light      Flat, InlineBitpacking, or Rle, whichever is shortest: integers of 8 to 64 bits
  *   heavy      LZ4 around plain bytes, split bytes, or runs: if a sample shows large savings
  * }}}
  */
final private[encoding] class NumberChooser(options: EncodingOptions) {

  /** Compressed values are slower to read, so compression must shrink them to this share. */
  private val heavyRatio = 0.8

  /** Sampling does not pay off for smaller pages. */
  private val fewestHeavyBytes = 8192L

  /** If the first buffers of a page have fewer bytes in total, they are not compressed, even on
    * request.
    */
  private val fewestRequestedBytes = 4096L

  private val sampleChunks = 8

  /** Below this entropy of the split bytes, splitting pays off. */
  private val maxSplitEntropy = 4.0

  private type Encoder = Values => CompressedMiniBlock

  def miniBlock(values: Values, bits: Int): CompressedMiniBlock = options.compression match {
    case Some(CompressionRequest.Plain) => Flat.encodeMiniBlock(values, bits)
    case Some(CompressionRequest.General(scheme)) => requested(values, bits, scheme)
    case Some(CompressionRequest.Symbols) => new Light(values, bits).encode
    case None =>
      val light = new Light(values, bits)
      heavy(values, bits, light).getOrElse(light.encode)
  }

  /** Returns the bytes of the shortest light encoding. */
  def lightBytes(values: Values, bits: Int): Long = new Light(values, bits).bytes

  /** Sizes of a page in each light encoding, computed once. */
  final private class Light(values: Values, bits: Int) {
    private val widths = if (isInteger(bits)) BitpackingKernel.blockWidths(values) else null
    private val packedBytes =
      if (isInteger(bits)) InlineBitpacking.estimateBytes(widths, bits) else Long.MaxValue

    val plainBytes: Long = RawValues.numBytes(values.numItems.toLong, bits)

    /** `Long.MaxValue` if runs are not allowed. */
    val runBytes: Long =
      if (isInteger(bits) && runsAllowed(values)) Rle.estimateBytes(values, bits) else Long.MaxValue

    def bytes: Long = math.min(plainBytes, math.min(packedBytes, runBytes))

    def encode: CompressedMiniBlock =
      if (runBytes < plainBytes && runBytes <= packedBytes) Rle.encodeMiniBlock(values, bits)
      else if (packedBytes < plainBytes) InlineBitpacking.encodeMiniBlock(values, bits, widths)
      else Flat.encodeMiniBlock(values, bits)
  }

  private def runsAllowed(values: Values): Boolean =
    options.rleThreshold.forall(share => Rle.numRuns(values) < share * values.numItems)

  /** Returns the shortest encoding under LZ4, or `None` if a sample shows that it does not save
    * enough over the light encodings.
    */
  private def heavy(values: Values, bits: Int, light: Light): Option[CompressedMiniBlock] = {
    val lightly = light.bytes
    val encoders = candidates(bits, light)
    if (lightly < fewestHeavyBytes || encoders.isEmpty) None
    else {
      val sample = sampleOf(values, bits)
      def sampledBytes(encoder: Encoder): Double =
        General.encodeMiniBlock(encoder(sample), GeneralScheme.Lz4).sizeInBytes.toDouble
      val (bytes, best) = encoders.map(e => (sampledBytes(e), e)).minBy(_._1)
      if (bytes / sample.numItems * values.numItems > lightly * heavyRatio) None
      else {
        val compressed = General.encodeMiniBlock(best(values), GeneralScheme.Lz4)
        Some(compressed).filter(_.sizeInBytes <= lightly * heavyRatio)
      }
    }
  }

  /** The encodings to try under a compressor. */
  private def candidates(bits: Int, light: Light): Seq[Encoder] =
    if (bits < 32) Seq.empty
    else if (!isInteger(bits)) Seq(plain(bits))
    else {
      val split =
        if (options.byteSplitting == ByteSplitting.Off) Seq.empty else Seq(splitBytes(bits))
      val runs =
        if (light.runBytes < light.plainBytes) Seq[Encoder](Rle.encodeMiniBlock(_, bits))
        else Seq.empty
      Seq(plain(bits)) ++ split ++ runs
    }

  private def plain(bits: Int): Encoder =
    Flat.encodeMiniBlock(_, bits, Flat.compressibleChunkValues(bits))

  private def splitBytes(bits: Int): Encoder =
    ByteStreamSplit.encodeMiniBlock(_, bits, Flat.compressibleChunkValues(bits))

  /** Returns evenly spaced runs of values, each as long as a chunk. */
  private def sampleOf(values: Values, bits: Int): Values = {
    val perChunk = Flat.compressibleChunkValues(bits)
    if (values.numItems <= sampleChunks * perChunk) values
    else {
      val sample = Values.allocate(FixedWidth(bits))
      val step = values.numItems / sampleChunks
      (0 until sampleChunks).foreach(i => sample.appendFrom(values, i * step, perChunk))
      sample
    }
  }

  /** Applies the requested compressor, unless there are too few bytes or it saves nothing. */
  private def requested(values: Values, bits: Int, scheme: GeneralScheme): CompressedMiniBlock = {
    val inner =
      if (splits(values, bits)) splitBytes(bits)(values)
      else {
        val found = new Light(values, bits).encode
        if (found.encoding.hasFlat && bits >= 8) plain(bits)(values) else found
      }
    val first = inner.chunks.iterator.map(_.buffers.head.length.toLong).sum
    if (first < fewestRequestedBytes) inner
    else {
      val compressed = General.encodeMiniBlock(inner, scheme)
      if (compressed.sizeInBytes < inner.sizeInBytes) compressed else inner
    }
  }

  private def splits(values: Values, bits: Int): Boolean =
    (bits == 32 || bits == 64) && (options.byteSplitting match {
      case ByteSplitting.Off => false
      case ByteSplitting.On => true
      case ByteSplitting.Auto => ByteStreamSplit.entropy(values, bits) < maxSplitEntropy
    })

  private def isInteger(bits: Int): Boolean = bits == 8 || bits == 16 || bits == 32 || bits == 64
}
