// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.nearest

import io.github.pysparklance.core.InvalidRequestException
import io.github.pysparklance.index.vector.search.VectorQuery
import io.github.pysparklance.spark.scan.search.SearchLimits

/** A search for the rows whose vectors are nearest to query vectors.
  *
  * @param column column of the vectors, a dotted path with backquotes where needed; `None`: the
  *   column `vector`, or the only one with vectors
  * @param vectors query vectors
  * @param offset number of nearest rows to skip before the `k` rows
  * @param filter a SQL condition on the columns of the table
  * @param prefilter whether the filter applies before the search, so that `k` rows are found among
  *   the matching ones. If not, it drops rows from the `k` nearest ones of the table
  * @param parameters parameters of the search, with the number of rows
  * @param refines whether the user set the refine factor, possibly to none; otherwise, it depends
  *   on the index
  * @param withRowId whether the rows have the column `_rowid`
  * @param undefined treatment of queries and rows without a distance
  */
final case class NearestQuery(
    column: Option[String],
    vectors: QueryVectors,
    offset: Int,
    filter: Option[String],
    prefilter: Boolean,
    parameters: VectorQuery,
    refines: Boolean,
    withRowId: Boolean,
    undefined: UndefinedDistance = UndefinedDistance.Rejected
) {

  /** Number of rows to find for each query, including the rows that `offset` skips. */
  def numCandidates: Int = SearchLimits.numCandidates(parameters.k, offset)

  /** Checks the number of rows of all queries, which pass through the driver.
    *
    * @throws InvalidRequestException if there are too many
    */
  def checkRows(): Unit = {
    val all = numCandidates.toLong
    if (all * vectors.size > SearchLimits.maxRows)
      throw new InvalidRequestException(
        s"${vectors.size} query vectors with $all rows each are ${all * vectors.size} rows; a search returns at most " +
          s"${SearchLimits.maxRows}: search for fewer vectors at a time"
      )
  }
}
