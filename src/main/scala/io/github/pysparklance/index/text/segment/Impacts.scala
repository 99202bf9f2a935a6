// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text.segment

import io.github.pysparklance.core.CorruptFileException

/** Score bounds of the blocks of a posting list, independent of statistics. Hot code.
  *
  * {{{
  *   an entry for each block, then one for each 32 blocks:
  *   LEB128 last document | LEB128 number of pairs | for each pair: LEB128 x, [u8 d]
  *   frequency += (x >> 1) + 1; code of the length += if x is odd d, else 1
  * }}}
  * A document with a higher frequency than a pair is also longer than the pair.
  * Lengths are rounded down, see [[LengthCode]], so no document has a higher score, not even by
  * rounding.
  *
  * Source: format page of indices, "Impacts".
  */
final private[text] class Impacts private[segment] (entries: ByteStrings) {
  import Impacts._

  private[segment] def check(numBlocks: Int): Unit = CorruptFileException.check(
    entries.size == numBlocks + (numBlocks + groupBlocks - 1) / groupBlocks,
    s"${entries.size} impacts for $numBlocks blocks"
  )

  @volatile private var last: Bounds = null

  /** Returns the bounds for some statistics, which searches with the same statistics share. */
  def bounds(factors: ImpactFactors): Bounds = {
    val known = last
    if (known != null && known.statistics == factors.statistics) known
    else {
      val made = new Bounds(factors.statistics)
      last = made
      made
    }
  }

  /** Highest score factors. They are computed when they are needed; threads may compute one twice.
    *
    * @param statistics identifies the factors
    */
  final class Bounds private[Impacts] (private[Impacts] val statistics: Float) {
    private val highest = {
      val all = new Array[Float](entries.size)
      java.util.Arrays.fill(all, Float.NaN)
      all
    }

    /** Returns the highest factor of a block.
      *
      * @param factors for the same statistics
      */
    def ofBlock(block: Int, factors: ImpactFactors): Float = {
      val known = highest(block)
      if (known.isNaN) compute(block, factors) else known
    }

    /** Returns the highest factor of a group of blocks. */
    def ofGroup(group: Int, numBlocks: Int, factors: ImpactFactors): Float =
      ofBlock(numBlocks + group, factors)

    private def compute(entry: Int, factors: ImpactFactors): Float = {
      val found = of(entry, factors)
      highest(entry) = found
      found
    }
  }

  private def of(entry: Int, factors: ImpactFactors): Float = {
    val in = entries.cursor(entry)
    in.leb(): Unit
    val numPairs = in.leb()
    var frequency = 0
    var code = 0
    var highest = 0f
    var i = 0
    while (i < numPairs) {
      val x = in.leb()
      frequency += (x >>> 1) + 1
      code += (if ((x & 1) != 0) in.u8() else 1)
      CorruptFileException.check(code <= 0xff, s"a length with the code $code")
      val factor = factors(frequency, code)
      highest = math.max(highest, if (frequency > maxExact) factor * roundingError else factor)
      i += 1
    }
    CorruptFileException.check(
      numPairs > 0 && in.at == in.end,
      "the impacts of a posting block are empty or have extra bytes"
    )
    highest
  }

  def sizeInBytes: Long = entries.sizeInBytes + 4L * entries.size
}

private[text] object Impacts {

  /** Blocks whose bounds are also stored together. */
  val groupBlocks: Int = 32

  /** Factors of consecutive frequencies up to this one differ by more than they are rounded. */
  private val maxExact = 500
  private val roundingError = 1.00001f
}

/** The part of a score that depends on a document. */
private[text] trait ImpactFactors {

  /** The statistics on which factors depend: equal numbers mean equal factors; NaN if unknown. */
  def statistics: Float = Float.NaN

  /** @param code code of the length */
  def apply(frequency: Int, code: Int): Float
}

/** Encodes lengths of documents in 8 bits: exactly below 8, then with 3 bits after the highest bit.
  */
private[text] object LengthCode {

  def encode(length: Int): Int = {
    val numBits = 32 - Integer.numberOfLeadingZeros(length)
    if (numBits < 4) length
    else {
      val shift = numBits - 4
      (length >>> shift) & 7 | (shift + 1) << 3
    }
  }

  /** Returns the shortest length with a code. */
  def decode(code: Int): Int = {
    val shift = (code >>> 3) - 1
    if (shift < 0) code & 7 else (code & 7 | 8) << shift
  }
}
