// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text.search

import java.util.Arrays

/** Tests whether documents have the terms of a phrase in their order. Not thread-safe. Hot code.
  *
  * Each group of terms has a position in the phrase, and the terms of a group are alternatives. The
  * first group may be anywhere. The distance between consecutive groups is that of the phrase, plus
  * at most `slop`.
  *
  * @param termsOf numbers of the terms of each group
  * @param positions positions of the groups in the phrase, ascending
  */
final private[text] class PhraseMatch(
    termsOf: Array[Array[Int]],
    positions: Array[Int],
    slop: Int
) {
  // Positions of a group at which a prefix of the phrase ends.
  private var reached = new Array[Int](16)
  private var numReached = 0
  private var next = new Array[Int](16)
  // Positions of the terms of a group.
  private var values = new Array[Int](16)
  private var numValues = 0

  /** Tests a document.
    *
    * @param cursors cursors of the terms, at the document or after it
    */
  def apply(cursors: Array[PostingCursor], doc: Int): Boolean = {
    def load(group: Int): Unit = termsOf(group).foreach { term =>
      val cursor = cursors(term)
      if (cursor.doc == doc) {
        val (block, entry) = (cursor.positions, cursor.entry)
        add(block.values, block.starts(entry), block.starts(entry + 1))
      }
    }
    matches(load)
  }

  /** Tests a text.
    *
    * @param of ascending positions of a term, by number of the term
    * @param counts number of positions of a term
    */
  def apply(of: Int => Array[Int], counts: Int => Int): Boolean =
    matches(group => termsOf(group).foreach(term => add(of(term), 0, counts(term))))

  private def matches(load: Int => Unit): Boolean = {
    loadSorted(0, load)
    reserve(numValues)
    System.arraycopy(values, 0, reached, 0, numValues)
    numReached = numValues
    var group = 1
    while (group < positions.length && numReached > 0) {
      loadSorted(group, load)
      follow(positions(group) - positions(group - 1))
      group += 1
    }
    numReached > 0
  }

  private def loadSorted(group: Int, load: Int => Unit): Unit = {
    numValues = 0
    load(group)
    if (termsOf(group).length > 1) Arrays.sort(values, 0, numValues)
  }

  private def add(from: Array[Int], start: Int, end: Int): Unit = {
    val total = numValues + end - start
    if (total > values.length) values = Arrays.copyOf(values, 2 * total)
    System.arraycopy(from, start, values, numValues, end - start)
    numValues = total
  }

  /** Keeps the positions whose distance from a reached position is the given distance plus at most
    * the slop.
    */
  private def follow(distance: Int): Unit = {
    reserve(numValues)
    var count = 0
    var near = 0
    var at = 0
    while (at < numValues) {
      val position = values(at).toLong
      while (near < numReached && reached(near).toLong + distance + slop < position) near += 1
      if (near < numReached && reached(near).toLong + distance <= position) {
        next(count) = values(at)
        count += 1
      }
      at += 1
    }
    val swapped = reached
    reached = next
    next = swapped
    numReached = count
  }

  private def reserve(numPositions: Int): Unit = {
    if (reached.length < numPositions) reached = Arrays.copyOf(reached, 2 * numPositions)
    if (next.length < numPositions) next = new Array[Int](2 * numPositions)
  }
}
