// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text

import java.util.{Arrays, HashMap}

import scala.collection.mutable

import io.github.pysparklance.core.{Field, LogicalType, Optional}
import io.github.pysparklance.index.text.analysis.{Analyzer, AnalyzerParameters, TextColumn}
import io.github.pysparklance.index.text.query._
import io.github.pysparklance.index.text.search.{SimilarTerms, TextStatistics}
import io.github.pysparklance.index.text.segment.SimilarWord

/** Evaluates a query on the values of a row. With list elements as documents, a column matches if
  * any of its elements matches.
  *
  * @param query leaf, or a query of several columns. Its leaves match alternatively. Their column
  *   names are the decimal numbers of columns
  * @param parameters parameters of the analyzer of each column
  */
final class TextMatcher(query: TextQuery, parameters: IndexedSeq[AnalyzerParameters]) {
  private val (ofElements, ofRows) =
    query.leaves.partition(leaf => parameters(leaf.column.get.toInt).hasElements)

  private val rows = Optional.when(ofRows.nonEmpty)(
    new DocumentMatcher(MultiMatchQuery(ofRows), parameters)
  )

  private val elements = ofElements.map { leaf =>
    val column = leaf.column.get.toInt
    column -> new DocumentMatcher(leaf.on("0"), IndexedSeq(parameters(column)))
  }

  /** @param text returns the text of a column by its number, or null
    * @param elements returns the elements of a column with lists by its number
    */
  def apply(text: Int => String, elements: Int => Iterator[String]): Boolean =
    rows.exists(_(text)) || this.elements.exists { case (column, matcher) =>
      elements(column).exists(element => matcher(_ => element))
    }
}

/** Evaluates a query on documents. A fuzzy query finds all similar terms, without the limit
  * `maxExpansions` of a search, so that the result does not depend on other rows. Not thread-safe.
  *
  * @param query leaf, or a query of several columns. Its leaves match alternatively. Their column
  *   names are the decimal numbers of columns
  * @param parameters parameters of the analyzer of each column
  */
final private class DocumentMatcher(
    query: TextQuery,
    parameters: IndexedSeq[AnalyzerParameters]
) {
  import DocumentMatcher._

  private val columnOf = query.leaves.map(_.column.get.toInt)

  private val similar: IndexedSeq[(Int, SimilarTexts)] =
    query.leaves.zip(columnOf).collect {
      case (m: MatchQuery, c) if m.isFuzzy => c -> new SimilarTexts(m, parameters(c))
    }

  private val collector =
    if (similar.isEmpty) Some(collectorOf(query.leaves.zip(columnOf))) else None

  private def collectorOf(leaves: IndexedSeq[(LeafQuery, Int)]) = new TextCollector(
    TextScan(
      query,
      parameters.zipWithIndex.map { case (analyzer, i) =>
        val field = Field(i, i.toString, LogicalType.Utf8(false), nullable = true)
        ScannedColumn(TextColumn.of(IndexedSeq(field)).get, analyzer, TextStatistics.empty, None)
      },
      leaves.map { case (leaf, c) =>
        new LeafAnalysis(parameters(c), None, mutable.Set.empty)
          .terms(leaf, _ => IndexedSeq.empty)
      },
      columnOf,
      limit = 1,
      None
    )
  )

  /** @param text returns the text of a column by its number, or null */
  def apply(text: Int => String): Boolean = collector match {
    case Some(c) => c.finds(0L)(text)
    case None => similar.exists { case (column, texts) => texts(text(column)) }
  }
}

private object DocumentMatcher {

  /** Tests whether texts have terms that are similar to the words of a query. Hot code. */
  final private class SimilarTexts(query: MatchQuery, parameters: AnalyzerParameters) {
    private val analyzer = new Analyzer(parameters)
    private val words: Array[Seq[SimilarWord]] = {
      val terms = new SimilarTerms(query, parameters)
      terms.words.map(terms.similar(_): Seq[SimilarWord]).toArray
    }
    private val needsAll = query.operator == Operator.And

    /** Numbers of the words that a term is similar to. */
    private val known = new HashMap[String, Array[Int]]
    private val found = new Array[Boolean](words.length)

    def apply(text: String): Boolean = text != null && words.nonEmpty && {
      Arrays.fill(found, false)
      analyzer(text) { (term, _) =>
        val numbers = similarTo(term)
        var i = 0
        while (i < numbers.length) {
          found(numbers(i)) = true
          i += 1
        }
      }
      if (needsAll) found.forall(identity) else found.contains(true)
    }

    private def similarTo(term: String): Array[Int] = {
      val numbers = known.get(term)
      if (numbers != null) numbers
      else {
        val made = words.indices.filter(w => words(w).exists(_.isSimilarTo(term))).toArray
        if (term.length <= maxKnownLength) {
          if (known.size >= maxKnown) known.clear()
          known.put(term, made)
        }
        made
      }
    }
  }

  /** Maximum number of terms that are not compared again. */
  private val maxKnown = 1 << 16

  /** Maximum length of these terms. Longer terms seldom repeat. */
  private val maxKnownLength = 64
}
