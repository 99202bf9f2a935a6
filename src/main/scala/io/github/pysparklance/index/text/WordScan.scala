// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text

import java.util.{HashSet, TreeSet}

import io.github.pysparklance.index.text.analysis.{Analyzer, AnalyzerParameters, TextColumn}
import io.github.pysparklance.index.text.query.MatchQuery
import io.github.pysparklance.index.text.search.SimilarTerms
import io.github.pysparklance.index.text.segment.TokenSet

/** A scan for terms similar to the words of a query, in rows that indices do not cover. Sent to
  * tasks.
  *
  * @param columns columns of the fuzzy words
  * @param parameters parameters of the analyzer of each column
  * @param fragments ids of the fragments to scan; `None` for all
  */
final case class WordScan private[text] (
    columns: IndexedSeq[TextColumn],
    parameters: IndexedSeq[AnalyzerParameters],
    private[text] val words: IndexedSeq[SoughtWord],
    fragments: Option[IndexedSeq[Long]]
) {

  /** Whether documents are elements of the lists of the only column. */
  def hasElements: Boolean = parameters.exists(_.hasElements)
}

/** A word of a fuzzy query.
  *
  * @param key number of the leaf, and position of the word in the leaf
  * @param column number of the column
  * @param query query with the word
  * @param limit maximum number of terms to find
  */
final private[text] case class SoughtWord(
    key: (Int, Int),
    column: Int,
    word: String,
    query: MatchQuery,
    limit: Int
)

/** The terms that scans found for words of a query: for each word, the first terms by bytes. */
final class FoundWords private[text] (private[text] val terms: Map[(Int, Int), IndexedSeq[String]])
    extends Serializable {

  /** Returns the terms of both. */
  def ++(other: FoundWords): FoundWords = new FoundWords(
    (terms.keySet ++ other.terms.keySet).iterator.map { key =>
      key -> (terms.getOrElse(
        key,
        IndexedSeq.empty
      ) ++ other.terms.getOrElse(key, IndexedSeq.empty)).distinct
    }.toMap
  )
}

object FoundWords {
  val empty: FoundWords = new FoundWords(Map.empty)
}

/** Reads the texts of rows, and collects the terms similar to words of the query. Not thread-safe.
  */
final class WordCollector(scan: WordScan) {
  import WordCollector._

  private val columns = scan.columns.indices.map(new ColumnReader(_))

  /** Adds a row, or a list element.
    *
    * @param text returns the text of a column by its number, or null
    */
  def add(text: Int => String): Unit = columns.indices.foreach { c =>
    val found = text(c)
    if (found != null) columns(c).read(found)
  }

  def result(): FoundWords = columns.map(_.result()).foldLeft(FoundWords.empty)(_ ++ _)

  final private class ColumnReader(column: Int) {
    private val analyzer = new Analyzer(scan.parameters(column))
    private val words = scan.words.filter(_.column == column)
    private val similar =
      words.map(w => new SimilarTerms(w.query, scan.parameters(column)).similar(w.word))
    private val found = words.map(_ => new TreeSet[String](TokenSet.byBytes))
    private val seen = new HashSet[String]

    def read(text: String): Unit = analyzer(text) { (term, _) =>
      if (seen.size >= maxSeen) seen.clear()
      if (seen.add(term)) words.indices.foreach { w =>
        if (similar(w).isSimilarTo(term)) {
          found(w).add(term)
          if (found(w).size > words(w).limit) found(w).pollLast(): Unit
        }
      }
    }

    def result(): FoundWords = words.indices.map { w =>
      new FoundWords(
        Map(words(w).key -> found(w).toArray(Array.empty[String]).toIndexedSeq)
      )
    }.foldLeft(FoundWords.empty)(_ ++ _)
  }
}

private object WordCollector {

  /** Maximum number of terms to remember, so that they are not tested again. */
  private val maxSeen = 1 << 16
}
