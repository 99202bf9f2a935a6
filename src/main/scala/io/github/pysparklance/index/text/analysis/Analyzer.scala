// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text.analysis

import io.github.pysparklance.index.spi.AsciiFolding

/** Splits documents and queries into the terms of an index. Not thread-safe. Hot code: imperative.
  *
  * The parameters select from these steps, in this order: dropping long tokens, lower case,
  * stemming, dropping stop words, and folding to ASCII. Stop words are therefore compared with
  * stems. Dropped tokens leave gaps in the positions.
  *
  * Source: format page of indices, "Inverted (full-text)".
  *
  * @param isEarly whether to stem like releases of the writer before 11
  * @throws UnsupportedFeatureException if the tokenizer is not supported
  */
final class Analyzer(val parameters: AnalyzerParameters, isEarly: Boolean = false) {
  import Analyzer._

  private val tokenizer = BaseTokenizer.of(parameters)
  private val stemmer =
    if (parameters.stem) Some(Stemmer.of(parameters.language, isEarly)) else None
  private val stopWords =
    if (parameters.removeStopWords) StopWords.of(parameters) else Set.empty[String]
  private val maxBytes = parameters.maxTokenLength.getOrElse(Int.MaxValue)
  // Terms depend only on their tokens, which often repeat.
  private val known = new java.util.HashMap[String, String]
  private var consumer: TermConsumer = null

  private val filter: TokenConsumer = (text: String, from: Int, until: Int, position: Int) =>
    // A character takes at least one byte, so long tokens are dropped without copying them.
    if (until - from < maxBytes) {
      val term = termOf(text.substring(from, until))
      if (term != null) consumer.term(term, position)
    }

  /** Calls `f` on each term of a document, in order.
    *
    * @throws CorruptFileException if the analyzer reads JSON, and the document is not JSON
    */
  def apply(document: String)(f: TermConsumer): Unit =
    if (parameters.isJson) JsonTerms.ofDocument(document, this)(f) else words(document)(f)

  /** Returns the terms of a document, in order, with their positions. */
  def terms(document: String): IndexedSeq[(String, Int)] = collected(apply(document)(_))

  /** Returns the terms of a query, in order, with their positions.
    *
    * @throws InvalidRequestException if the analyzer reads JSON, and the query is not of the form
    *   `path,type,value`
    */
  def queryTerms(query: String): IndexedSeq[(String, Int)] = collected { f =>
    if (parameters.isJson) JsonTerms.ofQuery(query, this)(f) else words(query)(f)
  }

  private def collected(splits: TermConsumer => Unit): IndexedSeq[(String, Int)] = {
    val found = IndexedSeq.newBuilder[(String, Int)]
    splits((term, position) => found += term -> position)
    found.result()
  }

  /** Calls `f` on each term of plain text, in order. */
  private[analysis] def words(text: String)(f: TermConsumer): Unit = {
    consumer = f
    tokenizer(text, filter)
  }

  /** Returns the term of a token, or null if the token is dropped. */
  private def termOf(token: String): String = {
    val term = known.get(token)
    if (term != null) { if (term eq dropped) null else term }
    else {
      val made = filtered(token)
      if (token.length <= maxKnownLength) {
        if (known.size >= maxTerms) known.clear()
        known.put(token, if (made == null) dropped else made)
      }
      made
    }
  }

  private def filtered(token: String): String =
    if (Characters.utf8Length(token, 0, token.length) >= maxBytes) null
    else {
      val lower = if (parameters.lowerCase) Characters.lower(token) else token
      val stem = stemmer.fold(lower)(_(lower))
      if (stopWords(stem)) null
      else if (parameters.asciiFolding) AsciiFolding.fold(stem)
      else stem
    }
}

/** Receives the terms of a text. */
trait TermConsumer {

  /** @param position number of the token from 0, counting dropped tokens */
  def term(term: String, position: Int): Unit
}

private object Analyzer {

  /** Maximum number of cached terms, which avoid stemming a word twice. */
  private val maxTerms = 1 << 16

  /** Maximum length of cached tokens. Longer tokens rarely repeat. */
  private val maxKnownLength = 64

  private val dropped = new String("dropped")
}
