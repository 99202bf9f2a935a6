// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.text

import io.github.pysparklance.core.Optional
import io.github.pysparklance.index.text.query.TextQuery
import io.github.pysparklance.spark.scan.search.SearchLimits

/** A search for the rows, or the list elements, whose text matches a query best.
  *
  * @param query full-text query
  * @param columns columns of leaves without a column; `None` for the columns with a full-text index
  * @param k number of rows
  * @param offset number of best rows to skip before the `k` rows
  * @param filter a SQL condition on the columns of the table
  * @param prefilter whether the filter applies before the search, so that `k` rows are found among
  *   the matching ones. If not, it drops rows from the `k` best ones of the table
  * @param useIndex whether full-text indices may be used
  * @param fastSearch whether to skip rows that the indices do not cover
  * @param withRowId whether the rows have the column `_rowid`
  * @param ofRows whether each row is found once, with its best list element
  * @param isComplete whether all rows must be found; the search fails if there may be more than `k`
  */
final case class TextRequest(
    query: TextQuery,
    columns: Option[IndexedSeq[String]],
    k: Int,
    offset: Int,
    filter: Option[String],
    prefilter: Boolean,
    useIndex: Boolean,
    fastSearch: Boolean,
    withRowId: Boolean,
    ofRows: Boolean = false,
    isComplete: Boolean = false
) {

  /** Returns the search for the best rows of a search for all rows, or `None` for other searches.
    */
  def first(numRows: Int): Option[TextRequest] =
    Optional.when(isComplete)(if (numRows < k) copy(k = numRows, isComplete = false) else this)

  /** Number of rows to find, including the rows that `offset` skips. */
  def numCandidates: Int = SearchLimits.numCandidates(k, offset)
}

private[spark] object TextRequest {

  /** Maximum number of rows that a search finds. */
  val maxRows: Int = SearchLimits.maxRows
}
