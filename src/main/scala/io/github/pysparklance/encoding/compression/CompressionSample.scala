// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.compression

import io.github.pysparklance.core.BinaryValues
import io.github.pysparklance.encoding.spi.GeneralScheme

/** Estimates from a sample how well a compressor shrinks strings and binaries. */
private[encoding] object CompressionSample {

  /** Compressed values are slower to read, so they must shrink to this fraction of their bytes. */
  val worthwhileShare = 0.8

  private val maxValues = 64
  private val maxBytes = 256 << 10
  private val numPieces = 4

  /** Returns the compressed size of a sample of values as a fraction of its bytes, or 1 for an
    * empty sample. Samples four pieces of values above 256 KiB.
    */
  def share(values: BinaryValues, scheme: GeneralScheme): Double = {
    val sample = new BinaryValues
    val step = math.max(1, values.numItems / maxValues)
    var i = 0
    while (i < values.numItems && sample.numBytes < maxBytes) {
      add(values, i, sample)
      i += step
    }
    shareOf(sample, scheme)
  }

  /** Returns the compressed size of one value as a fraction of its bytes. */
  def share(values: BinaryValues, item: Int, scheme: GeneralScheme): Double = {
    val sample = new BinaryValues
    add(values, item, sample)
    shareOf(sample, scheme)
  }

  private def add(values: BinaryValues, item: Int, sample: BinaryValues): Unit = {
    val from = values.offsets(item)
    val length = values.offsets(item + 1) - from
    if (length <= maxBytes) sample.appendFrom(values, item, 1)
    else {
      val pieceBytes = maxBytes / numPieces
      (0 until numPieces).foreach { piece =>
        val at = (length - pieceBytes).toLong * piece / (numPieces - 1)
        sample.append(values.bytes, from + at.toInt, pieceBytes)
      }
    }
  }

  private def shareOf(sample: BinaryValues, scheme: GeneralScheme): Double =
    if (sample.numBytes == 0) 1.0
    else General.encodePerValue(sample, 32, scheme).values.numBytes.toDouble / sample.numBytes
}
