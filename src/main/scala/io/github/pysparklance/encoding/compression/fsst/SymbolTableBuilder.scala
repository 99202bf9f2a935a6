// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.compression.fsst

import io.github.pysparklance.core.BinaryValues

/** Builds the symbol table for a page of [[Fsst]] from a sample of its values.
  *
  * Works in rounds. Each round encodes the sample with the present table and counts the used
  * symbols and their neighboring pairs. The 255 symbols with the highest savings form the next
  * table. Early rounds use only a part of the sample. Keeps the best table of all rounds. Source:
  * format page of the compressive encodings, "FSST", outline of the encoder.
  */
private[encoding] object SymbolTableBuilder {
  private val sampleBytes = 16384
  private val rounds = Array(8, 38, 68, 98, 108, 128)

  /** By this round, symbols can have four bytes. */
  private val hopelessRound = 2

  /** A symbol table.
    *
    * @param savedShare bytes of the sample that the table saves, including escapes, as a share of
    *   all
    * @param terminator the rarest byte of the sample
    */
  final case class Result(matcher: SymbolMatcher, savedShare: Double, terminator: Int)

  /** A unit is an escaped byte (0..255) or a symbol (256 + code). */
  private val numUnits = 256 + SymbolMatcher.maxSymbols

  /** Builds a table.
    *
    * @param givesUp whether to stop after a few rounds that save nothing, as for bytes that are
    *   compressed already
    */
  def build(values: BinaryValues, givesUp: Boolean = false): Result = {
    val sample = takeSample(values)
    val terminator = rarestByte(sample)
    var best = new SymbolMatcher
    var bestSaved = Long.MinValue
    var current = best
    val counts = new Counts
    var round = 0
    while (round < rounds.length) {
      val share = rounds(round)
      val isLast = round == rounds.length - 1
      counts.clear()
      val saved = counts.parse(sample, current, share)
      if (saved >= bestSaved) best = current // shares of the sample differ, but grow
      bestSaved = math.max(saved, bestSaved)
      val isHopeless = givesUp && round >= hopelessRound && saved <= 0 && !counts.isEmpty
      if (isLast || isHopeless) round = rounds.length
      else {
        current = counts.next(current, share, terminator)
        round += 1
      }
    }
    val total = math.max(1, sample.numBytes)
    counts.clear()
    Result(best, counts.parse(sample, best, 128).toDouble / total, terminator)
  }

  /** Returns random values of the page, cut to 16 KiB each. */
  private def takeSample(values: BinaryValues): BinaryValues =
    if (values.numBytes <= sampleBytes) values
    else {
      val sample = new BinaryValues
      val random = new java.util.SplittableRandom(values.numItems.toLong)
      while (sample.numBytes < sampleBytes) {
        val i = random.nextInt(values.numItems)
        // the start of a very long value suffices
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
    private val candidates = new SymbolCandidates

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

    /** Whether nothing was encoded. */
    def isEmpty: Boolean = units.forall(_ == 0)

    /** Encodes a share (of 128) of the sample's values. Returns the bytes saved. */
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

    /** Returns the table of the 255 symbols with the highest savings. */
    def next(table: SymbolMatcher, share: Int, terminator: Int): SymbolMatcher = {
      candidates.clear()
      val least = math.max(1, 5 * share / 128)
      var unit = 0
      while (unit < numUnits) {
        if (units(unit) >= least) {
          val length = lengthOf(table, unit)
          val weight = if (length == 1) 8 else length
          candidates.add(symbolOf(table, unit), length, units(unit).toLong * weight)
        }
        unit += 1
      }
      var i = 0
      while (i < numTouched) {
        val pair = touched(i)
        if (pairs(pair) >= least) {
          val first = pair / numUnits
          val second = pair % numUnits
          val a = symbolOf(table, first)
          val b = symbolOf(table, second)
          val firstLength = lengthOf(table, first)
          if (firstLength < 8 && (a & 0xff) != terminator && (b & 0xff) != terminator) {
            val length = math.min(8, firstLength + lengthOf(table, second))
            val symbol = (a | b << (8 * firstLength)) & (-1L >>> (64 - 8 * length))
            candidates.add(symbol, length, pairs(pair).toLong * length)
          }
        }
        i += 1
      }
      val made = new SymbolMatcher
      candidates.fill(made)
      made
    }

    private def symbolOf(table: SymbolMatcher, unit: Int): Long =
      if (unit < 256) unit.toLong else table.symbols(unit - 256)

    private def lengthOf(table: SymbolMatcher, unit: Int): Int =
      if (unit < 256) 1 else table.lengths(unit - 256)
  }
}
