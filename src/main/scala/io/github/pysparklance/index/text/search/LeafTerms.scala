// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text.search

import io.github.pysparklance.index.text.analysis.{Analyzer, AnalyzerParameters}
import io.github.pysparklance.index.text.query._

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

  /** Whether documents are found by the positions of terms. */
  def needsPositions: Boolean = slop.isDefined && groups.length > 1

  /** Whether a document may match.
    *
    * @param exists whether any document has a term
    */
  private[text] def mayMatch(exists: String => Boolean): Boolean = {
    val found = groups.count(_.terms.exists(exists))
    found > 0 && (!needsAll || found == groups.length)
  }

  /** Returns the maximum number of matching documents.
    *
    * @param numDocs returns the number of documents with a term
    */
  private[text] def maxDocs(numDocs: String => Long): Long = {
    val ofGroups = groups.map(_.terms.map(numDocs).sum)
    if (ofGroups.isEmpty) 0L else if (needsAll) ofGroups.min else ofGroups.sum
  }
}

object LeafTerms {

  /** @param groups the terms of the query */
  private[text] def of(query: LeafQuery, groups: IndexedSeq[TermGroup]): LeafTerms = query match {
    case m: MatchQuery => LeafTerms(groups, m.operator == Operator.And, None, m.boost)
    case p: PhraseQuery => LeafTerms(groups, needsAll = true, Some(p.slop), 1f)
  }
}

/** The distinct terms of a query at a position. */
final case class TermGroup(position: Int, terms: IndexedSeq[String])

object TermGroup {

  /** Returns the terms of a query by position. */
  private[text] def of(text: String, parameters: AnalyzerParameters): IndexedSeq[TermGroup] =
    of(new Analyzer(parameters).queryTerms(text))

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
