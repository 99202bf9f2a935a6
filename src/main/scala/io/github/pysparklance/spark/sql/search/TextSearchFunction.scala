// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql.search

import org.apache.spark.sql.SparkSessionExtensions

import io.github.pysparklance.spark.catalog.SearchedRows
import io.github.pysparklance.spark.scan.text.TextArguments

/** The table function `search(table, query, num_results, ...)`: the rows of a table whose text
  * matches a query best.
  */
private[spark] object TextSearchFunction {
  val name: String = "search"

  private val positions = IndexedSeq("table", "query", "num_results")

  private val usage =
    "_FUNC_(table, query, num_results, name => value, ...) - returns the rows of a Lance table whose " +
      "text matches a query best, with their score in the column _score."

  def inject(extensions: SparkSessionExtensions): Unit =
    SearchCall.inject(extensions, getClass, name, positions, usage) { call =>
      val request = new TextArguments(name, call.values()).request
      call.result(SearchedRows.text(call.table, request))
    }
}
