// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text

import io.github.pysparklance.index.text.query.{CombinedFieldsQuery, Operator}

/** The layout of the numbers of a key: the length of the text of each column; whether the index of
  * each column covers the row; and for each leaf, whether the row has the phrase, and the
  * frequencies of the terms.
  */
final private[text] class KeyLayout(scan: TextScan) {
  private val starts =
    scan.leaves.scanLeft(2 * scan.columns.length)((at, leaf) => at + 1 + leaf.terms.length)

  def size: Int = starts.last
  def lengthAt(column: Int): Int = column
  def coveredAt(column: Int): Int = scan.columns.length + column
  def phraseAt(leaf: Int): Int = starts(leaf)
  def firstTerm(leaf: Int): Int = starts(leaf) + 1

  private val groups: IndexedSeq[IndexedSeq[IndexedSeq[Int]]] = scan.leaves.indices.map { leaf =>
    val terms = scan.leaves(leaf).terms
    scan.leaves(leaf).groups.map(_.terms.map(t => firstTerm(leaf) + terms.indexOf(t)))
  }

  def isCovered(key: Array[Int], column: Int): Boolean = key(coveredAt(column)) != 0

  private val combined: IndexedSeq[(Int, CombinedFieldsQuery)] = scan.query.combined()

  private val leafScores = new Array[Float](scan.leaves.length)

  /** Whether the query finds rows with a key, with any score. Not thread-safe. */
  def isFound(key: Array[Int]): Boolean = {
    leafScores.indices.foreach(l => leafScores(l) = if (isFound(key, l)) 1f else Float.NaN)
    combined.foreach { case (first, query) =>
      leafScores(first) = if (isFound(key, first, query)) 1f else Float.NaN
    }
    !scan.query.score(leafScores).isNaN
  }

  /** Whether the columns of a query have any or all of its terms.
    *
    * @param first number of its first leaf
    */
  def isFound(key: Array[Int], first: Int, query: CombinedFieldsQuery): Boolean = {
    val leaves = first until first + query.fields.length
    def has(term: Int): Boolean = leaves.exists(l => key(firstTerm(l) + term) > 0)
    val terms = scan.leaves(first).terms.indices
    if (query.operator == Operator.And) terms.nonEmpty && terms.forall(has) else terms.exists(has)
  }

  /** Whether a leaf finds the rows with a key. */
  def isFound(key: Array[Int], leaf: Int): Boolean = {
    val terms = scan.leaves(leaf)
    def has(group: IndexedSeq[Int]): Boolean = group.exists(key(_) > 0)
    if (terms.slop.isDefined) key(phraseAt(leaf)) > 0
    else if (terms.needsAll) groups(leaf).nonEmpty && groups(leaf).forall(has)
    else groups(leaf).exists(has)
  }
}
