// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text.build

import io.github.pysparklance.core.BinaryValues
import io.github.pysparklance.index.postings.ByteSink
import io.github.pysparklance.index.text.segment.LengthCode

/** Encodes pairs of a frequency and a length that bound the scores of documents, see `Impacts`.
  * Not thread-safe. Hot code: imperative.
  *
  * @param lengths lengths of the documents of the partition
  */
final private[build] class ImpactEncoder(lengths: Array[Int]) {
  private val sink = new ByteSink
  // The highest frequency for each code of a length.
  private val highest = new Array[Int](256)
  private val codes = new Array[Int](256)

  /** Appends the entry of the documents `[from, from + size)` of a token. */
  def add(term: TermDocs, from: Int, size: Int, to: BinaryValues): Unit = {
    java.util.Arrays.fill(highest, 0)
    var i = from
    while (i < from + size) {
      val code = LengthCode.encode(lengths(term.docs.array(i)))
      highest(code) = math.max(highest(code), term.frequencies.array(i))
      i += 1
    }
    sink.clear()
    sink.putVarint(term.docs.array(from + size - 1))
    addPairs(select())
    to.append(sink.array, 0, sink.length)
  }

  /** Selects lengths with a higher frequency than all shorter ones, and returns their number. */
  private def select(): Int = {
    var numPairs = 0
    var frequency = 0
    var code = 0
    while (code < highest.length) {
      // A longer document without a higher frequency has a lower score.
      if (highest(code) > frequency) {
        frequency = highest(code)
        codes(numPairs) = code
        numPairs += 1
      }
      code += 1
    }
    numPairs
  }

  private def addPairs(numPairs: Int): Unit = {
    sink.putVarint(numPairs)
    var frequency = 0
    var code = 0
    var i = 0
    while (i < numPairs) {
      val step = codes(i) - code
      val x = (highest(codes(i)) - frequency - 1) << 1
      sink.putVarint(if (step == 1) x else x | 1)
      if (step != 1) sink.putByte(step)
      frequency = highest(codes(i))
      code = codes(i)
      i += 1
    }
  }
}
