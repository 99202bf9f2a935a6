// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text

import java.util.{TreeSet, UUID}

import scala.collection.mutable

import io.github.pysparklance.index.text.analysis.{Analyzer, AnalyzerParameters, StopWords}
import io.github.pysparklance.index.text.query._
import io.github.pysparklance.index.text.search.{LeafTerms, SimilarTerms, TermGroup}
import io.github.pysparklance.index.text.segment.TokenSet

/** Finds the terms that a leaf of a query searches.
  *
  * @param parameters parameters of the analyzer
  * @param open index of the column; `None` if it has no usable index
  * @param failed receives the ids of segments that cannot be read
  */
final private[text] class LeafAnalysis(
    parameters: AnalyzerParameters,
    open: Option[OpenIndex],
    failed: mutable.Set[UUID]
) {

  /** @param scanned similar terms in rows that the index does not cover, by the position of the
    *   word
    */
  def terms(query: LeafQuery, scanned: Int => IndexedSeq[String]): LeafTerms = query match {
    case m: MatchQuery if m.isFuzzy => LeafTerms.of(m, expanded(m, scanned))
    case other => LeafTerms.of(other, groupsOf(other.text))
  }

  /** Returns the terms of a text by their positions. */
  private def groupsOf(text: String): IndexedSeq[TermGroup] = {
    val found = new Analyzer(parameters).queryTerms(text)
    open.filter(_.index.mayBeEarly).fold(TermGroup.of(found))(earlyGroups(text, found, _))
  }

  /** Early releases of the writer have other stemmers and stop words. If an index contains the
    * terms of such a release, searches for them as well. Drops stop words of such a release if the
    * index does not contain them.
    */
  private def earlyGroups(
      text: String,
      found: IndexedSeq[(String, Int)],
      open: OpenIndex
  ): IndexedSeq[TermGroup] = {
    val stopWords = StopWords.early(parameters)
    val early =
      new Analyzer(parameters.copy(removeStopWords = false), isEarly = true).queryTerms(text)
    def isStopWord(term: String) = stopWords(term.substring(parameters.valueStart(term)))
    TermGroup.of(found ++ early.filter(t => open.hasToken(t._1, failed))).filterNot { group =>
      group.terms.exists(isStopWord) && !group.terms.exists(open.hasToken(_, failed))
    }
  }

  /** Replaces words with similar terms of the index and of scanned rows: for each position, the
    * first terms by bytes, up to a limit.
    */
  private def expanded(
      query: MatchQuery,
      scanned: Int => IndexedSeq[String]
  ): IndexedSeq[TermGroup] = {
    var left = query.maxExpansions
    val similar = new SimilarTerms(query, parameters)
    similar.words.map { group =>
      val found = new TreeSet[String](TokenSet.byBytes)
      for {
        o <- open.toSeq
        part <- o.parts
        partition <- part.open.partitions
      } o.reading(part, failed)(similar.add(group, partition.tokens, left, found))
      scanned(group.position).foreach(found.add)
      val taken = found.toArray(Array.empty[String]).take(left)
      left -= taken.length
      TermGroup(group.position, taken.toIndexedSeq)
    }
  }
}
