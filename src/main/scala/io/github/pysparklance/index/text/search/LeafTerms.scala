// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text.search

/** The terms that a query of one column searches.
  *
  * @param groups terms by their positions, ascending; terms at one position are alternatives
  * @param needsAll whether a document needs a term of each group
  * @param slop slop of a phrase; `None` if the order of terms does not matter
  * @param boost factor of scores
  */
final case class LeafTerms(
    groups: IndexedSeq[TermGroup],
    needsAll: Boolean,
    slop: Option[Int],
    boost: Float
) {

  /** The distinct terms. */
  val terms: IndexedSeq[String] = groups.flatMap(_.terms).distinct

  /** Number of positions of each of [[terms]]. */
  val counts: IndexedSeq[Int] = terms.map(term => groups.count(_.terms.contains(term)))
}

/** The distinct terms of a query at a position. */
final case class TermGroup(position: Int, terms: IndexedSeq[String])

object TermGroup {

  /** Groups terms by position, relative to the first one.
    *
    * @param found terms with their positions
    */
  def of(found: IndexedSeq[(String, Int)]): IndexedSeq[TermGroup] = {
    val first = if (found.isEmpty) 0 else found.map(_._2).min
    found.groupBy(_._2).toIndexedSeq.sortBy(_._1).map { case (position, terms) =>
      TermGroup(position - first, terms.map(_._1).distinct)
    }
  }
}
