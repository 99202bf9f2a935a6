// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text

import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.index.spi.AddressSet
import io.github.pysparklance.index.text.analysis.{AnalyzerParameters, TextColumn}
import io.github.pysparklance.index.text.query.TextQuery
import io.github.pysparklance.index.text.search.{LeafTerms, TextStatistics}

/** A scan for matching rows in the fragments that indices do not cover, and among candidates of
  * indices without positions. Sent to tasks.
  *
  * @param columns columns of the query
  * @param leaves terms of the leaves of the query, in the order of the leaves
  * @param columnOf number of the column of each leaf
  * @param limit number of rows to find
  * @param fragments ids of the fragments to scan; `None` for all
  * @param candidates addresses of more rows to scan, in other fragments
  * @param indexed rows that the indices found, if their scores depend on the scanned rows
  * @param elements numbers the documents if they are list elements; `None` if they are rows
  */
final case class TextScan(
    query: TextQuery,
    columns: IndexedSeq[ScannedColumn],
    leaves: IndexedSeq[LeafTerms],
    columnOf: IndexedSeq[Int],
    limit: Int,
    fragments: Option[IndexedSeq[Long]],
    candidates: Option[AddressSet] = None,
    private[text] val indexed: Option[ScannedRows] = None,
    elements: Option[ElementKeys] = None
) {

  /** Returns the scan without the rows that the indices found, which tasks do not need. */
  def ofTasks: TextScan = copy(candidates = None, indexed = None)
}

/** A column of the scan.
  *
  * @param indexed statistics of the column's index
  * @param uncovered ids of the fragments whose documents must be added to the statistics, because
  *   the index does not cover them; `None` for all
  * @param roundsLengths whether the index rounds the lengths of documents
  */
final case class ScannedColumn(
    column: TextColumn,
    parameters: AnalyzerParameters,
    indexed: TextStatistics,
    uncovered: Option[RoaringBitmap],
    private[text] val roundsLengths: Boolean = false
)
