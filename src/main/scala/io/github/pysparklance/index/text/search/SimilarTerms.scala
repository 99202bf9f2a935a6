// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text.search

import java.util.Collection

import io.github.pysparklance.index.text.analysis.AnalyzerParameters
import io.github.pysparklance.index.text.query.MatchQuery
import io.github.pysparklance.index.text.segment.{SimilarWord, TokenSet}

/** The terms that a fuzzy query finds. */
private[text] object SimilarTerms {

  /** Returns the words of a fuzzy query. With a fixed number of edits, the reference compares the
    * unchanged words with the terms of the index.
    */
  def words(query: MatchQuery, parameters: AnalyzerParameters): IndexedSeq[TermGroup] =
    TermGroup.of(query.text, if (query.fuzziness.isEmpty) parameters else wordsOnly)

  private val wordsOnly = AnalyzerParameters(
    maxTokenLength = None,
    lowerCase = false,
    stem = false,
    removeStopWords = false,
    asciiFolding = false
  )

  /** Adds the first tokens by bytes that are similar to the words at one position of a query.
    *
    * @param limit number of tokens to add for each word at most
    */
  def add(
      query: MatchQuery,
      words: TermGroup,
      tokens: TokenSet,
      limit: Int,
      found: Collection[String]
  ): Unit = similar(query, words).foreach(tokens.similar(_, limit, found))

  /** The words at one position of a query. */
  def similar(query: MatchQuery, words: TermGroup): IndexedSeq[SimilarWord] =
    words.terms.map(word => new SimilarWord(word, query.maxEdits(word), query.prefixLength))
}
