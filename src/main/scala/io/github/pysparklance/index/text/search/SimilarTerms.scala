// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text.search

import java.util.Collection

import io.github.pysparklance.index.text.analysis.AnalyzerParameters
import io.github.pysparklance.index.text.query.MatchQuery
import io.github.pysparklance.index.text.segment.{SimilarWord, TokenSet}

/** The terms that a fuzzy query finds. In terms of JSON documents, only the value may differ.
  *
  * @param parameters parameters of the analyzer
  */
final private[text] class SimilarTerms(query: MatchQuery, parameters: AnalyzerParameters) {
  import SimilarTerms._

  /** The words of the query. With a fixed number of edits, the reference compares the unchanged
    * words with the terms of the index.
    */
  lazy val words: IndexedSeq[TermGroup] = TermGroup.of(
    query.text,
    if (query.fuzziness.isEmpty) parameters else wordsOnly.copy(isJson = parameters.isJson)
  )

  /** Adds the first tokens by bytes that are similar to the words at one position of the query.
    *
    * @param limit number of tokens to add for each word at most
    */
  def add(words: TermGroup, tokens: TokenSet, limit: Int, found: Collection[String]): Unit =
    similar(words).foreach(tokens.similar(_, limit, found))

  /** The words at one position of the query. */
  def similar(words: TermGroup): IndexedSeq[SimilarWord] = words.terms.map(similar(_))

  /** Returns a word with the edits that its similar terms may have. */
  def similar(word: String): SimilarWord = {
    val start = parameters.valueStart(word)
    val numEqual = word.codePointCount(0, start).toLong + query.prefixLength
    new SimilarWord(
      word,
      query.maxEdits(word.substring(start)),
      math.min(numEqual, Int.MaxValue.toLong).toInt
    )
  }
}

private object SimilarTerms {

  private val wordsOnly = AnalyzerParameters(
    maxTokenLength = None,
    lowerCase = false,
    stem = false,
    removeStopWords = false,
    asciiFolding = false
  )
}
