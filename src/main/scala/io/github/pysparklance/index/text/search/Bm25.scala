// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text.search

import io.github.pysparklance.index.text.segment.{ImpactFactors, LengthCode}

/** Scores documents by BM25 with `k1` = 1.2 and `b` = 0.75, in single precision as the reference.
  *
  * {{{
  *   score of a term = idf * 2.2 * f / (f + 1.2 * (0.25 + 0.75 * length / average))
  *   idf             = ln((N - n + 0.5) / (n + 0.5) + 1)
  * }}}
  * `f` is the frequency of the term in the document, `N` the number of documents, and `n` the
  * number of documents with the term.
  *
  * Source: format page of indices, "Scoring and queries".
  */
final private[text] class Bm25(of: TextStatistics) extends ImpactFactors {
  import Bm25._

  private val average = of.totalTokens.toFloat / of.numDocs.toFloat

  /** The average length of documents. */
  override def statistics: Float = average

  private val norms = Array.tabulate(numCached)(computed)
  private val normsOfCodes = Array.tabulate(256)(code => computed(LengthCode.decode(code)))

  /** Returns the part of a score that depends on the length of the document. */
  def norm(length: Int): Float =
    if (length >= 0 && length < numCached) norms(length) else computed(length)

  private def computed(length: Int): Float =
    Bm25.norm((length & 0xffffffffL).toFloat, average)

  /** Returns the factor for a frequency and the code of a length. */
  def apply(frequency: Int, code: Int): Float = factor(frequency, normsOfCodes(code))
}

private[text] object Bm25 {
  private val k1 = 1.2f
  private val b = 0.75f
  private val numCached = 1024

  /** Upper bound of factors. */
  val maxFactor: Float = k1 + 1f

  /** Returns the part of scores that depends on the length of a document. */
  def norm(length: Float, average: Float): Float = k1 * (1f - b + b * length / average)

  /** Returns the score of a term whose idf is 1. */
  def factor(frequency: Int, norm: Float): Float =
    factor((frequency & 0xffffffffL).toFloat, norm)

  def factor(frequency: Float, norm: Float): Float = (k1 + 1f) * frequency / (frequency + norm)

  /** Returns the weight of a term in `numWithTerm` of `numDocs` documents. */
  def idf(numWithTerm: Long, numDocs: Long): Float = {
    val (n, all) = (numWithTerm.toFloat, numDocs.toFloat)
    math.log(((all - n + 0.5f) / (n + 0.5f) + 1f).toDouble).toFloat
  }
}

/** Statistics of the documents of a column.
  *
  * @param numDocs number of documents with a token; early releases also count other documents
  * @param totalTokens number of tokens of all documents
  * @param numWithTerm number of documents with each term of a query
  */
final case class TextStatistics(numDocs: Long, totalTokens: Long, numWithTerm: Map[String, Long]) {

  /** Returns the weight of a term, or 0 if no document contains it. */
  def idf(term: String): Float = numWithTerm.getOrElse(term, 0L) match {
    case 0L => 0f
    case n => Bm25.idf(n, numDocs)
  }

  /** Returns the statistics of the union of two sets of documents. */
  def +(other: TextStatistics): TextStatistics = TextStatistics(
    numDocs + other.numDocs,
    totalTokens + other.totalTokens,
    (numWithTerm.keySet ++ other.numWithTerm.keySet).iterator.map { term =>
      term -> (numWithTerm.getOrElse(term, 0L) + other.numWithTerm.getOrElse(term, 0L))
    }.toMap
  )
}

object TextStatistics {

  /** The statistics of no documents. */
  val empty: TextStatistics = TextStatistics(0, 0, Map.empty)
}
