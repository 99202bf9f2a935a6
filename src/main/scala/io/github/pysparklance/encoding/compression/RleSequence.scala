// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.compression

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.proto.v2_1
import io.github.pysparklance.encoding.spi._

/** `Rle` as a sequence of numbers. Source: message `Rle`, format page of the compressive encodings,
  * "Generic block".
  *
  * {{{
  *   u64 bytes of values | values, 32 or 64 bits | lengths, 32 bits
  * }}}
  * A child without bytes is omitted. If neither has bytes, there is no header. The number of runs
  * is not stored. It follows from equal or evenly spaced lengths, or from a `Flat` child. Since
  * 2.3. Hot code: imperative.
  */
private[compression] object RleSequence {
  private val header = 8

  def apply(
      message: v2_1.Rle,
      bits: Int,
      values: SequenceDecoder,
      lengths: SequenceDecoder
  ): SequenceDecoder = {
    val known = message.getRunLengths.hasConstant || message.getRunLengths.hasRange ||
      message.getValues.hasFlat || message.getRunLengths.hasFlat
    if (!known)
      throw new UnsupportedFeatureException(
        "Rle whose children do not determine the number of runs"
      )
    new RleSequence(message, bits, values, lengths)
  }
}

final private[compression] class RleSequence(
    message: v2_1.Rle,
    bits: Int,
    values: SequenceDecoder,
    lengths: SequenceDecoder
) extends SequenceDecoder {
  import RleSequence.header

  val hasPayload: Boolean = values.hasPayload || lengths.hasPayload

  def progression(numValues: Long): Option[Progression] = None

  def decode(payload: Buffer, numValues: Int, out: Values): Unit = {
    var valueBytes = Buffer.empty
    var lengthBytes = Buffer.empty
    if (hasPayload) {
      valueBytes = payload.slice(header.toLong, payload.u63(0, "the bytes of Rle values"))
      val at = header.toLong + valueBytes.length
      lengthBytes = payload.slice(at, payload.length - at)
    }
    Sequences.checkFramed("Rle values", values, valueBytes.length.toLong)
    Sequences.checkFramed("Rle run lengths", lengths, lengthBytes.length.toLong)
    val numRuns = runs(valueBytes, lengthBytes, numValues)
    val runLengths = new IntValues
    lengths.decode(lengthBytes, numRuns, runLengths)
    checkTotal(runLengths.array, numRuns, numValues)
    val runValues = Values.allocate(FixedWidth(bits))
    values.decode(valueBytes, numRuns, runValues)
    out.reserve(numValues)
    var i = 0
    while (i < numRuns) {
      out.appendRepeated(runValues, i, runLengths.array(i))
      i += 1
    }
  }

  private def runs(valueBytes: Buffer, lengthBytes: Buffer, numValues: Int): Int = {
    val numRuns =
      if (message.getRunLengths.hasConstant) {
        val length = lengths.progression(1).fold(0L)(_.start)
        if (length > 0 && numValues % length == 0) numValues / length else 0L
      } else if (message.getRunLengths.hasRange)
        runsOfRange(
          message.getRunLengths.getRange.getStart,
          message.getRunLengths.getRange.getStep,
          numValues
        )
      else if (message.getValues.hasFlat) whole(valueBytes.length, bits / 8)
      else whole(lengthBytes.length, 4)
    if (numRuns <= 0 || numRuns > numValues)
      throw new CorruptFileException(s"Rle of $numRuns runs for $numValues numbers")
    numRuns.toInt
  }

  private def whole(numBytes: Int, width: Int): Long =
    if (numBytes % width == 0) numBytes.toLong / width else 0L

  /** Returns how many of the lengths `start`, `start + step`, ... add up to `numValues`; 0 if none
    * do.
    */
  private def runsOfRange(start: Long, step: Long, numValues: Int): Long = {
    var length = start
    var total = 0L
    var count = 0L
    while (total < numValues && length > 0 && length <= numValues) { // fewer than 2^16 rounds, because lengths increase
      total += length
      length += step
      count += 1
    }
    if (total == numValues) count else 0L
  }

  private def checkTotal(runLengths: Array[Int], numRuns: Int, numValues: Int): Unit = {
    var total = 0L
    var zero = 0
    var i = 0
    while (i < numRuns) {
      val length = runLengths(i)
      zero |= length - 1
      total += length & 0xffffffffL
      i += 1
    }
    if (zero < 0 || total != numValues)
      throw new CorruptFileException(
        s"Rle run lengths add up to $total numbers, expected $numValues and lengths of at least 1"
      )
  }
}
