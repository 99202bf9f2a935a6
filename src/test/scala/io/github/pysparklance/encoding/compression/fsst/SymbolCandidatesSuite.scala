// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.compression.fsst

import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.testkit.PropertyChecks

class SymbolCandidatesSuite extends AnyFunSuite with PropertyChecks {

  /** Symbols of any length, many of them repeated. */
  private val gains: Gen[Seq[(Long, Int, Long)]] = for {
    most <- Gen.oneOf(3, 300, 9000)
    bytes <- Gen.oneOf(2, 256)
    seed <- Gen.long
  } yield {
    val random = new scala.util.Random(seed)
    Seq.fill(random.nextInt(most)) {
      val length = 1 + random.nextInt(8)
      val symbol = (0 until length).map(i => random.nextInt(bytes).toLong << (8 * i)).sum
      (symbol, length, random.nextInt(20).toLong)
    }
  }

  test("the table keeps the symbols with the largest gain, regardless of their order") {
    forAll(gains) { added =>
      val candidates = new SymbolCandidates
      candidates.add(1, 1, 1)
      candidates.clear()
      added.foreach { case (symbol, length, gain) => candidates.add(symbol, length, gain) }
      val sums = added
        .groupBy(a => (a._1, a._2))
        .map { case (symbol, gains) => symbol -> gains.map(_._3).sum }
        .toSeq
      assert(candidates.size == sums.length)
      val expected = new SymbolMatcher
      sums.sortBy { case ((symbol, length), gain) => (-gain, length, symbol) }
        .foreach { case ((symbol, length), _) => expected.add(symbol, length) }
      val found = new SymbolMatcher
      candidates.fill(found)
      assert(found.numSymbols == expected.numSymbols)
      assert(found.symbols.toSeq == expected.symbols.toSeq)
      assert(found.lengths.toSeq == expected.lengths.toSeq)
    }
  }
}
