// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.compression

import io.github.pysparklance.core.BinaryValues

/** Makes the symbols for a page of [[Fsst]] from a sample of it.
  *
  * Rounds: the sample is coded with the table so far, and the symbols used and the pairs of
  * neighbours are counted; the 255 that saved or would have saved the most are the next table.
  * Early rounds look at a part of the sample only. The best table of all rounds is kept. Source:
  * format page of the compressive encodings, "FSST", outline of the encoder.
  */
private[encoding] object SymbolTableBuilder {
  private val sampleBytes = 16384
  private val rounds = Array(8, 38, 68, 98, 108, 128)

  /** @param savedShare bytes of the sample that the table saves, escapes counted, as a share of all
    * @param terminator the rarest byte of the sample
    */
  final case class Result(matcher: SymbolMatcher, savedShare: Double, terminator: Int)

  /** A unit is a byte that needs an escape (0..255) or a symbol (256 + code). */
  private val numUnits = 256 + SymbolMatcher.maxSymbols

  def build(values: BinaryValues): Result = {
    val sample = takeSample(values)
    val terminator = rarestByte(sample)
    var best = new SymbolMatcher
    var bestSaved = Long.MinValue
    var current = best
    val counts = new Counts
    rounds.foreach { share =>
      counts.clear()
      val saved = counts.parse(sample, current, share)
      if (saved >= bestSaved || share == rounds.last) {
        // shares of the sample differ, so only the last round is compared as it is
        best = if (share == rounds.last && saved < bestSaved) best else current
        bestSaved = math.max(saved, bestSaved)
      }
      if (share != rounds.last) current = counts.next(current, share, terminator)
    }
    val total = math.max(1, sample.numBytes)
    counts.clear()
    Result(best, counts.parse(sample, best, 128).toDouble / total, terminator)
  }

  /** Whole values, spread evenly over the page. */
  private def takeSample(values: BinaryValues): BinaryValues =
    if (values.numBytes <= sampleBytes) values
    else {
      val sample = new BinaryValues
      val random = new java.util.SplittableRandom(values.numItems.toLong)
      while (sample.numBytes < sampleBytes) {
        val i = random.nextInt(values.numItems)
        // of a very long value its start is enough
        val length = math.min(values.offsets(i + 1) - values.offsets(i), sampleBytes)
        sample.append(values.bytes, values.offsets(i), length)
      }
      sample
    }

  private def rarestByte(sample: BinaryValues): Int = {
    val seen = new Array[Int](256)
    var i = 0
    while (i < sample.numBytes) {
      seen(sample.bytes(i) & 0xff) += 1
      i += 1
    }
    seen.indexOf(seen.min)
  }

  final private class Counts {
    private val units = new Array[Int](numUnits)
    private val pairs = new Array[Int](numUnits * numUnits)
    private var touched = new Array[Int](4096)
    private var numTouched = 0

    def clear(): Unit = {
      java.util.Arrays.fill(units, 0)
      (0 until numTouched).foreach(i => pairs(touched(i)) = 0)
      numTouched = 0
    }

    private def countPair(first: Int, second: Int): Unit = {
      val pair = first * numUnits + second
      if (pairs(pair) == 0) {
        if (numTouched == touched.length) touched = java.util.Arrays.copyOf(touched, 2 * numTouched)
        touched(numTouched) = pair
        numTouched += 1
      }
      pairs(pair) += 1
    }

    /** Codes a share (of 128) of the sample's values; answers the bytes saved. */
    def parse(sample: BinaryValues, table: SymbolMatcher, share: Int): Long = {
      val bytes = sample.bytes
      val withPairs = share < 128
      var saved = 0L
      var value = 0
      while (value < sample.numItems) {
        if (share == 128 || ((value * 0x9e3779b1) >>> 25) < share) {
          val until = sample.offsets(value + 1)
          var at = sample.offsets(value)
          var previous = -1
          while (at < until) {
            val left = math.min(8, until - at)
            val entry = table.find(SymbolMatcher.wordAt(bytes, at, left), left)
            val first = bytes(at) & 0xff
            val unit = if (entry == SymbolMatcher.none) first else 256 + (entry & 0xff)
            val length = if (entry == SymbolMatcher.none) 1 else entry >> 8
            saved += (if (entry == SymbolMatcher.none) -1 else length - 1)
            units(unit) += 1
            if (length > 1) units(first) += 1
            if (withPairs && previous >= 0) {
              countPair(previous, unit)
              if (length > 1) countPair(previous, first)
            }
            previous = unit
            at += length
          }
        }
        value += 1
      }
      saved
    }

    /** The table of the 255 symbols that would save the most. */
    def next(table: SymbolMatcher, share: Int, terminator: Int): SymbolMatcher = {
      val gains = new java.util.HashMap[(Long, Int), java.lang.Long]
      def candidate(symbol: Long, length: Int, gain: Long): Unit =
        gains.merge((symbol, length), gain, (a, b) => a + b): Unit
      val least = math.max(1, 5 * share / 128)
      (0 until numUnits).foreach { unit =>
        if (units(unit) >= least) {
          val length = lengthOf(table, unit)
          candidate(
            symbolOf(table, unit),
            length,
            units(unit).toLong * (if (length == 1) 8 else length)
          )
        }
      }
      (0 until numTouched).foreach { i =>
        val pair = touched(i)
        if (pairs(pair) >= least) {
          val (first, second) = (pair / numUnits, pair % numUnits)
          val (a, b) = (symbolOf(table, first), symbolOf(table, second))
          val firstLength = lengthOf(table, first)
          if (firstLength < 8 && (a & 0xff) != terminator && (b & 0xff) != terminator) {
            val length = math.min(8, firstLength + lengthOf(table, second))
            val symbol = (a | b << (8 * firstLength)) & (-1L >>> (64 - 8 * length))
            candidate(symbol, length, pairs(pair).toLong * length)
          }
        }
      }
      pick(gains)
    }

    private def pick(gains: java.util.HashMap[(Long, Int), java.lang.Long]): SymbolMatcher = {
      import scala.jdk.CollectionConverters._
      // by gain, and by the symbol itself so that the same values always give the same table
      val order = gains.asScala.toArray.sortBy { case ((symbol, length), gain) =>
        (-gain.longValue, length, symbol)
      }
      val table = new SymbolMatcher
      val candidates = order.iterator
      while (candidates.hasNext && table.numSymbols < SymbolMatcher.maxSymbols) {
        val ((symbol, length), _) = candidates.next()
        table.add(symbol, length): Unit
      }
      table
    }

    private def symbolOf(table: SymbolMatcher, unit: Int): Long =
      if (unit < 256) unit.toLong else table.symbols(unit - 256)

    private def lengthOf(table: SymbolMatcher, unit: Int): Int =
      if (unit < 256) 1 else table.lengths(unit - 256)
  }
}
