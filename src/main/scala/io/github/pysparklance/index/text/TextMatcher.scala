// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text

import scala.collection.mutable

import io.github.pysparklance.core.{Field, LogicalType, UnsupportedFeatureException}
import io.github.pysparklance.index.text.analysis.{AnalyzerParameters, TextColumn}
import io.github.pysparklance.index.text.query.{MatchQuery, TextQuery}
import io.github.pysparklance.index.text.search.TextStatistics

/** Evaluates a query on the texts of a row, with the semantics of a search. Not thread-safe.
  *
  * @param query query whose leaves have the decimal numbers of columns as column names
  * @param parameters parameters of the analyzer of each column
  * @throws UnsupportedFeatureException for a fuzzy query, whose matches depend on the other rows of the
  *   table
  */
final class TextMatcher(query: TextQuery, parameters: IndexedSeq[AnalyzerParameters]) {
  private val columnOf = query.leaves.map(_.column.get.toInt)

  query.leaves.foreach {
    case m: MatchQuery if m.isFuzzy =>
      throw new UnsupportedFeatureException(
        "similar words in a condition: use the table function search, or leave fuzziness out"
      )
    case _ =>
  }

  private val collector = new TextCollector(
    TextScan(
      query,
      parameters.zipWithIndex.map { case (analyzer, i) =>
        val field = Field(i, i.toString, LogicalType.Utf8(false), nullable = true)
        ScannedColumn(TextColumn.of(IndexedSeq(field)).get, analyzer, TextStatistics.empty, None)
      },
      query.leaves.zip(columnOf).map { case (leaf, c) =>
        new LeafAnalysis(parameters(c), None, mutable.Set.empty)
          .terms(leaf, _ => IndexedSeq.empty)
      },
      columnOf,
      limit = 1,
      None
    )
  )

  /** @param text returns the text of a column by its number, or null */
  def apply(text: Int => String): Boolean = collector.finds(0L)(text)
}
