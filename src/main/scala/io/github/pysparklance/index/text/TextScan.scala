// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text

import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.index.text.analysis.{AnalyzerParameters, TextColumn}
import io.github.pysparklance.index.text.query.TextQuery
import io.github.pysparklance.index.text.search.{LeafTerms, TextStatistics}

/** How to find the rows of fragments that indices do not cover. It is sent to tasks.
  *
  * @param columns the columns of the query
  * @param leaves terms of the leaves of the query, in their order
  * @param columnOf number of the column of each leaf
  * @param limit number of rows to find
  * @param fragments ids of the fragments to scan; `None`: all
  * @param indexed rows that indices found, if their scores depend on the scanned rows
  */
final case class TextScan(
    query: TextQuery,
    columns: IndexedSeq[ScannedColumn],
    leaves: IndexedSeq[LeafTerms],
    columnOf: IndexedSeq[Int],
    limit: Int,
    fragments: Option[IndexedSeq[Long]],
    private[text] val indexed: Option[ScannedRows] = None
) {

  /** The scan without the rows that indices found, which tasks do not need. */
  def ofTasks: TextScan = copy(indexed = None)
}

/** A column whose text is scanned.
  *
  * @param indexed the statistics of its index
  * @param uncovered ids of the fragments that its index does not cover, whose documents are to be
  *   added to the statistics; `None`: all
  */
final case class ScannedColumn(
    column: TextColumn,
    parameters: AnalyzerParameters,
    indexed: TextStatistics,
    uncovered: Option[RoaringBitmap]
)
