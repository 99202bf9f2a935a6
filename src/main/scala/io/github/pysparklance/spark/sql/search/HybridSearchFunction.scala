// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql.search

import org.apache.spark.sql.SparkSessionExtensions

import io.github.pysparklance.spark.catalog.SearchedRows
import io.github.pysparklance.spark.scan.hybrid.HybridArguments

/** The table function `hybrid_search(table, query_vector, query, num_results, ...)`: the best rows
  * of a vector search and a full-text search.
  */
private[spark] object HybridSearchFunction {
  val name: String = "hybrid_search"

  private val positions = IndexedSeq("table", "query_vector", "query", "num_results")

  private val usage =
    "_FUNC_(table, query_vector, query, num_results, name => value, ...) - returns the best rows of a " +
      "vector search and a full-text search in a Lance table, with _distance, _score, and _relevance_score."

  def inject(extensions: SparkSessionExtensions): Unit =
    SearchCall.inject(extensions, getClass, name, positions, usage) { call =>
      val request = new HybridArguments(name, call.values()).request
      call.result(SearchedRows.hybrid(call.table, request))
    }
}
